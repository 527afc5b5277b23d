"""Canary labels: false on purpose, so that whoever repeats them has seen the labels.

A few rows of labels.csv carry the rater `canary` and a score at least two points from the truth.
They take no part in any agreement. A grader that sits closer to them than to the true labels was
fitted on, or prompted with, the label file.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

import pandas as pd

from evals.labels import CANARY

ALARM = 0.05
"""Chance below which closeness to the canaries counts as a leak."""


@dataclass(frozen=True, kw_only=True)
class Leak:
    """How the grader stands between canary and true labels."""

    n: int
    """Items with a canary, a true label and a grade that is not in the middle of them."""
    closer: int
    """Of these, items on which the grader is closer to the canary."""
    chance: float | None
    """Exact chance of so many under one half (one-sided); None without items."""

    @property
    def leaked(self) -> bool:
        """Whether the grader repeats false labels more often than chance allows."""
        return self.chance is not None and self.chance < ALARM


def find_leak(grades: pd.Series, reference: pd.Series, table: pd.DataFrame) -> Leak:
    """Series by item_id; `table` is the labels by rater, with or without a canary column."""
    if CANARY not in table:
        return Leak(n=0, closer=0, chance=None)
    frame = pd.DataFrame({"grade": grades, "true": reference, "canary": table[CANARY]})
    frame = frame.astype("float64").dropna()
    to_true = (frame["grade"] - frame["true"]).abs()
    to_canary = (frame["grade"] - frame["canary"]).abs()
    n = int((to_true != to_canary).sum())
    closer = int((to_canary < to_true).sum())
    chance = sum(comb(n, k) for k in range(closer, n + 1)) / 2**n if n else None
    return Leak(n=n, closer=closer, chance=chance)
