"""How the candidates of a run are spread: over the overall, and over coverage."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from pipeline.records import Language
from pipeline.report.phrases import say
from pipeline.report.tally import NOT_SCORED, NOTHING_ANSWERED
from pipeline.table.numbers import at_most, fixed

STEP, APART, GAP, HEIGHT = 22, 62, 14, 110
"""Widths of a column, of one that stands apart and of the gap before those; greatest height."""
MOST_STEPS = 20


@dataclass(frozen=True, kw_only=True)
class Column:
    """One column of a histogram."""

    left: int
    width: int
    height: str
    """In the drawing's units; "0" where nobody is in it."""
    label: str
    """What it stands for, in words."""
    count: int
    shown: str
    """The count in at most four characters; empty for none."""
    apart: bool
    """Whether it stands apart from the scale."""


@dataclass(frozen=True, kw_only=True)
class Histogram:
    """Candidates by overall."""

    title: str
    n: int
    """All candidates, those apart included."""
    columns: list[Column]
    ticks: list[tuple[int, str]]
    """Place and text of each whole point of the scale."""
    width: int
    scale_width: int


@dataclass(frozen=True, kw_only=True)
class Share:
    """One row of the coverage chart."""

    label: str
    count: int
    length: str
    """Per cent of the candidates."""


def histogram(
    title: str, counts: Mapping[Decimal | str, int], scale: tuple[int, int], language: Language
) -> Histogram:
    """Columns of half a point, or of more on a long scale; apart, who has no place on it."""
    low, high = scale
    width = Decimal("0.5")
    while (high - low) / width > MOST_STEPS:
        width *= 2
    steps = int((high - low) / width) + bool((high - low) % width)
    in_bin: Counter[int] = Counter()
    for value, count in counts.items():
        if isinstance(value, Decimal):
            in_bin[min(int((value - low) / width), steps - 1)] += count
    groups = ((NOTHING_ANSWERED, "apart_nothing"), (NOT_SCORED, "apart_no_score"))
    apart = [(say(language, key), counts[name]) for name, key in groups if counts.get(name)]
    most = max([*in_bin.values(), *(count for _, count in apart), 1])
    columns = []
    for place in range(steps):
        start, last = low + place * width, place == steps - 1
        end = Decimal(high) if last else low + (place + 1) * width - Decimal("0.1")
        label = say(language, "from_to", a=at_most(start, 1), b=at_most(end, 1))
        columns.append(_column(place * STEP, STEP, label, in_bin[place], most, apart=False))
    edge = steps * STEP
    for place, (label, count) in enumerate(apart):
        columns.append(_column(edge + GAP + place * APART, APART, label, count, most, apart=True))
    return Histogram(
        title=title,
        n=sum(counts.values()),
        columns=columns,
        ticks=_ticks(low, high, width),
        width=edge + (GAP + len(apart) * APART if apart else 0),
        scale_width=edge,
    )


def _column(left: int, width: int, label: str, count: int, most: int, *, apart: bool) -> Column:
    height = fixed(Decimal(count) / most * HEIGHT, 1) if count else "0"
    return Column(
        left=left,
        width=width,
        height=height,
        label=label,
        count=count,
        shown=_short(count),
        apart=apart,
    )


def _short(count: int) -> str:
    """In at most four characters, so that neighbours do not touch; the table has the figure."""
    if count < 1_000:
        return str(count) if count else ""
    return f"{at_most(Decimal(count) / 1000, 1)}k" if count < 10_000 else f"{count // 1000}k"


def _ticks(low: int, high: int, width: Decimal) -> list[tuple[int, str]]:
    every = max(1, (high - low) // 10)
    return [
        (int((point - low) / width * STEP), str(point)) for point in range(low, high + 1, every)
    ]


def coverage_rows(
    coverages: Mapping[Decimal, int], least: Decimal, language: Language
) -> list[Share]:
    """Candidates by share of answered questions, cut where a recommendation needs so many."""
    edges = sorted({Decimal(0), Decimal("0.5"), least, Decimal(1)})
    total = sum(coverages.values())
    rows = []
    for place in range(len(edges) - 1, -1, -1):
        start = edges[place]
        end = edges[place + 1] if place + 1 < len(edges) else None
        count = sum(
            number
            for share, number in coverages.items()
            if share >= start and (end is None or share < end)
        )
        length = fixed(Decimal(count) / total * 100, 1) if total else "0"
        rows.append(Share(label=_share_label(start, end, language), count=count, length=length))
    return rows


def _share_label(start: Decimal, end: Decimal | None, language: Language) -> str:
    if end is None:
        return say(language, "all_answered")
    if start == 0:
        return say(language, "share_under", b=at_most(end * 100, 0))
    return say(language, "share_between", a=at_most(start * 100, 0), b=at_most(end * 100, 0))
