"""Metrics against a second formula, other libraries and printed examples; and where undefined."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd
import pytest

from evals import metrics
from evals.metrics import (
    adjacent_agreement,
    balanced_accuracy,
    bias,
    exact_agreement,
    gwet_ac2,
    icc_a1,
    kendall_tau_b,
    krippendorff_alpha,
    lins_ccc,
    mae,
    prmse,
    quadratic_weighted_kappa,
    smd,
)
from evals.metrics.arrays import half_up_points
from tests.evals.raters import simulate

Points = list[int]
POINTS = list(range(6))


def pairs(kind: str, seed: int) -> tuple[Points, Points]:
    """Two raters on 0-5: at random, skewed, alike, or with points that never occur."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 60))
    if kind == "random":
        a, b = rng.integers(0, 6, n), rng.integers(0, 6, n)
    elif kind == "skewed":
        a, b = (rng.choice(6, n, p=[0, 0, 0.02, 0.03, 0.9, 0.05]) for _ in "ab")
    elif kind == "alike":
        a = rng.integers(0, 6, n)
        b = np.clip(a + rng.integers(-1, 2, n), 0, 5)
    else:
        a, b = rng.choice([1, 2, 5], n), rng.choice([1, 2, 5], n)
    return a.tolist(), b.tolist()


CASES = [(kind, seed) for kind in ("random", "skewed", "alike", "gaps") for seed in range(8)]


@pytest.mark.parametrize(("kind", "seed"), CASES)
def test_kappa_equals_moments_and_scikit_learn(kind: str, seed: int) -> None:
    sklearn = pytest.importorskip("sklearn.metrics")
    a, b = pairs(kind, seed)
    ours = quadratic_weighted_kappa(a, b)
    if ours is None:
        assert len({*a, *b}) == 1
        return
    theirs = sklearn.cohen_kappa_score(a, b, weights="quadratic", labels=POINTS)
    moments = (
        2 * np.cov(a, b, ddof=0)[0, 1] / (np.var(a) + np.var(b) + (np.mean(a) - np.mean(b)) ** 2)
    )
    assert ours == pytest.approx(theirs, abs=1e-9)
    assert ours == pytest.approx(moments, abs=1e-9)
    assert lins_ccc(a, b) == pytest.approx(ours, abs=1e-9)


@pytest.mark.parametrize(("kind", "seed"), CASES)
def test_ac2_equals_sum_over_cells(kind: str, seed: int) -> None:
    a, b = pairs(kind, seed)
    n = len(a)
    weight = {(i, j): 1 - (i - j) ** 2 / 25 for i in POINTS for j in POINTS}
    agreed = sum(weight[pair] for pair in zip(a, b, strict=True)) / n
    share = [(a.count(k) + b.count(k)) / (2 * n) for k in POINTS]
    chance = sum(weight.values()) / 30 * sum(p * (1 - p) for p in share)
    assert gwet_ac2(a, b) == pytest.approx((agreed - chance) / (1 - chance), abs=1e-9)


@pytest.mark.parametrize(("kind", "seed"), CASES)
def test_alpha_equals_krippendorff_package_with_missing_scores(kind: str, seed: int) -> None:
    package = pytest.importorskip("krippendorff")
    a, b = pairs(kind, seed)
    table = np.array([a, b, b[::-1]], dtype=float)
    table[np.random.default_rng(seed).random(table.shape) < 0.25] = np.nan
    ours = krippendorff_alpha(*table)
    counted = table[:, (~np.isnan(table)).sum(axis=0) > 1]
    if ours is None:
        assert len(np.unique(counted[~np.isnan(counted)])) < 2
        return
    theirs = package.alpha(table, level_of_measurement="ordinal", value_domain=POINTS)
    assert ours == pytest.approx(theirs, abs=1e-9)


@pytest.mark.parametrize(("kind", "seed"), CASES)
def test_rank_and_decision_metrics_equal_other_libraries(kind: str, seed: int) -> None:
    stats = pytest.importorskip("scipy.stats")
    sklearn = pytest.importorskip("sklearn.metrics")
    a, b = pairs(kind, seed)
    tau, balanced = kendall_tau_b(a, b), balanced_accuracy(a, b, cut=3)
    if tau is None:
        assert len(set(a)) == 1 or len(set(b)) == 1
    else:
        assert tau == pytest.approx(stats.kendalltau(a, b).statistic, abs=1e-9)
    above = [point >= 3 for point in b]
    if balanced is None:
        assert len(set(above)) == 1
    else:
        theirs = sklearn.balanced_accuracy_score(above, [point >= 3 for point in a])
        assert balanced == pytest.approx(theirs, abs=1e-9)


