"""Paths to interviews: the three ways in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pipeline.errors import InputError, UnreadableInputs
from pipeline.intake.assemble import assemble
from pipeline.intake.draft import Draft, EmptyCell, Options, Source
from pipeline.intake.formats import drafts
from pipeline.intake.identity import interview_ids, told_apart
from pipeline.intake.sources import expand
from pipeline.records import Interview

Choice = Literal["auto", "zh", "en"]


@dataclass(frozen=True)
class Reading:
    """All that could be read, and why the rest could not."""

    interviews: tuple[Interview, ...]
    errors: tuple[InputError, ...]


def read_interviews(
    *paths: str | Path,
    language: Choice = "auto",
    mapping: Mapping[str, str] | None = None,
    empty_cell: EmptyCell = "blank",
) -> list[Interview]:
    """The interviews of files, folders, zips or "-"; UnreadableInputs lists all that failed."""
    reading = read_all(paths, language=language, mapping=mapping, empty_cell=empty_cell)
    if reading.errors:
        raise UnreadableInputs(reading.errors)
    return list(reading.interviews)


def read_all(
    paths: Iterable[str | Path] | str | Path,
    *,
    language: Choice = "auto",
    mapping: Mapping[str, str] | None = None,
    empty_cell: EmptyCell = "blank",
) -> Reading:
    """The interviews, and an error for each source that cannot be read. A file is read whole or
    not at all: an error in its last line takes its first interview with it."""
    options = Options(language=language, mapping=mapping or {}, empty_cell=empty_cell)
    errors: list[InputError] = []
    read: list[tuple[Source, Draft]] = []
    for source in expand([paths] if isinstance(paths, str | Path) else paths):
        if isinstance(source, InputError):
            errors.append(source)
            continue
        try:
            read += [(source, draft) for draft in drafts(source, options)]
        except InputError as error:
            errors.append(error)
    read = list(told_apart(read))
    ids = interview_ids(read)
    interviews = tuple(
        assemble(draft, source, interview_id, options)
        for interview_id, (source, draft) in zip(ids, read, strict=True)
    )
    return Reading(interviews, tuple(errors))


def iter_interviews(
    *paths: str | Path,
    language: Choice = "auto",
    mapping: Mapping[str, str] | None = None,
    empty_cell: EmptyCell = "blank",
) -> Iterator[Interview]:
    """The same interviews as a stream, for tables of any size: raises InputError at the first
    thing that cannot be read, and refuses an id that came before."""
    options = Options(language=language, mapping=mapping or {}, empty_cell=empty_cell)
    seen: set[str] = set()
    for source in expand(paths):
        if isinstance(source, InputError):
            raise source
        for draft in drafts(source, options):
            [interview_id] = interview_ids([(source, draft)])
            if interview_id in seen:
                raise InputError(
                    "has an interview whose id came before.",
                    source=source.name,
                    line=draft.pairs[0].line,
                    remedy="Give each interview its own id, or read the files without streaming.",
                )
            seen.add(interview_id)
            yield assemble(draft, source, interview_id, options)
