"""Two or more raters, some of whom left items out."""

from __future__ import annotations

import numpy as np

from evals.metrics.arrays import Floats, Scale, Scores, as_floats, check_points


def krippendorff_alpha(*raters: Scores, scale: Scale = (0, 5)) -> float | None:
    """Krippendorff's alpha for ordinal scores (Krippendorff 2011), at most 1.

    Each rater is one sequence over the same items; missing scores are allowed, and an item with
    fewer than two scores does not count. None where no item has two, and where all scores that
    count are equal. Raises ValueError for scores off the scale or between points.
    """
    table = np.vstack([as_floats(scores) for scores in raters])
    pairs = _coincidences(table, scale)
    counts = pairs.sum(axis=1)
    total = counts.sum()
    distances = _ordinal_distances(counts)
    by_chance = float((np.outer(counts, counts) * distances).sum())
    if total == 0 or by_chance == 0:
        return None
    return 1 - float((total - 1) * (pairs * distances).sum()) / by_chance


def _coincidences(table: Floats, scale: Scale) -> Floats:
    """How often each two points meet in an item, over ordered pairs of its raters."""
    size = scale[1] - scale[0] + 1
    counts = np.zeros((table.shape[1], size))
    for row in table:
        given = ~np.isnan(row)
        counts[np.flatnonzero(given), check_points(row[given], scale)] += 1
    raters = counts.sum(axis=1)
    counts, raters = counts[raters > 1], raters[raters > 1]
    weighted = counts / (raters - 1)[:, None]
    pairs: Floats = weighted.T @ counts
    pairs[np.diag_indices(size)] -= weighted.sum(axis=0)
    return pairs


def _ordinal_distances(counts: Floats) -> Floats:
    """Squared number of scores that lie between two points, each end counted half."""
    middle = np.cumsum(counts) - counts / 2
    distances: Floats = np.subtract.outer(middle, middle) ** 2
    return distances
