"""Which question labels are questions, and which are text that only looks like one.

An answer may hold a line such as `问题2：数据倾斜`. A question that an answer label follows is
real. Of the others only those are real that look like the real ones and fit their numbering.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from pipeline.intake.labels import Label


def real_questions(labels: Mapping[int, Label]) -> tuple[list[int], list[int]]:
    """Line indices of the real questions, and of the look-alikes, in order."""
    asked = [at for at, label in labels.items() if label.kind == "question"]
    answered = [at for at in asked if _is_answered(at, labels)]
    if not answered:
        return asked, []
    styles = {labels[at].style for at in answered}
    words = {labels[at].word for at in answered}
    real: list[int] = []
    for at in asked:
        label = labels[at]
        alike = label.style in styles and label.word in words
        if at in answered or (alike and _in_sequence(at, real, answered, labels)):
            real.append(at)
    real = _without_foreign_style(real, labels)
    return real, [at for at in asked if at not in real]


def _is_answered(at: int, labels: Mapping[int, Label]) -> bool:
    """Whether an answer label comes before the next question label."""
    for other, label in labels.items():
        if other > at and label.kind == "question":
            return False
        if other > at and label.kind == "answer":
            return True
    return False


def _in_sequence(
    at: int, real: Sequence[int], answered: Sequence[int], labels: Mapping[int, Label]
) -> bool:
    number = labels[at].number
    before = labels[real[-1]].number if real else 0
    following = next((labels[other].number for other in answered if other > at), None)
    if number is None:
        return all(labels[other].number is None for other in answered)
    if not isinstance(number, int) or not isinstance(before, int):
        return False
    return number == before + 1 and number != following


def _without_foreign_style(real: list[int], labels: Mapping[int, Label]) -> list[int]:
    """In a text whose questions are headings or bold, a plain `Q:` line is no question."""
    counts = Counter(labels[at].style for at in real)
    main = max(counts, key=lambda style: (counts[style], style), default="")
    if not main or counts[main] < 2 or counts[main] * 2 <= len(real):
        return real
    return [at for at in real if labels[at].style]
