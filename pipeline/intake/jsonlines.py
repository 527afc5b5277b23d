"""JSON lines, read as a stream: one item a line by column names, or one whole interview a line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import chain

from pipeline.errors import InputError
from pipeline.intake.columns import recognised, require
from pipeline.intake.draft import Draft, Options, Source
from pipeline.intake.nested import are_turns, draft_of, holds_items
from pipeline.intake.rows import Columns, Row, read_rows
from pipeline.intake.streams import text_lines

MAX_DEPTH = 64


def read(source: Source, options: Options) -> Iterator[Draft]:
    """The drafts of a .jsonl file: items by column name, whole interviews, or the turns of one."""
    lines = records(source)
    first = next(lines, None)
    if first is None:
        return
    if holds_items(first[1]):
        yield from (draft_of(record, source) for _, record in chain([first], lines))
    elif are_turns(first[1]):
        yield draft_of({"turns": [first[1], *(record for _, record in lines)]}, source)
    else:
        yield from _rows(chain([first], lines), source, options)


def _rows(
    lines: Iterable[tuple[int, dict[str, object]]], source: Source, options: Options
) -> Iterator[Draft]:
    known: dict[tuple[str, ...], Columns] = {}
    names: tuple[str, ...] = ()

    def rows() -> Iterator[Row]:
        nonlocal names
        for line, record in lines:
            names = tuple(record)
            yield Row(line, tuple(record.values()))
        if not any(columns.at["answer"] < len(keys) for keys, columns in known.items()):
            require({"question": 0}, names, source=source.name)

    def columns(_: Row) -> Columns:
        if names not in known:
            # A record without the key has no answer; a file without it is refused at its end.
            padded = names if "answer" in recognised(names, options.mapping) else (*names, "answer")
            known[names] = Columns.of(padded, options, source=source.name)
        return known[names]

    yield from read_rows(rows(), columns, options, source=source.name, null_is_missing=True)


def records(source: Source) -> Iterator[tuple[int, dict[str, object]]]:
    """Line numbers and objects; InputError names the line that is no JSON object."""
    for line, text in enumerate(text_lines(source), start=1):
        if not text.strip():
            continue
        value = parse(text, source=source.name, line=line)
        if not isinstance(value, dict):
            raise InputError(
                "is JSON, but no object.",
                source=source.name,
                line=line,
                remedy='Write one object a line: {"interview_id": …, "question": …, "answer": …}.',
            )
        yield line, value


def parse(text: str, *, source: str, line: int | None = None) -> object:
    """The JSON value of a text; InputError where it is none, or nested beyond all sense."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as fault:
        at = fault.lineno if line is None else line
        raise InputError(
            f"is not valid JSON at column {fault.colno}.",
            source=source,
            line=at,
            remedy="Export it again, or correct that line.",
        ) from None
    except (RecursionError, ValueError):
        raise InputError(
            "is JSON that is nested too deeply or holds a monstrous number.",
            source=source,
            line=line,
        ) from None
