"""How many labels would settle a comparison."""

from __future__ import annotations

import math
from statistics import NormalDist

import pandas as pd

POWER = 0.8
LEVEL = 0.95


def power_note(row: pd.Series) -> str:
    """What this number of answers can show, and how many the difference found would take.

    `row` has difference, low, high, n. From the width of the interval, which shrinks with the
    square root of n; a rule of thumb, not a promise: the difference found is itself uncertain.
    """
    if pd.isna(row["low"]):
        return f"no power can be told: {row['why']}."
    z, z_power = NormalDist().inv_cdf((1 + LEVEL) / 2), NormalDist().inv_cdf(POWER)
    error = (row["high"] - row["low"]) / (2 * z)
    smallest = (z + z_power) * error
    text = f"{int(row['n'])} answers show a difference of {smallest:.2f} in {POWER:.0%} of cases"
    if error == 0:
        return "the runs do not differ on any answer."
    if row["difference"] == 0:
        return f"{text}; the one found is 0."
    needed = math.ceil(row["n"] * (smallest / row["difference"]) ** 2)
    return f"{text}; the one found, {row['difference']:+.3f}, would take about {needed:,}."
