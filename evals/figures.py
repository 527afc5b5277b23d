"""Figures: one number with its interval, its n, and whom it compares, in a long table."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import asdict, dataclass

import numpy as np
import pandas as pd

from evals.bootstrap import DRAWS, Estimate, bootstrap
from evals.metrics import krippendorff_alpha
from evals.metrics.arrays import Scale, half_up_points


@dataclass(frozen=True, kw_only=True)
class Setting:
    """How intervals are drawn."""

    scale: Scale
    draws: int = DRAWS
    seed: int = 0


@dataclass(frozen=True, kw_only=True)
class Tag:
    """What a figure is about."""

    scope: str
    """pooled, question, language, question_type, band, candidates, baseline, formula."""
    group: str
    """The question, language, ... or `all`."""
    criterion: str
    """Criterion key or overall."""
    first: str
    """What is measured: the grader, a rater, a baseline."""
    second: str
    """What it is held against."""
    kind: str
    """Kind of the raters among the two: human, model, mixed, unknown."""


@dataclass(frozen=True, kw_only=True)
class Figure:
    """One number of the table."""

    tag: Tag
    metric: str
    estimate: Estimate


def pair_figures(
    tag: Tag,
    first: pd.Series,
    second: pd.Series,
    clusters: pd.Series,
    setting: Setting,
    metrics: Collection[str] | None = None,
) -> list[Figure]:
    """All metrics of two raters, or those named; `alpha` comes without an interval."""
    found = bootstrap(
        first, second, clusters, scale=setting.scale, draws=setting.draws, seed=setting.seed
    )
    n, count = found["mae"].n, found["mae"].clusters
    found["alpha"] = alpha([first, second], setting.scale, n, count)
    return [
        Figure(tag=tag, metric=metric, estimate=estimate)
        for metric, estimate in found.items()
        if metrics is None or metric in metrics
    ]


def alpha(raters: Iterable[pd.Series], scale: Scale, n: int, clusters: int) -> Estimate:
    """Krippendorff's ordinal alpha of scores rounded half up, without an interval."""
    value = krippendorff_alpha(*(half_up_points(scores) for scores in raters), scale=scale)
    why = "no interval computed" if value is not None else "undefined: the scores do not vary"
    return Estimate(value=value, low=None, high=None, n=n, clusters=clusters, why=why)


def figure_table(figures: Iterable[Figure]) -> pd.DataFrame:
    """Columns of Tag, then metric, value, low, high, n, clusters, why; missing is NaN."""
    rows = [
        {**asdict(figure.tag), "metric": figure.metric, **asdict(figure.estimate)}
        for figure in figures
    ]
    names = [*Tag.__annotations__, "metric", "value", "low", "high", "n", "clusters", "why"]
    frame = pd.DataFrame(rows, columns=names)
    for name in ("value", "low", "high"):
        frame[name] = frame[name].astype("float64")
    return frame


def no_interval(value: float | None, n: int, clusters: int, why: str) -> Estimate:
    """A figure that has no interval by design; `why` says why, or why it is undefined."""
    missing = value is None or bool(np.isnan(value))
    return Estimate(
        value=None if missing else value, low=None, high=None, n=n, clusters=clusters, why=why
    )
