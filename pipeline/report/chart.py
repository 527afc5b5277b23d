"""Mean scores by criterion: the numbers behind the bars."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from pipeline.records import COUNTED, Language, Outcome, Rubric
from pipeline.report.words import in_language
from pipeline.table.numbers import fixed

ROW_HEIGHT = 36
WIDTH = 300

Scores = Mapping[str, Sequence[Decimal]]
"""The scores of one interview, or of all, by criterion key."""


@dataclass(frozen=True, kw_only=True)
class Bar:
    """One criterion of one chart."""

    top: int
    """Place of the row in the chart."""
    name: str
    """Name of the criterion, as long as the row allows."""
    full_name: str
    """The whole name."""
    value: str
    """The mean with one decimal, or that there is none."""
    length: str
    """Length of the bar; empty without a mean."""
    reference: str
    """Place of the mean over all candidates; empty without one."""


def scores_by_interview(outcomes: Iterable[Outcome]) -> Mapping[str, Scores]:
    """All scores that count, by interview and criterion."""
    found: dict[str, dict[str, list[Decimal]]] = defaultdict(lambda: defaultdict(list))
    for outcome in outcomes:
        if outcome.grade is None or outcome.status not in COUNTED:
            continue
        for part in outcome.grade.criteria:
            if part.score is not None:
                found[outcome.interview_id][part.key].append(part.score)
    return found


def pooled(by_interview: Mapping[str, Scores]) -> Scores:
    """The scores of all interviews together, for the reference marks."""
    found: dict[str, list[Decimal]] = defaultdict(list)
    for scores in by_interview.values():
        for key, values in scores.items():
            found[key].extend(values)
    return found


def bars(rubric: Rubric, language: Language, scores: Scores, reference: Scores) -> list[Bar]:
    """One bar per criterion of the rubric, in its order."""
    return [
        _bar(
            place * ROW_HEIGHT,
            in_language(criterion.names, language, criterion.key),
            _mean(scores.get(criterion.key, ())),
            _mean(reference.get(criterion.key, ())),
            rubric.scale,
        )
        for place, criterion in enumerate(rubric.criteria)
    ]


def _bar(
    top: int, name: str, mean: Decimal | None, reference: Decimal | None, scale: tuple[int, int]
) -> Bar:
    return Bar(
        top=top,
        name=_shortened(name),
        full_name=name,
        value="no score" if mean is None else fixed(mean, 1),
        length=_place(mean, scale),
        reference=_place(reference, scale),
    )


def _mean(values: Sequence[Decimal]) -> Decimal | None:
    return sum(values, Decimal(0)) / len(values) if values else None


def _place(value: Decimal | None, scale: tuple[int, int]) -> str:
    if value is None:
        return ""
    low, high = scale
    return fixed((value - low) / (high - low) * WIDTH, 1)


def _shortened(name: str, room: int = 40) -> str:
    """`name` within `room` Latin widths; a wide character takes two."""
    widths = [2 if ord(letter) > 0x2E7F else 1 for letter in name]
    if sum(widths) <= room:
        return name
    kept = 0
    while sum(widths[: kept + 1]) < room:
        kept += 1
    return name[:kept] + "…"
