"""Monotone curves of few parameters: from a grader's raw score to the score that labels expect."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from evals.metrics.arrays import Floats

BINS = 5
"""At most so many levels, so that some dozens of labels can carry the curve."""
MIN_PER_BIN = 8
"""Fewer answers than this share a level with their neighbours."""
Curve: TypeAlias = tuple[tuple[float, float], ...]
"""Raw score and calibrated score, both rising; linear between, level outside."""


def fit_curve(raw: Floats, labels: Floats) -> Curve | None:
    """Isotonic regression of the labels on bins of the raw score; None with too few answers.

    Bins of equal size, answers of one raw score never apart. Raises nothing: NaN are left out.
    """
    known = ~(np.isnan(raw) | np.isnan(labels))
    raw, labels = raw[known], labels[known]
    if len(raw) < 2 * MIN_PER_BIN or np.ptp(raw) == 0:
        return None
    edges = np.unique(np.quantile(raw, np.linspace(0, 1, _bins(len(raw)) + 1)[1:-1]))
    codes = np.searchsorted(edges, raw, side="left")
    bins = [codes == code for code in np.unique(codes)]
    centres = np.array([raw[part].mean() for part in bins])
    means = np.array([labels[part].mean() for part in bins])
    sizes = np.array([part.sum() for part in bins], dtype=float)
    levels = pool_adjacent(means, sizes)
    return tuple(
        (round(float(x), 4), round(float(y), 4)) for x, y in zip(centres, levels, strict=True)
    )


def _bins(n: int) -> int:
    return max(2, min(BINS, n // MIN_PER_BIN))


def pool_adjacent(values: Floats, weights: Floats) -> Floats:
    """The closest sequence that never falls (pool adjacent violators; Barlow et al. 1972)."""
    blocks: list[tuple[float, float, int]] = []
    for value, weight in zip(values, weights, strict=True):
        blocks.append((float(value), float(weight), 1))
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            (v1, w1, n1), (v2, w2, n2) = blocks[-2:]
            blocks[-2:] = [((v1 * w1 + v2 * w2) / (w1 + w2), w1 + w2, n1 + n2)]
    return np.repeat([value for value, _, _ in blocks], [count for _, _, count in blocks])


def apply_curve(curve: Curve, raw: Floats) -> Floats:
    """Calibrated scores; NaN stays NaN."""
    points = np.array(curve)
    result: Floats = np.interp(raw, points[:, 0], points[:, 1])
    return np.where(np.isnan(raw), np.nan, result)