@pytest.mark.parametrize("seed", range(8))
def test_icc_equals_analysis_of_variance(seed: int) -> None:
    rng = np.random.default_rng(seed)
    table = rng.normal(3, 1, (20, 1)) + rng.normal(0, 0.5, (20, 3)) + [0, 0.4, -0.2]
    n, k = table.shape
    mean = table.mean()
    total = ((table - mean) ** 2).sum()
    rows = k * ((table.mean(axis=1) - mean) ** 2).sum()
    columns = n * ((table.mean(axis=0) - mean) ** 2).sum()
    msr, msc = rows / (n - 1), columns / (k - 1)
    mse = (total - rows - columns) / ((n - 1) * (k - 1))
    expected = (msr - mse) / (msr + (k - 1) * mse + k * (msc - mse) / n)
    assert icc_a1(*table.T) == pytest.approx(expected, abs=1e-9)


def test_icc_equals_the_printed_example() -> None:
    """Shrout & Fleiss (1979), Table 2: six targets, four judges, ICC(2,1) = .29 (Table 4)."""
    judges = [[9, 6, 8, 7, 10, 6], [2, 1, 4, 1, 5, 2], [5, 3, 6, 2, 6, 4], [8, 2, 8, 6, 9, 7]]
    assert round(icc_a1(*judges) or 0, 2) == 0.29


def test_alpha_equals_the_printed_example() -> None:
    """Krippendorff (2011), reliability data D of four observers and twelve units: ordinal .815."""
    n = None
    observers: list[list[int | None]] = [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, n, n, n],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, n, 3],
        [n, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, n],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, n],
    ]
    assert round(krippendorff_alpha(*observers) or 0, 3) == 0.815


def from_table(table: Sequence[Sequence[int]]) -> tuple[Points, Points]:
    """The pairs that a contingency table counts."""
    cells = [
        (i, j) for i, row in enumerate(table) for j, count in enumerate(row) for _ in range(count)
    ]
    return [i for i, _ in cells], [j for _, j in cells]


def test_ac2_on_two_points_is_ac1_of_the_printed_example() -> None:
    """118, 5, 2 and 0 cases (Gwet 2002): kappa is -.023 although 94% agree; AC1 = .941."""
    a, b = from_table([[118, 5], [2, 0]])
    assert round(gwet_ac2(a, b, scale=(0, 1)) or 0, 3) == 0.941
    assert round(quadratic_weighted_kappa(a, b, scale=(0, 1)) or 0, 3) == -0.023


def test_ac2_of_the_pregnancy_table() -> None:
    """Two abstractors, 100 women, three types (Gwet 2014), worked by hand.

    Weights 1, .75, 0; agreed .9725; shares .13, .255, .615; chance 6 / 6 * .53985 = .53985.
    """
    a, b = from_table([[13, 0, 0], [0, 20, 7], [0, 4, 56]])
    assert gwet_ac2(a, b, scale=(0, 2)) == pytest.approx((0.9725 - 0.53985) / (1 - 0.53985))


def test_constant_grader_has_no_kappa_worth_and_a_fine_ac2() -> None:
    a, b = [4] * 100, [4] * 95 + [3] * 5
    assert quadratic_weighted_kappa(a, b) == pytest.approx(0, abs=1e-12)
    assert (gwet_ac2(a, b) or 0) > 0.99


