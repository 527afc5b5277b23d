"""Labelled questions whose answers follow without a label of their own."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from pipeline.intake.draft import Line
from pipeline.intake.labels import Label

_SENTENCE_END = re.compile(r"[?？。.!！:：][\s\"'”’）)*_]*$")


def answers_follow(lines: Sequence[Line], labels: Mapping[int, Label]) -> dict[int, Label] | None:
    """The labels with an answer label put at the line after each question.

    None unless every question stands on its own line, ends like a sentence, and some text follows
    at least half of them: else a wrapped question would pass for an answer.
    """
    if {label.kind for label in labels.values()} - {"question", "comment", "section"}:
        return None
    asked = [at for at, label in labels.items() if label.kind == "question"]
    ends = [*sorted(labels)[1:], len(lines)]
    end_of = dict(zip(sorted(labels), ends, strict=True))
    put: dict[int, Label] = {}
    for at in asked:
        first = _question_end(lines, at, labels[at], end_of[at])
        if first is None:
            return None
        if any(line.text.strip() for line in lines[first : end_of[at]]):
            put[first] = Label("answer", "", None, "", lines[first].text, "")
    if not put or len(put) * 2 < len(asked):
        return None
    return dict(sorted({**labels, **put}.items()))


def _question_end(lines: Sequence[Line], at: int, label: Label, end: int) -> int | None:
    """The line after the question: its label's line, or the paragraph below a bare label."""
    last = at
    if not label.rest:
        last = next((n for n in range(at + 1, end) if lines[n].text.strip()), at)
    if last + 1 >= end:
        return end if last + 1 == end and end <= len(lines) else None
    own = label.rest or lines[last].text
    closed = bool(_SENTENCE_END.search(own)) or not lines[last + 1].text.strip()
    return last + 1 if closed else None
