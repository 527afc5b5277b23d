"""Texts whose questions carry no label: what stands under each is its answer."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pipeline.intake.asking import asks
from pipeline.intake.compose import compose
from pipeline.intake.draft import Draft, Line, Pair
from pipeline.intake.header import head
from pipeline.intake.labels import Label
from pipeline.intake.marks import FOLLOW_UP, Mark
from pipeline.records import Turn

_RULE = re.compile(r"[ \t]*(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|[=_]{3,})$")
_STYLES = {"#": "headings", ">": "quotes", "b": "bold lines", "n": "numbered lines"}


def as_labels(marks: Sequence[Mark]) -> dict[int, Label]:
    """The marks as question labels, for texts that label their answers only."""
    return {
        mark.at: Label("question", "", mark.number, "", mark.text, mark.style)
        if mark.text
        else Label("section", "", None, "", "", mark.style)
        for mark in marks
    }


def read_implied(lines: Sequence[Line], marks: Sequence[Mark]) -> Draft | None:
    """The draft: what stands under each question is its answer. None where nothing does."""
    ends = [*(mark.at for mark in marks[1:]), len(lines)]
    bodies = [lines[mark.at + 1 : end] for mark, end in zip(marks, ends, strict=True)]
    groups: list[list[tuple[Mark, Sequence[Line]]]] = []
    doubts = [f"no labels: {_STYLES[marks[0].style[:1]]} that ask were taken as questions"]
    for mark, body in zip(marks, bodies, strict=True):
        if not mark.text and groups and any(line.text.strip() for line in body):
            doubts.append(f"the section from line {lines[mark.at].number} on was left out")
        if mark.text and FOLLOW_UP.match(mark.text) and groups:
            groups[-1].append((mark, body))
        elif mark.text:
            groups.append([(mark, body)])
    pairs = tuple(_pair(group, lines) for group in groups)
    if not any((pair.answer or "").strip() for pair in pairs):
        return None
    doubts += [
        f"line {lines[mark.at].number} does not read as a question, but stands as one"
        for mark in marks
        if mark.text and not asks(FOLLOW_UP.sub("", mark.text))
    ]
    doubts += [
        f"the question at line {pair.line} has nothing under it; taken as an empty answer"
        for pair in pairs
        if not (pair.answer or "").strip()
    ]
    return Draft(
        pairs=pairs,
        fields=head([line.text for line in lines[: marks[0].at]]),
        warnings=tuple(doubts),
    )


def _pair(group: Sequence[tuple[Mark, Sequence[Line]]], lines: Sequence[Line]) -> Pair:
    turns: list[Turn] = []
    for mark, body in group:
        place = lines[mark.at].number
        kind = "question" if not turns else "follow_up"
        text = mark.text if kind == "question" else FOLLOW_UP.sub("", mark.text, count=1)
        answer = "\n".join(line.text.rstrip() for line in body if not _RULE.match(line.text))
        turns.append(Turn(kind=kind, text=text, line=place))
        turns.append(Turn(kind="answer", text=answer.strip(), line=place + 1))
    first = group[0][0]
    return compose(
        turns, number=first.number, line=lines[first.at].number, page=lines[first.at].page
    )
