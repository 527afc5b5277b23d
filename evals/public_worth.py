"""A scorer on public sets with human scores: every answer by lines that never saw its question.

Each set is fitted by itself, as a user would fit labels of their own; then the sets are pooled.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from evals.baselines import fit_left_out, length_feature, overlap_feature
from evals.bootstrap import Estimate, bootstrap, bootstrap_difference
from evals.fit_features import plain_features
from evals.metrics.arrays import Floats, half_up_points
from evals.public_answers import TOP
from evals.ridge import left_out_scores
from pipeline.answer_features import FEATURES

SCORER = "scorer"
SHIPPED = "as it came"
WAYS = (
    SCORER, "states alone", "scorer without length", "plain features alone",
    "length", "tf-idf", "length + tf-idf",
)  # fmt: skip
"""A scorer has the states and the plain features; the last three are the baselines. Beside them
may stand `SHIPPED`, the scorer that comes with the program, fitted to other labels."""
SCALE = (0, TOP)


def left_out_points(items: pd.DataFrame, states: Floats) -> pd.DataFrame:
    """A column of points for each way of scoring; index as `items`, `states` in their order."""
    table = pd.DataFrame(index=items.index, columns=list(WAYS), dtype="float64")
    for name in items["set"].unique():
        rows = np.flatnonzero(items["set"] == name)
        table.iloc[rows] = _points_of_set(items.iloc[rows], states[rows])
    return table


def _points_of_set(items: pd.DataFrame, states: Floats) -> Floats:
    """answers x ways."""
    labels, clusters = items["points"].to_numpy(dtype="float64"), items["cluster"].to_numpy()
    plain = plain_features(items, items["read"])
    unlike_length = np.delete(plain, FEATURES.index("length"), axis=1)

    def fitted(columns: Floats, own: int) -> Floats:
        spoken = ["any"] * len(items)
        return left_out_scores(columns, spoken, labels[:, None], clusters, own)[:, 0]

    both = np.stack([length_feature(items), overlap_feature(items)], axis=1)
    found = (
        fitted(np.hstack([states, plain]), plain.shape[1]),
        fitted(states, 0),
        fitted(np.hstack([states, unlike_length]), unlike_length.shape[1]),
        fitted(plain, 0),
        *(
            fit_left_out(columns, labels, clusters, SCALE)
            for columns in (both[:, :1], both[:, 1:], both)
        ),
    )
    points: Floats = np.clip(np.stack(found, axis=1), *SCALE)
    return points


def kappas(items: pd.DataFrame, points: pd.DataFrame, draws: int, seed: int) -> dict[str, Estimate]:
    """QWK with the published score by way of scoring, intervals by question."""
    return {
        str(name): bootstrap(
            half_up_points(points[name]), half_up_points(items["points"]), items["cluster"],
            scale=SCALE, draws=draws, seed=seed,
        )["qwk"]
        for name in points
    }  # fmt: skip


def gains(items: pd.DataFrame, points: pd.DataFrame, draws: int, seed: int) -> dict[str, Estimate]:
    """QWK of the scorer less that of every other way, intervals by question."""
    return {
        str(name): bootstrap_difference(
            half_up_points(points[SCORER]), half_up_points(points[name]),
            half_up_points(items["points"]), items["cluster"],
            scale=SCALE, draws=draws, seed=seed,
        )["qwk"]
        for name in points if name != SCORER
    }  # fmt: skip


def length_held(items: pd.DataFrame, points: pd.Series) -> Mapping[str, float]:
    """Rank correlations within sets, as `evals.fit_worth.length_table` has them for one corpus."""
    ranked = (
        pd.DataFrame(
            {"score": points, "length": items["answer"].str.len(), "label": items["points"]}
        )
        .groupby(items["set"])
        .rank(pct=True)
    )
    centred = ranked - ranked.groupby(items["set"]).transform("mean")
    r = centred[["score", "length", "label"]].corr().to_numpy()
    score, label, both = float(r[0, 1]), float(r[2, 1]), float(r[0, 2])
    held = (both - score * label) / ((1 - score**2) * (1 - label**2)) ** 0.5
    return {
        "score with label": both,
        "score with length": score,
        "label with length": label,
        "score with label, length held": held,
    }
