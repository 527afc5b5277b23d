"""A study -> curves by criterion, and scores by curves that never saw the candidate."""

from __future__ import annotations

import numpy as np
import pandas as pd

from evals.curves import Curve, apply_curve, fit_curve
from evals.labels import OVERALL
from evals.metrics.arrays import Floats
from evals.study import GRADER, Study, formula_of
from pipeline.records import Rubric


def fit_curves(study: Study, kept: np.ndarray | None = None) -> dict[str, Curve]:
    """A curve for each criterion that carries one, on all items or on those `kept`.

    Where the labels have no criteria, one curve for the overall.
    """
    keys = [key for key in study.scores if key != OVERALL]
    curves = {key: curve for key in keys if (curve := _curve(study, key, kept)) is not None}
    if not curves and (curve := _curve(study, OVERALL, kept)) is not None:
        curves = {OVERALL: curve}
    return curves


def left_out_table(study: Study, rubric: Rubric) -> pd.DataFrame:
    """Calibrated scores by criterion and `overall`; each cluster by a fit on all others.

    NaN where the others carry no curve at all.
    """
    parts = []
    clusters = study.items["cluster"].to_numpy()
    for cluster in pd.unique(clusters):
        out = clusters == cluster
        parts.append(calibrated_table(study, fit_curves(study, ~out), rubric, out))
    return pd.concat(parts).reindex(study.items.index)


def calibrated_table(
    study: Study, curves: dict[str, Curve], rubric: Rubric, chosen: np.ndarray
) -> pd.DataFrame:
    """The chosen items' scores along the curves, as `pipeline.calibration` applies them."""
    raw = pd.DataFrame({key: table[GRADER] for key, table in study.scores.items()})[chosen]
    if not curves:
        return raw * np.nan
    bent = raw.copy()
    for key, curve in curves.items():
        bent[key] = apply_curve(curve, raw[key].to_numpy())
    if OVERALL not in curves:
        types = study.items.get("question_type", pd.Series("default", study.items.index))[chosen]
        rows = bent[list(rubric.keys)].to_dict("records")
        bent[OVERALL] = [
            formula_of({str(key): score for key, score in row.items()}, str(kind), rubric)
            for row, kind in zip(rows, types, strict=True)
        ]
    return bent.astype("float64")


def _curve(study: Study, key: str, kept: np.ndarray | None) -> Curve | None:
    table = study.scores[key] if kept is None else study.scores[key][kept]
    raw, labels = (_floats(table[name]) for name in (GRADER, study.reference))
    return fit_curve(raw, labels)


def _floats(column: pd.Series) -> Floats:
    return column.to_numpy(dtype="float64")
