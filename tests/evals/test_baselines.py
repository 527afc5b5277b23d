"""Baselines: never a weight below 0, nobody scored by a line that saw them, both beat either."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from evals.baselines import baseline_scores, fit_left_out, rising_weights, standardised
from evals.labels import BASELINES
from evals.metrics import quadratic_weighted_kappa
from evals.metrics.arrays import half_up_points


def kappa(scores: np.ndarray, labels: np.ndarray) -> float:
    return quadratic_weighted_kappa(half_up_points(scores), half_up_points(labels)) or 0.0


@pytest.mark.parametrize("seed", range(12))
def test_weights_are_those_of_a_ridge_that_may_not_fall(seed: int) -> None:
    linear = pytest.importorskip("sklearn.linear_model")
    rng = np.random.default_rng(seed)
    a, b = rng.uniform(-1, 1, 2)
    features = standardised(rng.normal(0, 1, (40, 2)), np.ones(40, dtype=bool))
    labels = a * features[:, 0] + b * features[:, 1] + rng.normal(0, 0.3, 40)
    theirs = linear.Ridge(alpha=1.0, positive=True, tol=1e-10).fit(features, labels).coef_
    mine = rising_weights(features, labels)
    if theirs.max() > 1e-6:
        assert mine == pytest.approx(theirs, abs=1e-4)
    else:
        assert mine.min() > 0


def test_both_together_beat_either_where_both_say_something() -> None:
    rng = np.random.default_rng(1)
    features = rng.normal(0, 1, (400, 2))
    labels = np.clip(2.5 + features.sum(axis=1) + rng.normal(0, 0.5, 400), 0, 5)
    clusters = np.repeat(np.arange(100), 4)
    both = kappa(fit_left_out(features, labels, clusters, (0, 5)), labels)
    singles = [
        kappa(fit_left_out(features[:, [place]], labels, clusters, (0, 5)), labels)
        for place in (0, 1)
    ]
    assert both > max(singles) + 0.15


def test_a_cluster_has_no_part_in_its_own_line() -> None:
    """Changing the labels of one candidate changes nothing about their own baseline scores."""
    rng = np.random.default_rng(2)
    features, labels = rng.normal(0, 1, (60, 2)), rng.integers(0, 6, 60).astype(float)
    clusters = np.repeat(np.arange(20), 3)
    other = labels.copy()
    other[clusters == 7] = 5 - other[clusters == 7]
    before, after = (fit_left_out(features, one, clusters, (0, 5)) for one in (labels, other))
    assert before[clusters == 7] == pytest.approx(after[clusters == 7])
    assert before[clusters != 7] != pytest.approx(after[clusters != 7])


def test_one_candidate_leaves_nothing_to_fit_on() -> None:
    items = pd.DataFrame(
        {"answer": ["a b", "c"], "question": ["q", "q"], "objective": ["", ""], "cluster": "x"}
    )
    table = baseline_scores(items, pd.Series([1.0, 2.0]), (0, 5))
    assert tuple(table.columns) == BASELINES
    assert table[["length", "length + tf-idf"]].isna().all(axis=None)
