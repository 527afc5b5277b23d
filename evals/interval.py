"""From bootstrap draws to the ends of an interval."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np

from evals.metrics.arrays import Floats

MIN_CLUSTERS = 20
"""Fewer candidates cannot carry an interval."""
MAX_UNDEFINED = 0.05
"""Share of draws that may be undefined before there is no interval."""


def expanded_percentiles(
    values: Floats, clusters: int, *, level: float = 0.95
) -> tuple[float | None, float | None, str]:
    """Low and high end, and why they are missing. `values` are draws, undefined ones NaN.

    Percentiles moved outwards for the number of clusters (Hesterberg 2015): plain ones are too
    narrow by the factor that turns z into t and n - 1 into n, which shows below 100 clusters.
    """
    defined = values[~np.isnan(values)]
    undefined = 1 - len(defined) / len(values)
    if undefined > MAX_UNDEFINED:
        return None, None, f"undefined in {undefined:.0%} of the draws"
    z = NormalDist().inv_cdf((1 + level) / 2)
    stretched = student_quantile(z, clusters - 1) * math.sqrt(clusters / (clusters - 1))
    tail = NormalDist().cdf(-stretched)
    low, high = np.quantile(defined, [tail, 1 - tail])
    return float(low), float(high), ""


def student_quantile(z: float, freedom: int) -> float:
    """The quantile of Student's t that belongs to the normal quantile z.

    Cornish-Fisher expansion (Abramowitz & Stegun 26.7.5): right to 0.001 from 10 degrees on.
    """
    first = (z**3 + z) / 4
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    return z + first / freedom + second / freedom**2 + third / freedom**3
