"""Large tables as inputs: read as a stream, by way of the disk."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from pipeline.errors import InputError, UnreadableInputs
from pipeline.intake import EmptyCell, iter_interviews
from pipeline.plan import LanguageChoice
from pipeline.records import Interview
from pipeline.spool import Spool

TABLES = frozenset({".jsonl", ".ndjson", ".csv", ".tsv", ".parquet"})
LARGE = 16 * 2**20
"""Bytes of all tables together from which they are read as a stream."""


def are_large_tables(paths: Sequence[str]) -> bool:
    """Whether all paths are tables that can be streamed, and large enough to be worth it."""
    files = [Path(path) for path in paths]
    tables = all(file.is_file() and file.suffix.lower() in TABLES for file in files)
    return tables and sum(file.stat().st_size for file in files) >= LARGE


def read_stream(
    paths: Sequence[str],
    *,
    language: LanguageChoice,
    mapping: Mapping[str, str],
    empty_cell: EmptyCell,
    warn: Callable[[str], None],
) -> Spool:
    """All interviews, read through before any call. Raises UnreadableInputs at the first fault.

    `warn` is called with each doubt about an interview.
    """

    def interviews() -> Iterator[Interview]:
        stream = iter_interviews(*paths, language=language, mapping=mapping, empty_cell=empty_cell)
        for interview in stream:
            for warning in interview.warnings:
                warn(f"{interview.source}: {warning}")
            yield interview

    try:
        return Spool(interviews())
    except InputError as error:
        raise UnreadableInputs((error,)) from None
