"""Text to lines, and lines to the layout that fits them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from pipeline.errors import InputError
from pipeline.intake.decode import decode
from pipeline.intake.draft import Draft, Line, Options, Source
from pipeline.intake.labelled import read_labelled
from pipeline.intake.segments import find_labels
from pipeline.intake.sources import read_whole

_FENCE = re.compile(r"[ \t]{0,3}(```+|~~~+)")
LOOKED_FOR = (
    "Looked for questions and answers under labels (问题1： 回答：, Q1: A:), for speakers "
    "(面试官： 候选人：, Interviewer: Candidate:), and for headings or quotes that ask."
)


def read(source: Source, options: Options) -> Iterator[Draft]:
    """The one interview of a plain or Markdown text."""
    text, doubts = decode(read_whole(source), source=source.name)
    draft = read_lines(numbered(text), source=source.name)
    yield Draft(**{**vars(draft), "warnings": (*doubts, *draft.warnings)})


def numbered(text: str) -> list[Line]:
    """The lines of a text; an unclosed code fence fences nothing."""
    texts = text.split("\n")
    fenced = _fenced(texts)
    page, lines = 1, []
    for at, line in enumerate(texts):
        page += line.count("\f")
        lines.append(Line(at + 1, line.replace("\f", ""), None, at in fenced))
    return lines


def read_lines(lines: Sequence[Line], *, source: str) -> Draft:
    """The draft of whatever layout the lines have; InputError where none fits."""
    if not any(line.text.strip() for line in lines):
        raise InputError("is empty.", source=source, remedy="Remove it, or export it again.")
    labels = find_labels(lines)
    kinds = {label.kind for label in labels.values()}
    if {"question", "answer"} <= kinds:
        return read_labelled(lines, labels, source=source)
    raise InputError("has no layout that is known.", source=source, remedy=LOOKED_FOR)


def _fenced(texts: Sequence[str]) -> set[int]:
    inside: set[int] = set()
    opened: tuple[int, str] | None = None
    for at, text in enumerate(texts):
        match = _FENCE.match(text)
        if match and opened is None:
            opened = (at, match[1])
        elif match and opened and match[1].startswith(opened[1]) and text.strip() == match[1]:
            inside.update(range(opened[0], at + 1))
            opened = None
    return inside
