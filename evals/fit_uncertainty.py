"""How far off a scorer's points are on answers it never saw -> widths and types to be flagged.

The absolute error is described by where the points stand on the scale and by the type of question,
and put on a quantile of what was seen (normalised split conformal, Papadopoulos et al. 2002).
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

import numpy as np
import pandas as pd

from evals.bootstrap import draw_weights
from evals.interval import expanded_percentiles
from evals.labels import OVERALL
from evals.metrics.arrays import Floats, Scale
from evals.study import GRADER, Study
from pipeline.uncertainty import Uncertainty, Width

SHARE = 0.8
"""Of the labels within the width, and of the answers not abstained from within `NEAR`."""
NEAR = 1.0
"""Points that a score may be off."""
FEWEST = 30
"""Answers that widths are fitted on at least."""
FEWEST_OF_TYPE = 20
"""Answers of a type that its points are judged by at least."""
FEWEST_CANDIDATES = 10
"""Candidates that these are of at least: fewer carry no interval."""
SHRINKAGE = 10.0
"""Answers that the mean over all types counts as beside those of one type."""
LEAST = 0.1
"""Points of error that are always reckoned with."""


def fit_uncertainty(study: Study) -> Uncertainty | None:
    """From left-out scores; None where fewer than `FEWEST` answers have an overall label."""
    table = errors_of(study, OVERALL)
    if len(table) < FEWEST:
        return None
    keys = [key for key in study.scores if key != OVERALL]
    tables = {key: errors_of(study, key) for key in keys}
    widths = {
        key: fit_width(one if len(one) >= FEWEST else table, study.scale)
        for key, one in tables.items()
    }
    return fit_overall(table, study.scale).model_copy(
        update={"widths": {**widths, OVERALL: fit_width(table, study.scale)}}
    )


def errors_of(study: Study, key: str) -> pd.DataFrame:
    """score, label, error, kind and cluster of each answer that was left out and has a label."""
    scores = study.scores[key]
    table = pd.DataFrame(
        {
            "score": scores[GRADER].astype("float64"),
            "label": scores[study.reference].astype("float64"),
            "kind": study.items["question_type"],
            "cluster": study.items["cluster"],
        }
    ).dropna()
    return table.assign(error=(table["score"] - table["label"]).abs())


def fit_overall(table: pd.DataFrame, scale: Scale) -> Uncertainty:
    """Width, limit and types from the errors of the overall."""
    known = types_understood(table)
    trusted = table[table["kind"].isin(known)]
    widths = left_out_widths(table, scale)[table["kind"].isin(known)]
    return Uncertainty(
        share=SHARE,
        limit=choose_limit(widths, trusted["error"].to_numpy()),
        types=known,
        widths={OVERALL: fit_width(table, scale)},
    )


def fit_width(table: pd.DataFrame, scale: Scale) -> Width:
    """Least squares over the squared place on the scale; what a type adds is shrunk to nothing."""
    place, error = _place(table["score"].to_numpy(), scale), table["error"].to_numpy()
    parts = np.column_stack([np.ones(len(place)), place**2])
    # One answer's worth of ridge on the slope keeps a fit to a few answers from running away.
    middle, ends = np.linalg.solve(parts.T @ parts + np.diag([0.0, 1.0]), parts.T @ error)
    left = pd.Series(error - parts @ (middle, ends)).groupby(table["kind"].to_numpy())
    by_type = left.sum() / (left.count() + SHRINKAGE)
    expected = parts @ (middle, ends) + by_type[table["kind"]].to_numpy()
    factor = float(np.quantile(error / np.maximum(expected, LEAST), SHARE))
    return Width(
        middle=round(middle * factor, 4),
        ends=round(ends * factor, 4),
        by_type={str(kind): round(float(more) * factor, 4) for kind, more in by_type.items()},
        least=round(max(LEAST * factor, 0.01), 4),
    )


def widths_of(width: Width, table: pd.DataFrame, scale: Scale) -> Floats:
    """The width around each score, as the pipeline works it out."""
    rows = zip(table["score"], table["kind"], strict=True)
    return np.array(
        [float(width.around(Decimal(str(score)), str(kind), scale)) for score, kind in rows]
    )


def left_out_widths(table: pd.DataFrame, scale: Scale) -> Floats:
    """The width around each score, fitted without its candidate."""
    widths, clusters = np.zeros(len(table)), table["cluster"].to_numpy()
    for cluster in np.unique(clusters):
        out = clusters == cluster
        widths[out] = widths_of(fit_width(table[~out], scale), table[out], scale)
    return widths


def types_understood(table: pd.DataFrame) -> tuple[str, ...]:
    """Types whose left-out scores rise with the labels beyond chance, on answers enough to tell."""
    return tuple(
        str(kind)
        for kind, part in table.groupby("kind")
        if len(part) >= FEWEST_OF_TYPE and least_correlation(part) > 0
    )


def least_correlation(part: pd.DataFrame, draws: int = 500, seed: int = 0) -> float:
    """Lower end of the 95% interval of Spearman's correlation, by candidate; NaN where undefined.

    The ranks are those of all answers in every draw: what is drawn is candidates.
    """
    score, label = (part[name].rank() - part[name].rank().mean() for name in ("score", "label"))
    products = pd.concat([score**0, score, label, score**2, label**2, score * label], axis=1)
    table = products.groupby(part["cluster"].to_numpy()).sum()
    if len(table) < FEWEST_CANDIDATES:
        return float("nan")
    sums = draw_weights(len(table), draws, seed) @ table.to_numpy()
    n, first, second, squared, other, both = sums.T
    with np.errstate(divide="ignore", invalid="ignore"):
        below = np.sqrt((n * squared - first**2) * (n * other - second**2))
        low, *_ = expanded_percentiles((n * both - first * second) / below, len(table))
    return float("nan") if low is None else low


def rank_correlation(first: pd.Series, second: pd.Series) -> float:
    """Spearman's; NaN where one does not vary."""
    if first.nunique() < 2 or second.nunique() < 2:
        return float("nan")
    return float(np.corrcoef(first.rank(), second.rank())[0, 1])


def choose_limit(widths: Sequence[float] | Floats, errors: Floats) -> float:
    """The greatest width up to which `SHARE` of the scores are within `NEAR`.

    On at least `FEWEST` answers; 0 where there is none, so that every score is abstained from.
    """
    order = np.argsort(widths, kind="stable")
    wide, near = np.asarray(widths)[order], np.cumsum(errors[order] <= NEAR)
    counts = np.arange(1, len(wide) + 1)
    last_of_width = np.append(wide[1:] > wide[:-1], True)
    reached = last_of_width & (counts >= FEWEST) & (near >= SHARE * counts)
    return float(wide[reached].max()) if reached.any() else 0.0


def _place(scores: Floats, scale: Scale) -> Floats:
    low, high = scale
    place: Floats = (2 * scores - low - high) / (high - low)
    return place
