"""Figures with their intervals: one row each, dots on a common axis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evals.plots.svg import dot, drawing, line, text

ROW, LEFT, WIDTH, TOP = 42, 170, 380, 34


@dataclass(frozen=True, kw_only=True)
class Mark:
    """One figure of one row."""

    row: str
    """Name of the row; marks of one row share it."""
    series: str
    """a or b: how the dot is drawn."""
    value: float | None
    low: float | None = None
    high: float | None = None


def dot_chart(
    marks: Sequence[Mark], title: str, axis: tuple[float, float], ticks: Sequence[float]
) -> str:
    """Rows from top to bottom as they come; undefined figures are said to be so."""
    rows = list(dict.fromkeys(mark.row for mark in marks))
    bottom = TOP + ROW * len(rows)
    parts = [text(LEFT - 14, TOP + ROW * n + 25, row, "tick", "end") for n, row in enumerate(rows)]
    for tick in ticks:
        x = _place(tick, axis)
        parts.append(line(x, TOP, x, bottom, "zero" if tick == 0 else "grid"))
        parts.append(text(x, TOP - 8, f"{tick:g}", "tick", "middle"))
    for mark in marks:
        y = TOP + ROW * rows.index(mark.row) + (13 if mark.series == "a" else 29)
        parts += _mark(mark, y, axis)
    return drawing(LEFT + WIDTH + 80, bottom + 8, title, parts)


def _mark(mark: Mark, y: float, axis: tuple[float, float]) -> list[str]:
    if mark.value is None:
        return [text(LEFT + WIDTH + 12, y + 4, "undefined", "tick")]
    parts = []
    if mark.low is not None and mark.high is not None:
        ends = _place(mark.low, axis), _place(mark.high, axis)
        parts.append(line(ends[0], y, ends[1], y, f"whisker {mark.series}"))
    parts.append(dot(_place(mark.value, axis), y, f"dot {mark.series}", 4.5))
    parts.append(text(LEFT + WIDTH + 12, y + 4, f"{mark.value:.2f}", "tick"))
    return parts


def _place(value: float, axis: tuple[float, float]) -> float:
    low, high = axis
    within = min(max(value, low), high)
    return LEFT + (within - low) / (high - low) * WIDTH
