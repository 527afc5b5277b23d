"""Paths and options -> interviews; whatever cannot be read is listed before any call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pipeline.errors import ConfigError, UnreadableInputs
from pipeline.intake import read_all
from pipeline.plan import LanguageChoice
from pipeline.records import Interview
from pipeline.screen import Screen
from pipeline.spool import Spool
from pipeline.streamed import are_large_tables, read_stream


@dataclass(frozen=True)
class InputOptions:
    """How inputs are to be read."""

    language: LanguageChoice
    skip_unreadable: bool
    strict: bool
    columns: list[str]
    empty_cell: Literal["blank", "missing"]


def read_inputs(
    paths: list[str], how: InputOptions, screen: Screen, *, stream: bool = False
) -> list[Interview] | Spool:
    """The interviews; every input that cannot be read is listed before any call.

    With `stream` large tables are read by way of the disk.
    """
    if stream and are_large_tables(paths):
        return read_large_tables(paths, how, screen)
    reading = read_all(
        paths,
        language=how.language,
        mapping=column_mapping(how.columns),
        empty_cell=how.empty_cell,
    )
    warnings = [
        f"{interview.source}: {warning}"
        for interview in reading.interviews
        for warning in interview.warnings
    ]
    for warning in warnings:
        screen.say(f"warning: {warning}")
    if reading.errors and not (how.skip_unreadable and reading.interviews):
        raise UnreadableInputs(reading.errors)
    if warnings and how.strict:
        raise ConfigError(f"{len(warnings)} warnings, and --strict makes each an error.")
    for error in reading.errors:
        screen.say(f"skipped: {error}")
    if not reading.interviews:
        raise ConfigError("nothing to read: the paths hold no files.")
    return list(reading.interviews)


def read_large_tables(paths: list[str], how: InputOptions, screen: Screen) -> Spool:
    """The interviews of tables as a stream."""
    warnings = 0

    def warn(text: str) -> None:
        nonlocal warnings
        warnings += 1
        screen.say(f"warning: {text}")

    interviews = read_stream(
        paths,
        language=how.language,
        mapping=column_mapping(how.columns),
        empty_cell=how.empty_cell,
        warn=warn,
    )
    if warnings and how.strict:
        raise ConfigError(f"{warnings} warnings, and --strict makes each an error.")
    return interviews


def column_mapping(entries: list[str]) -> dict[str, str]:
    """`["question=题目,answer=3"]` as a mapping. Raises ConfigError for any other form."""
    mapping = {}
    for entry in ",".join(entries).split(","):
        name, equals, column = entry.partition("=")
        if entry and not (name.strip() and equals and column.strip()):
            raise ConfigError(f"--map {entry!r}: write it as question=NAME,answer=NAME.")
        if entry:
            mapping[name.strip()] = column.strip()
    return mapping
