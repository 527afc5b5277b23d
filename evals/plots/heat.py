"""Confusion heat map: how often each point of the grader meets each point of the reference."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from evals.metrics.arrays import Ints, Scale, half_up_points
from evals.plots.svg import box, drawing, text

CELL = 52
LEFT, TOP = 74, 46


def confusion(grader: pd.Series, reference: pd.Series, scale: Scale) -> Ints:
    """Counts of rounded points: row is the reference, column the grader; lowest point first."""
    both = pd.DataFrame({"grader": grader, "reference": reference}).dropna()
    size = scale[1] - scale[0] + 1
    counts = np.zeros((size, size), dtype=np.int64)
    rows, columns = (
        half_up_points(both[name]).astype(np.int64) - scale[0] for name in ("reference", "grader")
    )
    np.add.at(counts, (rows, columns), 1)
    return counts


def heat_map(counts: Ints, scale: Scale, reference: str) -> str:
    """The counts as a drawing; cells are shaded by share of their row."""
    size = len(counts)
    title = f"Grader's points against those of {reference}, {int(counts.sum())} answers"
    parts = [
        text(LEFT + size * CELL / 2, 16, "grader", "axis", "middle"),
        text(6, TOP + size * CELL / 2, reference, "axis"),
        *_cells(counts),
    ]
    for place in range(size):
        middle = place * CELL + CELL / 2
        point = str(scale[0] + place)
        parts.append(text(LEFT + middle, TOP - 8, point, "tick", "middle"))
        parts.append(text(LEFT - 10, TOP + middle + 5, point, "tick", "end"))
    return drawing(LEFT + size * CELL + 8, TOP + size * CELL + 8, title, parts)


def _cells(counts: Ints) -> Iterator[str]:
    totals = counts.sum(axis=1)
    for (row, column), count in np.ndenumerate(counts):
        x, y = LEFT + column * CELL, TOP + row * CELL
        share = count / totals[row] if totals[row] else 0.0
        yield box(x + 1, y + 1, CELL - 2, CELL - 2, "hit" if row == column else "miss", share)
        yield box(x + 1, y + 1, CELL - 2, CELL - 2, "frame", 0)
        if count:
            style = "count strong" if share > 0.55 else "count"
            yield text(x + CELL / 2, y + CELL / 2 + 5, str(count), style, "middle")
