"""Intervals by candidate: equal to the plain metrics, to a naive loop, and honest in simulation."""

from __future__ import annotations

import numpy as np
import pytest

from evals.bootstrap import (
    bootstrap,
    bootstrap_degradation,
    bootstrap_difference,
    draw_weights,
)
from evals.interval import expanded_percentiles, student_quantile
from evals.metrics import (
    adjacent_agreement,
    bias,
    exact_agreement,
    gwet_ac2,
    icc_a1,
    lins_ccc,
    mae,
    quadratic_weighted_kappa,
    smd,
)
from evals.metrics.arrays import half_up_points
from evals.sums import FORMULAS, cluster_sums, qwk_of_sums
from tests.evals.raters import simulate
from tests.evals.simulations import coverage


def test_values_equal_the_plain_metrics() -> None:
    world = simulate(30, seed=1)
    grader, rater = world["grader"], world["a"]
    points = half_up_points(grader)
    expected = {
        "qwk": quadratic_weighted_kappa(points, rater),
        "ccc": lins_ccc(grader, rater),
        "ac2": gwet_ac2(points, rater),
        "icc": icc_a1(grader, rater),
        "mae": mae(grader, rater),
        "bias": bias(grader, rater),
        "smd": smd(grader, rater),
        "exact": exact_agreement(points, rater),
        "adjacent": adjacent_agreement(points, rater),
    }
    found = bootstrap(grader, rater, world["candidate"], draws=50)
    assert found.keys() == FORMULAS.keys() == expected.keys()
    for name, value in expected.items():
        assert found[name].value == pytest.approx(value, abs=1e-9), name
        assert found[name].low is not None
        assert (found[name].n, found[name].clusters) == (180, 30)


def test_draws_equal_a_loop_that_repeats_rows() -> None:
    world = simulate(25, 4, seed=2)
    points = half_up_points(world["grader"])
    sums, _ = cluster_sums([(points, world["a"])], world["candidate"], (0, 5))
    weights = draw_weights(25, 40, seed=7)
    vectorised = qwk_of_sums(weights @ sums[0], (0, 5))
    for draw, value in zip(weights, vectorised, strict=True):
        rows = np.repeat(np.arange(len(world)), draw[world["candidate"]].astype(int))
        plain = quadratic_weighted_kappa(points[rows], world["a"].to_numpy()[rows])
        assert value == pytest.approx(plain, abs=1e-9)


def test_same_seed_same_interval() -> None:
    world = simulate(30)
    first, second, other = (
        bootstrap(world["grader"], world["a"], world["candidate"], seed=seed)["qwk"]
        for seed in (1, 1, 2)
    )
    assert first == second
    assert first.low != other.low


def test_fewer_than_twenty_candidates_carry_no_interval() -> None:
    world = simulate(19, 20)
    found = bootstrap(world["grader"], world["a"], world["candidate"])["qwk"]
    assert (found.low, found.high) == (None, None)
    assert found.value is not None
    assert found.why == "insufficient clusters (19 < 20)"


def test_undefined_values_say_why() -> None:
    clusters = list(range(30))
    assert bootstrap([], [], [])["qwk"].why == "no items"
    assert bootstrap([3], [3], [0])["qwk"].why == "fewer than 2 items"
    constant = bootstrap([3.0] * 30, [3] * 30, clusters)
    assert (constant["qwk"].value, constant["exact"].value) == (None, 1.0)
    assert "do not vary" in constant["qwk"].why


def test_rarely_defined_draws_give_no_interval() -> None:
    low, high, why = expanded_percentiles(np.array([np.nan] * 10 + [0.5] * 90), 40)
    assert (low, high) == (None, None)
    assert why == "undefined in 10% of the draws"


def test_difference_is_paired() -> None:
    """The same grader twice differs by nothing; one with extra noise is worse beyond doubt."""
    world = simulate(60, seed=4)
    same = bootstrap_difference(world["grader"], world["grader"], world["a"], world["candidate"])
    assert (same["qwk"].low, same["qwk"].value, same["qwk"].high) == (0, 0, 0)
    worse = np.clip(world["grader"] + np.random.default_rng(0).normal(0, 1.2, len(world)), 0, 5)
    found = bootstrap_difference(world["grader"], worse, world["a"], world["candidate"])["qwk"]
    assert found.low is not None
    assert found.low > 0


def test_degradation_is_raters_less_grader() -> None:
    world = simulate(40, seed=5)
    points = half_up_points(world["grader"])
    between = quadratic_weighted_kappa(world["a"], world["b"]) or 0
    others = [quadratic_weighted_kappa(points, world[rater]) or 0 for rater in "ab"]
    found = bootstrap_degradation(world["grader"], world["a"], world["b"], world["candidate"])
    assert found.value == pytest.approx(between - sum(others) / 2)
    assert found.low is not None


def test_student_quantile_is_right_where_it_is_used() -> None:
    stats = pytest.importorskip("scipy.stats")
    for freedom in (19, 39, 200):
        assert student_quantile(1.959964, freedom) == pytest.approx(
            stats.t.ppf(0.975, freedom), abs=1e-4
        )


def test_coverage_at_forty_candidates() -> None:
    """Nominal 95% intervals hold the truth in 91-97% of 300 simulated studies of 40 candidates.

    The world is that of `simulate`: 6 answers each, a grader whose leniency varies by candidate.
    The truth is measured on 20,000 candidates. docs/evals.md has the larger simulation.
    """
    found = coverage(40, 300, draws=500, population=20_000)
    assert found.keys() == FORMULAS.keys()
    for name, share in found.items():
        assert 0.91 <= share <= 0.97, f"{name}: {share:.3f}"
