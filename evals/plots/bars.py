"""How often each point is given, by rater."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from evals.metrics.arrays import Scale, half_up_points
from evals.plots.svg import box, drawing, text

HEIGHT, LEFT, TOP, BAR = 150, 12, 26, 16


def bar_chart(raters: Sequence[tuple[str, pd.Series]], scale: Scale) -> str:
    """Shares of the rounded points, a group of bars per point, a bar per rater."""
    points = range(scale[0], scale[1] + 1)
    shares = [_shares(scores, points) for _, scores in raters]
    group = BAR * len(raters) + 18
    top = max((share for column in shares for share in column), default=0) or 1
    parts = []
    for place, point in enumerate(points):
        left = LEFT + place * group
        for number, column in enumerate(shares):
            height = column[place] / top * HEIGHT
            x = left + number * BAR
            parts.append(box(x, TOP + HEIGHT - height, BAR - 3, height, f"bar s{number % 4}"))
        middle = left + BAR * len(raters) / 2
        parts.append(text(middle, TOP + HEIGHT + 18, str(point), "tick", "middle"))
    for number, (name, _) in enumerate(raters):
        x = LEFT + number * 130
        parts.append(box(x, TOP + HEIGHT + 30, 12, 12, f"bar s{number % 4}"))
        parts.append(text(x + 18, TOP + HEIGHT + 41, name, "tick"))
    width = max(LEFT * 2 + group * len(points), LEFT + 130 * len(raters))
    title = f"Share of each point by {', '.join(name for name, _ in raters)}; highest {top:.0%}"
    return drawing(width, TOP + HEIGHT + 50, title, parts)


def _shares(scores: pd.Series, points: range) -> list[float]:
    rounded = pd.Series(half_up_points(scores)).dropna()
    return [float((rounded == point).mean()) if len(rounded) else 0.0 for point in points]
