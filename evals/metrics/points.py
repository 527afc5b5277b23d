"""Two raters on whole points of a scale."""

from __future__ import annotations

import numpy as np

from evals.metrics.arrays import Scale, Scores, complete_points


def quadratic_weighted_kappa(a: Scores, b: Scores, *, scale: Scale = (0, 5)) -> float | None:
    """Cohen's kappa with quadratic weights (Cohen 1968), -1 to 1.

    None for fewer than 2 pairs, and where both raters give one and the same point throughout: no
    disagreement could be expected then. If only one of them varies it is 0 at best.
    Raises ValueError for scores off the scale or between points.
    """
    first, second = complete_points(a, b, scale)
    if len(first) < 2:
        return None
    size = scale[1] - scale[0] + 1
    observed = np.zeros((size, size))
    np.add.at(observed, (first, second), 1)
    expected = np.outer(observed.sum(axis=1), observed.sum(axis=0)) / len(first)
    weights = np.subtract.outer(np.arange(size), np.arange(size)) ** 2
    by_chance = float((weights * expected).sum())
    if by_chance == 0:
        return None
    return 1 - float((weights * observed).sum()) / by_chance


def gwet_ac2(a: Scores, b: Scores, *, scale: Scale = (0, 5)) -> float | None:
    """Gwet's AC2 with quadratic weights over all points of the scale (Gwet 2008, 2014).

    Defined where kappa is not: two equal constants give 1. It flatters skewed scores, so never
    report it alone. None for fewer than 2 pairs. Raises ValueError as the kappa does.
    """
    first, second = complete_points(a, b, scale)
    if len(first) < 2:
        return None
    size = scale[1] - scale[0] + 1
    distance = np.subtract.outer(np.arange(size), np.arange(size)) / (size - 1)
    weights = 1 - distance**2
    agreed = float(weights[first, second].mean())
    share = np.bincount(np.concatenate([first, second]), minlength=size) / (2 * len(first))
    by_chance = weights.sum() / (size * (size - 1)) * float((share * (1 - share)).sum())
    return float((agreed - by_chance) / (1 - by_chance))


def exact_agreement(a: Scores, b: Scores, *, scale: Scale = (0, 5)) -> float | None:
    """Share of pairs on the same point; None without pairs."""
    first, second = complete_points(a, b, scale)
    return float((first == second).mean()) if len(first) else None


def adjacent_agreement(a: Scores, b: Scores, *, scale: Scale = (0, 5)) -> float | None:
    """Share of pairs at most one point apart, the equal ones included; None without pairs."""
    first, second = complete_points(a, b, scale)
    return float((abs(first - second) <= 1).mean()) if len(first) else None
