"""Scores of changed answers against those of their bases -> one row per family."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from evals.bootstrap import DRAWS, draw_weights
from evals.interval import MIN_CLUSTERS, expanded_percentiles
from evals.labels import interview_of
from evals.metrics.arrays import Floats
from evals.probes.variants import Probe

TOLERANCE = 0.25
"""Mean shift that is let pass, in points and in standard deviations of the scores."""
WORST = 1.0
"""Shift of a single answer that counts as over tolerance: one whole point."""
FLAT = 0.3
"""Below this spread of its scores a grader is flat, and passes no probe."""
COLUMNS = (
    "family", "direction", "n", "mean_shift", "low", "high", "worst", "over_tolerance", "over",
    "shift_sd", "result", "why",
)  # fmt: skip


def judge_probes(
    probes: Sequence[Probe],
    scores: Mapping[str, float],
    *,
    draws: int = DRAWS,
    seed: int = 0,
) -> pd.DataFrame:
    """One row per family, as COLUMNS; `scores` is the overall by item id, absent where none.

    All answers count, also those that have no room to rise: leaving out what scored high would let
    the rest rise by itself, since part of a low score is bad luck.

    `mean_shift` is changed less base in points, `worst` the largest in the wrong direction,
    `over_tolerance` the share over .25, `over` that at a whole point or more, `shift_sd` the mean
    shift in standard deviations of the base scores, good answers among them. `result` is pass,
    fail, or invalid: a grader whose scores have a standard deviation under .3 shows nothing by
    staying where it is.
    """
    frame = _shifts(probes, scores)
    bases = frame.drop_duplicates("base")["base_score"]
    better = frame[frame["direction"] == "higher"]
    spread = pd.concat([bases, better["base_score"] + better["shift"]]).std(ddof=1)
    rows = [
        {"family": family, **_judge(part, float(spread), draws, seed)}
        for family, part in frame.groupby("family", sort=False)
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _shifts(probes: Sequence[Probe], scores: Mapping[str, float]) -> pd.DataFrame:
    """One row per probe of which both sides have a score."""
    rows = [
        {
            "family": probe.family,
            "direction": probe.direction,
            "base": probe.base.item_id,
            "cluster": interview_of(probe.base.item_id).partition("~")[0],
            "base_score": scores[probe.base.item_id],
            "shift": scores[probe.changed.item_id] - scores[probe.base.item_id],
        }
        for probe in probes
        if probe.base.item_id in scores and probe.changed.item_id in scores
    ]
    names = ["family", "direction", "base", "cluster", "base_score", "shift"]
    return pd.DataFrame(rows, columns=names)


def _judge(part: pd.DataFrame, spread: float, draws: int, seed: int) -> dict[str, object]:
    shift = part["shift"].to_numpy(dtype="float64")
    direction = str(part["direction"].iloc[0])
    wrong = {"same": abs(shift), "not higher": shift, "higher": -shift}[direction]
    mean = float(shift.mean())
    low, high, why = _interval(shift, part["cluster"], draws, seed)
    result = _result(mean, low, high, direction, spread)
    flat = not spread >= FLAT
    if flat:
        why = f"the grader is flat: its scores have a standard deviation of {spread:.2f}"
    return {
        "direction": direction,
        "n": len(part),
        "mean_shift": mean,
        "low": low,
        "high": high,
        "worst": float(wrong.max()),
        "over_tolerance": float((wrong > TOLERANCE).mean()),
        "over": float((wrong >= WORST).mean()),
        "shift_sd": None if flat else mean / spread,
        "result": "invalid" if flat else result,
        "why": why,
    }


def _result(
    mean: float, low: float | None, high: float | None, direction: str, spread: float
) -> str:
    """Fails where the mean shift is over tolerance and its interval, if any, leaves 0 out."""
    if direction == "higher":
        return "pass" if mean > TOLERANCE else "fail"
    most = TOLERANCE * min(1.0, spread)
    over = mean > most or (direction == "same" and mean < -most)
    sure = low is None or high is None or low > 0 or high < 0
    return "fail" if over and sure else "pass"


def _interval(
    shift: Floats, clusters: pd.Series, draws: int, seed: int
) -> tuple[float | None, float | None, str]:
    codes, names = pd.factorize(clusters)
    if len(names) < MIN_CLUSTERS:
        return None, None, f"insufficient clusters ({len(names)} < {MIN_CLUSTERS})"
    sums = np.bincount(codes, weights=shift)
    counts = np.bincount(codes)
    weights = draw_weights(len(names), draws, seed)
    return expanded_percentiles((weights @ sums) / (weights @ counts), len(names))
