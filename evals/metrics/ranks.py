"""Order and decisions: what matters when candidates are compared or cut off."""

from __future__ import annotations

import math

import numpy as np

from evals.metrics.arrays import Scores, complete


def kendall_tau_b(a: Scores, b: Scores) -> float | None:
    """Rank correlation with ties (Kendall 1945), -1 to 1.

    None for fewer than 2 pairs and where either side is constant.
    """
    first, second = complete(a, b)
    if len(first) < 2 or np.ptp(first) == 0 or np.ptp(second) == 0:
        return None
    concordant = apart_first = apart_second = 0.0
    # Row by row: all pairs at once would take n x n memory.
    for place in range(1, len(first)):
        signs_first = np.sign(first[:place] - first[place])
        signs_second = np.sign(second[:place] - second[place])
        concordant += float(signs_first @ signs_second)
        apart_first += float(abs(signs_first).sum())
        apart_second += float(abs(signs_second).sum())
    return concordant / math.sqrt(apart_first * apart_second)


def balanced_accuracy(a: Scores, b: Scores, *, cut: float) -> float | None:
    """Mean of the shares that a puts on b's side of the cut, above (>= cut) and below.

    None where b has nobody on one of the sides.
    """
    first, second = complete(a, b)
    above = second >= cut
    if above.all() or not above.any():
        return None
    passed = first >= cut
    return float((passed[above].mean() + (~passed[~above]).mean()) / 2)
