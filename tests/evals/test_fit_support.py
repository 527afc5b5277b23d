"""The region of fitted states: it holds what is like them, and not what is unlike."""

from __future__ import annotations

import numpy as np
import pytest

from evals.fit_support import INSIDE, fit_region, fit_support, left_out_distances
from evals.metrics.arrays import Floats

SIZE = 60
BASIS = np.random.default_rng(7).normal(size=(5, SIZE))


def states(n: int, seed: int) -> Floats:
    """States in five directions, with a little noise besides."""
    random = np.random.default_rng(seed)
    found: Floats = random.normal(size=(n, 5)) @ BASIS + 0.3 * random.normal(size=(n, SIZE))
    return found


SPOKEN = np.array(["zh", "en"] * 50)
CLUSTERS = np.arange(100) // 4


def test_states_like_the_fitted_ones_are_inside_and_others_are_not() -> None:
    support = fit_support(states(100, 1), SPOKEN, CLUSTERS)
    like = [support.holds(tuple(map(float, one)), "zh") for one in states(100, 2)]
    unlike = states(100, 2) + 1.5 * np.random.default_rng(3).normal(size=(100, SIZE))
    assert np.mean(like) == pytest.approx(INSIDE, abs=0.07)
    assert not any(support.holds(tuple(map(float, one)), "zh") for one in unlike)


def test_a_language_that_was_not_fitted_on_is_outside() -> None:
    support = fit_support(states(100, 1), np.full(100, "zh"), CLUSTERS)
    one = tuple(map(float, states(1, 1)[0]))
    assert support.holds(one, "zh")
    assert not support.holds(one, "en")
    assert np.isinf(fit_region(states(9, 1), np.full(9, "zh")).distances(states(1, 1), SPOKEN[1:2]))


def test_a_language_of_one_cluster_leaves_the_limit_finite() -> None:
    alone = np.where(CLUSTERS < 2, "en", "zh")
    for clusters in (np.where(CLUSTERS < 2, 0, CLUSTERS), np.where(CLUSTERS < 2, 0, 1)):
        assert np.isfinite(fit_support(states(100, 1), alone, clusters).limit)


def test_the_file_gives_the_distance_that_was_fitted() -> None:
    support = fit_support(states(100, 1), SPOKEN, CLUSTERS)
    new = states(20, 4)
    wanted = fit_region(states(100, 1), SPOKEN).distances(new, SPOKEN[:20])
    seen = [
        support.distance(tuple(map(float, one)), str(language))
        for one, language in zip(new, SPOKEN, strict=False)
    ]
    assert np.allclose(seen, wanted, rtol=1e-4)


def test_a_cluster_s_own_states_do_not_shape_its_region() -> None:
    moved = states(100, 1)
    moved[CLUSTERS == 3] += 50 * np.random.default_rng(5).normal(size=SIZE)
    apart = left_out_distances(moved, SPOKEN, CLUSTERS)
    assert apart[CLUSTERS == 3].min() > 50 * np.median(apart)
