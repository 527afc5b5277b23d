"""Which share of the answers can be left to the grader."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from evals.risk import area_under, choose_doubt, doubt_check, risk_coverage


def test_curve_ends_with_all_answers_and_ties_stay_together() -> None:
    doubt = pd.Series([0, 0, 1, 2, 2, np.nan])
    grader = pd.Series([3, 4, 3, 0, 5, 1.0])
    reference = pd.Series([3, 4, 4, 5, 0, 1.0])
    curve = risk_coverage(doubt, grader, reference, scale=(0, 5))
    assert list(curve["n"]) == [2, 3, 5]
    assert list(curve["coverage"]) == [0.4, 0.6, 1.0]
    assert list(curve["mae"]) == pytest.approx([0, 1 / 3, 11 / 5])
    assert area_under(curve) == pytest.approx(0.4 * 0 + 0.2 / 3 + 0.4 * 2.2)
    assert choose_doubt(curve, adjacent=0.95, min_items=3) == 1
    assert choose_doubt(curve, adjacent=0.95, min_items=4) is None


def test_doubt_chosen_elsewhere_has_to_hold_here() -> None:
    doubt = pd.Series([0.0, 0.0, 2.0])
    grader, reference = pd.Series([3.0, 4.0, 0.0]), pd.Series([3.0, 4.0, 5.0])
    curve = risk_coverage(doubt, grader, reference, scale=(0, 5))
    assert doubt_check(curve, 1, adjacent=0.95).result == "pass"
    assert doubt_check(curve, 1, adjacent=0.95).n == 2
    assert doubt_check(curve, 2, adjacent=0.95).result == "fail"
    assert doubt_check(curve, -1, adjacent=0.95).result == "undefined"


def test_nothing_known_is_nothing_said() -> None:
    empty = pd.Series([], dtype="float64")
    curve = risk_coverage(empty, empty, empty, scale=(0, 5))
    assert curve.empty
    assert area_under(curve) is None
    assert choose_doubt(curve, adjacent=0.9) is None


def test_doubt_set_on_dev_holds_on_test() -> None:
    """A doubt that grows with the error lets the certain half pass on new answers too."""
    rng = np.random.default_rng(0)
    doubt = pd.Series(rng.integers(0, 4, 2_000).astype(float))
    reference = pd.Series(rng.integers(0, 6, 2_000).astype(float))
    noise = rng.normal(0, 0.3 + 0.4 * doubt)
    grader = (reference + noise).clip(0, 5)
    dev, test = slice(0, 1_000), slice(1_000, None)
    curve = risk_coverage(doubt[dev], grader[dev], reference[dev], scale=(0, 5))
    chosen = choose_doubt(curve, adjacent=0.95)
    assert chosen is not None
    held = risk_coverage(doubt[test], grader[test], reference[test], scale=(0, 5))
    row = held[held["doubt"] == chosen].iloc[0]
    assert row["adjacent"] > 0.93
    assert 0.2 < row["coverage"] < 1
