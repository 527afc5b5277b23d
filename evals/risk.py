"""Risk and coverage: which share of the answers can be left to the grader without a person?

Answers are ordered by doubt, a number that needs no label: the priority in the review queue, from
what the grader itself or the checks around it noticed. The threshold is set on dev and has to hold
on test; a person reads what is above it, which is where `grader show RUN --queue` begins.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from evals.metrics import adjacent_agreement, mae, quadratic_weighted_kappa
from evals.metrics.arrays import Scale, half_up_points
from evals.thresholds import Check, at_least


def risk_coverage(
    doubt: pd.Series, grader: pd.Series, reference: pd.Series, *, scale: Scale
) -> pd.DataFrame:
    """One row per doubt that occurs: what holds if all answers up to it are left to the grader.

    Columns doubt, n, coverage (share of answers with a label), mae, adjacent, qwk; NaN is
    undefined. Answers of equal doubt stand or fall together.
    """
    frame = pd.DataFrame({"doubt": doubt, "grader": grader, "reference": reference}).dropna()
    rows = []
    for limit in sorted(frame["doubt"].unique()):
        kept = frame[frame["doubt"] <= limit]
        points, target = half_up_points(kept["grader"]), half_up_points(kept["reference"])
        rows.append(
            {
                "doubt": float(limit),
                "n": len(kept),
                "coverage": len(kept) / len(frame),
                "mae": mae(kept["grader"], kept["reference"]),
                "adjacent": adjacent_agreement(points, target, scale=scale),
                "qwk": quadratic_weighted_kappa(points, target, scale=scale),
            }
        )
    columns = ["doubt", "n", "coverage", "mae", "adjacent", "qwk"]
    return pd.DataFrame(rows, columns=columns).astype(dict.fromkeys(columns, "float64"))


def choose_doubt(curve: pd.DataFrame, *, adjacent: float, min_items: int = 50) -> float | None:
    """The greatest doubt up to which the share within one point reaches `adjacent`.

    None where no doubt reaches it on at least `min_items` answers: then a person looks at all.
    """
    kept = curve[(curve["adjacent"] >= adjacent) & (curve["n"] >= min_items)]
    return float(kept["doubt"].max()) if len(kept) else None


def doubt_check(curve: pd.DataFrame, limit: float, *, adjacent: float) -> Check:
    """Whether a doubt chosen on dev keeps its promise here: the share within one point up to it."""
    name = f"adjacent up to doubt {limit:g}"
    kept = curve[curve["doubt"] <= limit]
    if kept.empty:
        return at_least(name, None, adjacent, 0, "no labelled answer has so little doubt")
    last = kept.iloc[-1]
    return at_least(name, float(last["adjacent"]), adjacent, int(last["n"]))


def area_under(curve: pd.DataFrame) -> float | None:
    """Mean absolute error averaged over coverage (AURC): lower is better; None without a curve.

    A doubt that knows nothing gives the error over all answers.
    """
    if curve.empty:
        return None
    steps = np.diff(curve["coverage"].to_numpy(), prepend=0.0)
    return float((steps * curve["mae"].to_numpy()).sum())
