"""Comments of the interviewer in a labelled text, and whether they may be text of an answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from pipeline.intake.draft import Pair
from pipeline.intake.segments import Segment

Group = Sequence[Segment]


def remark_of(group: Group) -> str | None:
    """All comments under one question."""
    texts = ["\n".join(one.texts).strip() for one in _comments(group)]
    return "\n\n".join(text for text in texts if text) or None


def with_comment(pair: Pair, remark: str | None) -> Pair:
    """The pair with its comment."""
    return pair if remark is None else replace(pair, comment=remark)


def remark_doubts(groups: Sequence[Group]) -> list[str]:
    """Comments that a candidate may have written: a label in an answer would hide what follows."""
    return [*_repeated(groups), *_scattered(groups), *_running_on(groups)]


def _comments(group: Group) -> list[Segment]:
    return [one for one in group if one.kind == "comment"]


def _repeated(groups: Sequence[Group]) -> list[str]:
    """One label twice under a question; the last may have its own comment and the closing one."""
    closing = all(map(_comments, groups)) and len(groups) > 1
    doubts = []
    for at, group in enumerate(groups):
        allowed = 1 + (closing and at == len(groups) - 1)
        words = Counter(one.label.word for one in _comments(group))
        if max(words.values(), default=0) > allowed:
            doubts.append(
                f"the question at line {group[0].line.number} has several comments; an earlier one "
                "may be text of the answer"
            )
    return doubts


def _scattered(groups: Sequence[Group]) -> list[str]:
    """Comments under few of the questions, the last one aside."""
    inner = [group for group in groups[:-1] if _comments(group)]
    few = len(inner) * 2 < len(groups) if _comments(groups[-1]) else len(inner) * 2 <= len(groups)
    return [
        f"line {one.line.number}: a comment under one of few questions was kept out of the answer"
        for group in inner
        for one in _comments(group)
        if few
    ]


def _running_on(groups: Sequence[Group]) -> list[str]:
    """A comment that starts behind its label and goes on below, where the others do not."""
    inner = [one for group in groups[:-1] for one in _after_answers(group)]
    long = [one for one in inner if one.label.rest and any(map(str.strip, one.texts[1:]))]
    if len(inner) > 1 and len(long) * 2 > len(inner):
        return []
    return [
        f"line {one.line.number}: the lines below a comment were taken as part of it, not of the "
        "answer above"
        for one in long
    ]


def _after_answers(group: Group) -> list[Segment]:
    return [
        one
        for before, one in pairwise(group)
        if one.kind == "comment" and before.kind in {"answer", "comment"}
    ]
