"""Intervals by resampling candidates: seeded, vectorised, from sums per cluster."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from evals.interval import MIN_CLUSTERS, expanded_percentiles
from evals.metrics.arrays import Floats, Scale, Scores
from evals.sums import FORMULAS, Formula, cluster_sums, qwk_of_sums

DRAWS = 2_000


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """A figure with its interval, or the reason why there is none."""

    value: float | None
    """The figure; None where it is undefined."""
    low: float | None
    """Lower end of the interval; None where there is none."""
    high: float | None
    """Upper end."""
    n: int
    """Items it rests on."""
    clusters: int
    """Candidates (parity pairs as one) it rests on."""
    why: str = ""
    """Why the value or the interval is missing."""


@dataclass(frozen=True, kw_only=True)
class Sample:
    """Sums of some pairs of raters over all items, and over each resample of the clusters."""

    whole: Floats
    """(pairs, 1, features)."""
    drawn: Floats
    """(pairs, draws, features); no draws with too few clusters."""
    n: int
    clusters: int


def bootstrap(
    a: Scores,
    b: Scores,
    clusters: Scores,
    *,
    scale: Scale = (0, 5),
    draws: int = DRAWS,
    seed: int = 0,
) -> dict[str, Estimate]:
    """95% intervals of the agreement of a with b, by metric name.

    `clusters` names the candidate of each item. Incomplete pairs are left out.
    """
    sample = resample([(a, b)], clusters, scale, draws, seed)

    def single(formula: Formula) -> Estimate:
        return estimate(sample, lambda sums: formula(sums[0], scale))

    return {name: single(formula) for name, formula in FORMULAS.items()}


def bootstrap_difference(
    a: Scores,
    other: Scores,
    b: Scores,
    clusters: Scores,
    *,
    scale: Scale = (0, 5),
    draws: int = DRAWS,
    seed: int = 0,
) -> dict[str, Estimate]:
    """metric(a, b) - metric(other, b) on the items that all three scored, by metric name."""
    sample = resample([(a, b), (other, b)], clusters, scale, draws, seed)

    def apart(formula: Formula) -> Estimate:
        return estimate(sample, lambda sums: formula(sums[0], scale) - formula(sums[1], scale))

    return {name: apart(formula) for name, formula in FORMULAS.items()}


def bootstrap_degradation(
    grader: Scores,
    a: Scores,
    b: Scores,
    clusters: Scores,
    *,
    scale: Scale = (0, 5),
    draws: int = DRAWS,
    seed: int = 0,
) -> Estimate:
    """QWK(a, b) - mean of QWK(grader, a) and QWK(grader, b), on the items that all three scored.

    Positive where the raters agree better with each other than the grader does with them.
    """
    sample = resample([(a, b), (grader, a), (grader, b)], clusters, scale, draws, seed)

    def degradation(sums: Floats) -> Floats:
        between, first, second = (qwk_of_sums(part, scale) for part in sums)
        return between - (first + second) / 2

    return estimate(sample, degradation)


def resample(
    pairs: Sequence[tuple[Scores, Scores]], clusters: Scores, scale: Scale, draws: int, seed: int
) -> Sample:
    """Draw the clusters with replacement; all pairs get the same draws, as pairing needs."""
    sums, n = cluster_sums(pairs, clusters, scale)
    count = sums.shape[1]
    enough = count >= MIN_CLUSTERS
    return Sample(
        whole=sums.sum(axis=1, keepdims=True),
        drawn=draw_weights(count, draws, seed) @ sums if enough else sums[:, :0],
        n=n,
        clusters=count,
    )


def estimate(sample: Sample, formula: Callable[[Floats], Floats]) -> Estimate:
    """`formula` takes sums as (pairs, draws, features) and gives one number per draw."""
    value, why = _value(sample, formula)
    return with_interval(
        value, why, lambda: formula(sample.drawn), n=sample.n, clusters=sample.clusters
    )


def with_interval(
    value: float | None, why: str, drawn: Callable[[], Floats], *, n: int, clusters: int
) -> Estimate:
    """The figure with the interval of its draws, where it is defined and there are clusters enough.

    `why` says why the value is undefined; `drawn` gives one value per draw, NaN undefined.
    """
    low = high = None
    if not why and clusters < MIN_CLUSTERS:
        why = f"insufficient clusters ({clusters} < {MIN_CLUSTERS})"
    elif not why:
        with np.errstate(divide="ignore", invalid="ignore"):
            low, high, why = expanded_percentiles(drawn(), clusters)
    return Estimate(value=value, low=low, high=high, n=n, clusters=clusters, why=why)


def _value(sample: Sample, formula: Callable[[Floats], Floats]) -> tuple[float | None, str]:
    if sample.n == 0:
        return None, "no items"
    with np.errstate(divide="ignore", invalid="ignore"):
        value = float(formula(sample.whole)[0])
    if not np.isnan(value):
        return value, ""
    return None, "fewer than 2 items" if sample.n < 2 else "undefined: the scores do not vary"


def draw_weights(clusters: int, draws: int, seed: int) -> Floats:
    """How often each cluster is drawn, by draw; the same seed gives the same draws."""
    chance = np.full(clusters, 1 / clusters)
    return np.random.default_rng(seed).multinomial(clusters, chance, size=draws).astype(float)
