"""Mean scores by criterion: the numbers behind the bars."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from pipeline.records import Language, Rubric
from pipeline.report.phrases import say
from pipeline.report.tally import Mean, Means
from pipeline.report.words import in_language
from pipeline.table.numbers import fixed

ROW_HEIGHT = 36
WIDTH = 300


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
    reference_value: str
    """That mean with one decimal; empty without one."""


def bars(rubric: Rubric, language: Language, means: Means, reference: Means) -> list[Bar]:
    """One bar per criterion of the rubric, in its order."""
    return [
        _bar(
            place * ROW_HEIGHT,
            in_language(criterion.names, language, criterion.key),
            means.get(criterion.key, Mean()).value,
            reference.get(criterion.key, Mean()).value,
            rubric.scale,
            language,
        )
        for place, criterion in enumerate(rubric.criteria)
    ]


def _bar(
    top: int,
    name: str,
    mean: Decimal | None,
    reference: Decimal | None,
    scale: tuple[int, int],
    language: Language,
) -> Bar:
    return Bar(
        top=top,
        name=shortened(name, 40),
        full_name=name,
        value=say(language, "no_score") if mean is None else fixed(mean, 1),
        length=_place(mean, scale),
        reference=_place(reference, scale),
        reference_value="" if reference is None else fixed(reference, 1),
    )


def _place(value: Decimal | None, scale: tuple[int, int]) -> str:
    if value is None:
        return ""
    low, high = scale
    return fixed((value - low) / (high - low) * WIDTH, 1)


def shortened(text: str, room: int) -> str:
    """`text` within `room` Latin widths; a wide character takes two."""
    widths = [2 if ord(letter) > 0x2E7F else 1 for letter in text]
    if sum(widths) <= room:
        return text
    kept = 0
    while sum(widths[: kept + 1]) < room:
        kept += 1
    return text[:kept].rstrip() + "…"