ALL = {
    "qwk": quadratic_weighted_kappa,
    "ccc": lins_ccc,
    "ac2": gwet_ac2,
    "alpha": krippendorff_alpha,
    "icc": icc_a1,
    "mae": mae,
    "bias": bias,
    "smd": smd,
    "exact": exact_agreement,
    "adjacent": adjacent_agreement,
    "tau": kendall_tau_b,
    "balanced": lambda a, b: balanced_accuracy(a, b, cut=3),
}
UNDEFINED = {
    "no items": ([], [], set(ALL)),
    "one item": ([3], [4], {"qwk", "ccc", "ac2", "icc", "smd", "tau", "balanced"}),
    "one item, equal": ([3], [3], {"qwk", "ccc", "ac2", "alpha", "icc", "smd", "tau", "balanced"}),
    "both constant, equal": (
        [3] * 9,
        [3] * 9,
        {"qwk", "ccc", "alpha", "icc", "smd", "tau", "balanced"},
    ),
    "both constant, apart": ([3] * 9, [4] * 9, {"smd", "tau", "balanced"}),
    "grader constant": ([3] * 4, [1, 2, 4, 5], {"tau"}),
    "rater constant": ([1, 2, 4, 5], [3] * 4, {"smd", "tau", "balanced"}),
    "all of one side missing": ([None] * 4, [1, 2, 4, 5], set(ALL)),
    "never on the same item": ([1, None, 5, None], [None, 2, None, 4], set(ALL)),
    "missing leaves one": (
        [1, None, 5],
        [2, 3, math.nan],
        {"qwk", "ccc", "ac2", "icc", "smd", "tau", "balanced"},
    ),
    "rater on one side of the cut": ([1, 4, 5], [3, 4, 5], {"balanced"}),
    "plain": ([1, 2, 4, 5], [1, 3, 4, 4], set()),
}


@pytest.mark.parametrize("case", UNDEFINED)
def test_undefined_results_are_none_and_nothing_else_is(case: str) -> None:
    a, b, expected = UNDEFINED[case]
    results = {name: metric(a, b) for name, metric in ALL.items()}  # type: ignore[operator]
    assert {name for name, value in results.items() if value is None} == expected
    assert all(value is None or math.isfinite(value) for value in results.values())


def test_constants_that_differ_agree_no_better_than_chance() -> None:
    assert quadratic_weighted_kappa([3] * 9, [4] * 9) == 0
    assert lins_ccc([3] * 9, [4] * 9) == 0


@pytest.mark.parametrize("point", [2.5, -1, 6, math.inf])
def test_scores_off_the_scale_or_between_points_are_refused(point: float) -> None:
    for metric in (quadratic_weighted_kappa, gwet_ac2, exact_agreement, krippendorff_alpha):
        with pytest.raises(ValueError, match=r"point|infinite"):
            metric([1, 2, point], [1, 2, 3])


def test_lengths_that_differ_are_refused() -> None:
    with pytest.raises(ValueError, match="lengths differ: 2, 3"):
        quadratic_weighted_kappa([1, 2], [1, 2, 3])


def test_missing_pairs_are_left_out_whatever_they_are_called() -> None:
    a = pd.Series([1, 2, 5, pd.NA, 4], dtype="Int64")
    b = [1, 3, None, 4, 4]
    assert quadratic_weighted_kappa(a, b) == quadratic_weighted_kappa([1, 2, 4], [1, 3, 4])


def test_scale_does_not_have_to_start_at_zero() -> None:
    a, b = [1, 2, 5, 3], [1, 2, 4, 3]
    sklearn = pytest.importorskip("sklearn.metrics")
    theirs = sklearn.cohen_kappa_score(a, b, weights="quadratic", labels=[1, 2, 3, 4, 5])
    assert quadratic_weighted_kappa(a, b, scale=(1, 5)) == pytest.approx(theirs, abs=1e-9)


def test_bias_and_smd_are_positive_where_the_grader_is_lenient() -> None:
    assert bias([4, 5], [3, 3]) == 1.5
    assert smd([3, 4, 5], [1, 2, 3]) == pytest.approx(2.0)


def test_prmse_takes_the_raters_noise_out() -> None:
    """A grader with the true scores explains them all, though raters with noise .6 disagree."""
    world = simulate(400, 6, seed=3, noise=0.6, rounded=False)
    assert prmse(world["true"], world["a"], world["b"]) == pytest.approx(1, abs=0.02)
    assert (lins_ccc(world["a"], world["b"]) or 1) < 0.9
    assert prmse([1, 2], [1, 2], [1, 2]) is None
    assert prmse([1, 2, 3], [3, 3, 3], [3, 3, 3]) is None


def test_half_points_are_rounded_up_and_missing_stays_missing() -> None:
    points = half_up_points([0.5, 2.5, 2.4999999, 3.4, 0.1 + 0.2 + 2.2, None])
    assert list(points[:5]) == [1, 3, 3, 3, 3]
    assert math.isnan(points[5])


def test_exports_are_what_is_there() -> None:
    assert all(callable(getattr(metrics, name)) for name in metrics.__all__)
