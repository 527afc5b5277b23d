"""Risk and coverage: mean absolute error by share of answers left to the grader."""

from __future__ import annotations

import pandas as pd

from evals.plots.svg import dot, drawing, line, path, text

LEFT, TOP, WIDTH, HEIGHT = 52, 20, 400, 170


def curve_chart(curve: pd.DataFrame) -> str:
    """`curve` as `risk_coverage` gives it."""
    highest = max(float(curve["mae"].max()), 0.5) if len(curve) else 1.0
    points = [
        (LEFT + row["coverage"] * WIDTH, TOP + HEIGHT - row["mae"] / highest * HEIGHT)
        for _, row in curve.iterrows()
    ]
    parts = [
        line(LEFT, TOP + HEIGHT, LEFT + WIDTH, TOP + HEIGHT, "zero"),
        line(LEFT, TOP, LEFT, TOP + HEIGHT, "grid"),
        text(LEFT - 8, TOP + 5, f"{highest:.2f}", "tick", "end"),
        text(LEFT - 8, TOP + HEIGHT, "0", "tick", "end"),
        text(LEFT + WIDTH, TOP + HEIGHT + 18, "all answers", "tick", "end"),
        text(LEFT, TOP + HEIGHT + 18, "none", "tick"),
        path(points, "curve"),
        *(dot(x, y, "dot a", 4) for x, y in points),
    ]
    title = "Mean absolute error by share of answers left to the grader, least doubtful first"
    return drawing(LEFT + WIDTH + 20, TOP + HEIGHT + 30, title, parts)
