"""Raters on a continuous scale: level, spread and concordance."""

from __future__ import annotations

import numpy as np

from evals.metrics.arrays import Scores, complete


def lins_ccc(a: Scores, b: Scores) -> float | None:
    """Lin's concordance correlation (Lin 1989) with moments over n, -1 to 1.

    On whole points it equals the quadratic weighted kappa. None for fewer than 2 pairs, and where
    both raters are constant at the same value.
    """
    first, second = complete(a, b)
    if len(first) < 2:
        return None
    apart = float(first.var() + second.var() + (first.mean() - second.mean()) ** 2)
    together = float(((first - first.mean()) * (second - second.mean())).mean())
    return 2 * together / apart if _is_spread(apart, first, second) else None


def mae(a: Scores, b: Scores) -> float | None:
    """Mean absolute difference in points; None without pairs."""
    first, second = complete(a, b)
    return float(abs(first - second).mean()) if len(first) else None


def bias(a: Scores, b: Scores) -> float | None:
    """Mean of a - b in points: positive where a is more lenient; None without pairs."""
    first, second = complete(a, b)
    return float((first - second).mean()) if len(first) else None


def smd(a: Scores, b: Scores) -> float | None:
    """Standardised mean difference: (mean a - mean b) / standard deviation of b (over n - 1).

    The unpooled variant, as RSMTool since version 7: it does not move with the spread of a.
    None for fewer than 2 pairs and where b is constant.
    """
    first, second = complete(a, b)
    if len(first) < 2 or np.ptp(second) == 0:
        return None
    return float((first.mean() - second.mean()) / second.std(ddof=1))


def icc_a1(*raters: Scores) -> float | None:
    """ICC(A,1): two-way, absolute agreement, single rater (McGraw & Wong 1996).

    The value of ICC(2,1) of Shrout & Fleiss (1979). Items that a rater left out are dropped. None
    for fewer than 2 raters or 2 complete items, and where all scores are equal.
    """
    table = np.vstack(complete(*raters)).T if len(raters) > 1 else np.empty((0, 0))
    n, k = table.shape
    if n < 2 or k < 2 or np.ptp(table) == 0:
        return None
    centred = table - table.mean()
    rows, columns = centred.mean(axis=1), centred.mean(axis=0)
    between_items = k * float(rows @ rows) / (n - 1)
    between_raters = n * float(columns @ columns) / (k - 1)
    rest = centred - rows[:, None] - columns[None, :]
    error = float((rest**2).sum()) / ((n - 1) * (k - 1))
    total = between_items + (k - 1) * error + k / n * (between_raters - error)
    return float((between_items - error) / total)


def prmse(grader: Scores, a: Scores, b: Scores) -> float | None:
    """Share of the variance of true scores that the grader explains (Loukina et al. 2020).

    True scores are what two exchangeable raters a and b share; their noise is taken out, so a
    perfect grader reaches 1 although the raters disagree. Can fall below 0. None for fewer than 3
    complete items, and where the raters' disagreement leaves no variance of true scores.
    """
    scores, first, second = complete(grader, a, b)
    if len(scores) < 3:
        return None
    mean = (first + second) / 2
    noise_of_mean = float(((first - second) ** 2).mean()) / 4
    true_variance = float(mean.var(ddof=1)) - noise_of_mean
    if true_variance <= 1e-12:
        return None
    return 1 - (float(((scores - mean) ** 2).mean()) - noise_of_mean) / true_variance


def _is_spread(apart: float, *raters: np.ndarray) -> bool:
    """Whether `apart` is more than what rounding of floats leaves of zero."""
    size = max(float(abs(scores).max()) for scores in raters)
    return apart > 1e-24 * max(size, 1.0) ** 2
