"""What a reader hands over: drafts of interviews, before ids are given.

A reader is a function from a `Source` and `Options` to drafts. It raises `InputError` for a
file that it does not understand, and never yields a draft without pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import BinaryIO, Literal, NamedTuple

from pipeline.records import Turn

EmptyCell = Literal["blank", "missing"]


@dataclass(frozen=True, kw_only=True)
class Options:
    """How to read, as the user said."""

    language: Literal["auto", "zh", "en"] = "auto"
    mapping: Mapping[str, str] = field(default_factory=dict)
    """Our column name -> the source's column name, or its 1-based position."""
    empty_cell: EmptyCell = "blank"
    """Whether an empty table cell is an empty answer or a missing one."""


@dataclass(frozen=True, kw_only=True)
class Source:
    """One input: a file, a member of a zip, or standard input."""

    name: str
    """The place as shown to the user."""
    parts: tuple[str, ...]
    """Folders and stem, from which the id is made."""
    suffix: str
    """Lower-case suffix with its dot; "" where there is none."""
    open: Callable[[], BinaryIO]


class Line(NamedTuple):
    """One line of a text."""

    number: int
    text: str
    page: int | None = None
    fenced: bool = False
    """Inside a code fence, where nothing is a label."""


@dataclass(frozen=True, kw_only=True)
class Pair:
    """A question and its answer as they stand in the source."""

    question: str
    answer: str | None
    """The raw text under the answer's label or in its cell; None where there is none."""
    number: int | str | None = None
    objective: str | None = None
    line: int | None = None
    page: int | None = None
    missing_reason: str | None = None
    turns: tuple[Turn, ...] = ()
    comment: str | None = None
    scores: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Draft:
    """One interview as read: pairs, fields by name, and the reader's doubts."""

    pairs: tuple[Pair, ...]
    fields: Mapping[str, str] = field(default_factory=dict)
    """candidate, role, years_experience, profile, intro, comment."""
    warnings: tuple[str, ...] = ()
    key: str | None = None
    """The id that the source gives to the interview (a column), if any."""


def warned(draft: Draft, *warnings: str) -> Draft:
    """The draft with warnings put before its own."""
    return replace(draft, warnings=(*warnings, *draft.warnings)) if warnings else draft


Reader = Callable[[Source, Options], Iterator[Draft]]
