"""Candidates as the unit: are they ranked as the raters rank them, and cut where they would be?"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from evals.bootstrap import Estimate, draw_weights, with_interval
from evals.figures import Setting
from evals.metrics import balanced_accuracy, kendall_tau_b
from evals.metrics.arrays import Floats


def candidate_means(items: pd.DataFrame, table: pd.DataFrame) -> pd.DataFrame:
    """Mean overall per interview by grader and reference over items that both scored.

    `table` has two columns, grader first. Index interview_id; column `cluster` as well.
    """
    both = table.notna().all(axis=1)
    grouped = table[both].groupby(items.loc[both, "interview_id"])
    means = grouped.mean()
    means["cluster"] = items[both].groupby("interview_id")["cluster"].first()
    return means


def ranking(means: pd.DataFrame, setting: Setting) -> Estimate:
    """Kendall's tau-b of the candidate means, with an interval over candidates."""
    a, b = (means.iloc[:, place].to_numpy(dtype="float64") for place in (0, 1))
    signs = [np.sign(np.subtract.outer(side, side)) for side in (a, b)]

    def draw(weights: Floats) -> Floats:
        together, first, second = (
            ((weights @ part) * weights).sum(axis=1)
            for part in (signs[0] * signs[1], abs(signs[0]), abs(signs[1]))
        )
        result: Floats = together / np.sqrt(first * second)
        return result

    return _estimate(kendall_tau_b(a, b), "the means do not vary", means, draw, setting)


def decisions(means: pd.DataFrame, cut: float, setting: Setting) -> Estimate:
    """Balanced accuracy of the grader's means at the cut, with an interval over candidates."""
    a, b = (means.iloc[:, place].to_numpy(dtype="float64") for place in (0, 1))
    above, passed = b >= cut, a >= cut

    def draw(weights: Floats) -> Floats:
        upper = weights[:, above & passed].sum(axis=1) / weights[:, above].sum(axis=1)
        lower = weights[:, ~above & ~passed].sum(axis=1) / weights[:, ~above].sum(axis=1)
        result: Floats = (upper + lower) / 2
        return result

    why = f"no candidate on one side of {cut:g} by the reference"
    return _estimate(balanced_accuracy(a, b, cut=cut), why, means, draw, setting)


def _estimate(
    value: float | None,
    undefined: str,
    means: pd.DataFrame,
    draw: Callable[[Floats], Floats],
    setting: Setting,
) -> Estimate:
    codes, names = pd.factorize(means["cluster"])
    why = ""
    if value is None:
        why = f"undefined: {undefined}" if len(means) > 1 else "fewer than 2 candidates"

    def drawn() -> Floats:
        return draw(draw_weights(len(names), setting.draws, setting.seed)[:, codes])

    return with_interval(value, why, drawn, n=len(means), clusters=len(names))
