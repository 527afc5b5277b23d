"""Metrics as functions of sums over items: what makes a resample of clusters a matrix product.

Kappa, AC2, exact and adjacent use the scores rounded half up; the others the scores as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import numpy as np
import pandas as pd

from evals.metrics.arrays import Floats, Scale, Scores, as_floats, check_points, half_up_points

Formula: TypeAlias = Callable[[Floats, Scale], Floats]
"""Takes sums as (..., features) and gives one number per row, NaN where undefined."""


def cluster_sums(
    pairs: Sequence[tuple[Scores, Scores]], clusters: Scores, scale: Scale
) -> tuple[Floats, int]:
    """Sums per pair, cluster and feature, over the items complete in all pairs; and their n."""
    scores = [[as_floats(side) for side in pair] for pair in pairs]
    table = np.vstack([side for pair in scores for side in pair])
    kept = ~np.isnan(table).any(axis=0)
    codes, _ = pd.factorize(np.asarray(clusters, dtype=object)[kept])
    count = int(codes.max()) + 1 if len(codes) else 0
    sums = []
    for first, second in scores:
        features = _features(first[kept], second[kept], scale)
        columns = [np.bincount(codes, weights=column, minlength=count) for column in features]
        sums.append(np.array(columns).T)
    return np.array(sums), int(kept.sum())


def _features(a: Floats, b: Floats, scale: Scale) -> list[Floats]:
    """The columns whose sums all formulas are made of; their order is that of `_F`."""
    p, q = half_up_points(a), half_up_points(b)
    size = scale[1] - scale[0] + 1
    marks = [check_points(points, scale) for points in (p, q)]
    share = sum(np.eye(size)[mark] for mark in marks)
    gap = abs(p - q)
    same, near = (gap == 0).astype(float), (gap <= 1).astype(float)
    plain = [np.ones_like(a), a, b, a * a, b * b, a * b, abs(a - b)]
    return [*plain, p, q, p * p, q * q, p * q, same, near, *np.asarray(share).T]


N, A, B, AA, BB, AB, GAP, P, Q, PP, QQ, PQ, SAME, NEAR, SHARE = range(15)
"""Places of the features; from SHARE on one per point of the scale."""


def _concordance(n: Floats, x: Floats, y: Floats, xx: Floats, yy: Floats, xy: Floats) -> Floats:
    apart = n * xx - x * x + n * yy - y * y + (x - y) ** 2
    # What floats leave of zero is zero: constant scores have no concordance.
    apart = np.where(apart <= 1e-9 * np.maximum(n * (xx + yy), 1e-300), np.nan, apart)
    result: Floats = np.where(n < 2, np.nan, 2 * (n * xy - x * y) / apart)
    return result


def qwk_of_sums(t: Floats, scale: Scale) -> Floats:
    """Quadratic weighted kappa of rounded scores from sums."""
    return _concordance(*(t[..., place] for place in (N, P, Q, PP, QQ, PQ)))


def ccc_of_sums(t: Floats, scale: Scale) -> Floats:
    """Lin's concordance of unrounded scores from sums."""
    return _concordance(*(t[..., place] for place in (N, A, B, AA, BB, AB)))


def ac2_of_sums(t: Floats, scale: Scale) -> Floats:
    """Gwet's AC2 of rounded scores from sums."""
    size = scale[1] - scale[0] + 1
    n = t[..., N]
    apart = (t[..., PP] + t[..., QQ] - 2 * t[..., PQ]) / (size - 1) ** 2
    share = t[..., SHARE:] / (2 * n)[..., None]
    distance = np.subtract.outer(np.arange(size), np.arange(size)) / (size - 1)
    weight = (1 - distance**2).sum() / (size * (size - 1))
    by_chance = weight * (share * (1 - share)).sum(axis=-1)
    result: Floats = np.where(n < 2, np.nan, (1 - apart / n - by_chance) / (1 - by_chance))
    return result


def smd_of_sums(t: Floats, scale: Scale) -> Floats:
    """Standardised mean difference (by the spread of b) from sums."""
    n = t[..., N]
    variance = (t[..., BB] - t[..., B] ** 2 / n) / (n - 1)
    spread = np.sqrt(np.where(variance <= 1e-12, np.nan, variance))
    result: Floats = (t[..., A] - t[..., B]) / n / spread
    return result


def icc_of_sums(t: Floats, scale: Scale) -> Floats:
    """ICC(A,1) of two raters from sums."""
    n, a, b = t[..., N], t[..., A], t[..., B]
    squares, mean = t[..., AA] + t[..., BB], (a + b) / (2 * n)
    items = (squares + 2 * t[..., AB]) / 2 - 2 * n * mean**2
    raters = (a - b) ** 2 / (2 * n)
    rest = (squares - 2 * n * mean**2 - items - raters) / (n - 1)
    total = items / (n - 1) + rest + 2 / n * (raters - rest)
    nothing = items + raters + rest <= 1e-9 * np.maximum(squares, 1e-300)
    result: Floats = np.where(nothing | (n < 2), np.nan, (items / (n - 1) - rest) / total)
    return result


def _mean_of(place: int) -> Formula:
    return lambda t, scale: t[..., place] / t[..., N]


FORMULAS: Mapping[str, Formula] = {
    "qwk": qwk_of_sums,
    "ccc": ccc_of_sums,
    "ac2": ac2_of_sums,
    "icc": icc_of_sums,
    "mae": _mean_of(GAP),
    "bias": lambda t, scale: (t[..., A] - t[..., B]) / t[..., N],
    "smd": smd_of_sums,
    "exact": _mean_of(SAME),
    "adjacent": _mean_of(NEAR),
}
"""Metric by name, as a function of sums."""
