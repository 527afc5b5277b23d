"""Widths that hold what they promise on candidates left out; types and limit that are found."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from evals.fit_uncertainty import (
    choose_limit,
    fit_overall,
    fit_width,
    least_correlation,
    left_out_widths,
    rank_correlation,
    types_understood,
)
from evals.uncertainty_worth import area_under, left_out_judged

SCALE = (0, 5)


def answers(n: int = 300, *, code_is_noise: bool = False) -> pd.DataFrame:
    """Errors small at the ends of the scale and large in its middle; three to a cluster."""
    random = np.random.default_rng(4)
    score = random.uniform(0, 5, n).round(2)
    off = (1.6 - 0.22 * (score - 2.5) ** 2) * random.normal(size=n)
    kind = np.where(np.arange(n) % 5 == 0, "code", "concept")
    label = np.clip(score + off, 0, 5)
    if code_is_noise:
        label = np.where(kind == "code", 5 - score, label)
    return pd.DataFrame(
        {
            "score": score,
            "label": label,
            "kind": kind,
            "cluster": np.arange(n) // 3,
            "error": np.abs(score - label),
        }
    )


def test_four_of_five_labels_lie_within_the_width_of_candidates_left_out() -> None:
    table = answers()
    inside = (table["error"] <= left_out_widths(table, SCALE)).mean()
    assert inside == pytest.approx(0.8, abs=0.05)


def test_the_width_is_wide_where_the_errors_are() -> None:
    width = fit_width(answers(), SCALE)
    middle, end = (width.around(Decimal(score), "concept", SCALE) for score in ("2.5", "5"))
    assert middle > 3 * end


def test_errors_that_hang_on_nothing_give_a_level_width() -> None:
    table = answers()
    table["error"] = np.random.default_rng(5).permutation(table["error"])
    width = fit_width(table, SCALE)
    middle, end = (width.around(Decimal(score), "concept", SCALE) for score in ("2.5", "5"))
    assert float(middle) == pytest.approx(float(end), rel=0.35)


def test_a_candidate_s_own_labels_do_not_touch_its_widths() -> None:
    table = answers()
    changed = table.copy()
    changed.loc[changed["cluster"] == 7, "error"] = 5.0
    before, after = (left_out_widths(one, SCALE) for one in (table, changed))
    own = (table["cluster"] == 7).to_numpy()
    assert np.array_equal(before[own], after[own])
    assert not np.array_equal(before[~own], after[~own])


def test_a_type_whose_scores_fall_as_labels_rise_is_left_alone() -> None:
    assert types_understood(answers()) == ("code", "concept")
    table = answers(code_is_noise=True)
    assert types_understood(table) == ("concept",)
    judged = left_out_judged(table, SCALE)
    assert judged.loc[judged["kind"] == "code", "abstained"].all()
    assert not judged["abstained"].all()


def test_a_type_with_too_few_answers_is_left_alone() -> None:
    table = answers()
    table.loc[:3, "kind"] = "design"
    assert "design" not in types_understood(table)


def test_a_type_that_rises_by_chance_is_left_alone() -> None:
    """Twelve answers with a correlation of almost nothing; sixty with none at all."""
    table = answers()
    random = np.random.default_rng(8)
    few = table["kind"].eq("code") & (table.index < 60)
    assert few.sum() == 12
    assert types_understood(table[few | (table["kind"] == "concept")]) == ("concept",)
    code = table["kind"] == "code"
    for _ in range(4):
        table.loc[code, "label"] = random.permutation(table.loc[code, "label"])
        assert types_understood(table) == ("concept",)


def test_the_interval_of_a_correlation_is_by_candidate() -> None:
    table = answers()
    twice = pd.concat([table, table])
    alone = least_correlation(table)
    assert 0 < alone < rank_correlation(table["score"], table["label"])
    assert least_correlation(twice) == pytest.approx(alone, abs=0.005)
    assert np.isnan(least_correlation(table[table["cluster"] < 9]))


def test_abstaining_leaves_the_answers_that_are_nearly_right() -> None:
    judged = left_out_judged(answers(), SCALE)
    near = judged["error"] <= 1
    kept = judged["abstained"] == 0
    assert 0.1 < kept.mean() < 0.9
    assert near[kept].mean() > near[~kept].mean() + 0.2
    assert near[kept].mean() == pytest.approx(0.8, abs=0.06)


@pytest.mark.parametrize(
    ("errors", "limit"),
    [([0.0] * 60, 6.0), ([2.0] * 60, 0.0), ([0.0] * 40 + [2.0] * 20, 5.0)],
)
def test_the_limit_is_the_widest_that_keeps_four_of_five_near(
    errors: list[float], limit: float
) -> None:
    # Ten answers of each width 1 to 6: one width stands or falls together.
    widths = np.repeat(np.arange(1.0, 7.0), 10)
    assert choose_limit(widths, np.array(errors)) == limit


def test_too_few_near_answers_are_no_reason_to_trust() -> None:
    assert choose_limit(np.ones(20), np.zeros(20)) == 0.0


def test_a_width_that_knows_the_error_has_the_least_area() -> None:
    errors = answers()["error"].to_numpy()
    shuffled = np.random.default_rng(6).permutation(errors)
    assert area_under(errors, errors) < area_under(shuffled, errors) < area_under(-errors, errors)
    assert area_under(shuffled, errors) == pytest.approx(errors.mean(), rel=0.15)


def test_a_rank_correlation_needs_two_that_vary() -> None:
    level, rising = pd.Series([1.0, 1.0, 1.0]), pd.Series([1.0, 2.0, 5.0])
    assert np.isnan(rank_correlation(level, rising))
    assert rank_correlation(rising, rising) == pytest.approx(1)


def test_what_is_written_is_what_was_fitted() -> None:
    found = fit_overall(answers(), SCALE)
    assert type(found).model_validate_json(found.model_dump_json()) == found
