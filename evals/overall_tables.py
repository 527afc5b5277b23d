"""The figures on the overall as tables: agreement, differences, distance."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pandas as pd

from evals.basis_tables import titled
from evals.labels import OVERALL
from evals.measure import Agreement
from evals.sections import Section, cell, interval, number

AGREEMENT: Mapping[str, str] = {
    "qwk": "QWK",
    "ccc": "CCC",
    "ac2": "AC2",
    "alpha": "alpha",
    "icc": "ICC(A,1)",
}
DISTANCE: Mapping[str, str] = {
    "mae": "MAE",
    "bias": "bias",
    "smd": "SMD",
    "exact": "exact",
    "adjacent": "adjacent",
}
COLUMNS: Mapping[str, str] = {**AGREEMENT, **DISTANCE}
"""Heading by metric. Two tables each, so that they fit a terminal."""


def overall_section(result: Agreement, columns: Mapping[str, str], title: str) -> Section:
    """Grader with raters, raters with each other, formula, baselines: one row per pair."""
    frame = result.figures
    scopes = ["pooled", "formula", "baseline"]
    chosen = frame[frame["scope"].isin(scopes) & (frame["criterion"] == OVERALL)]
    rows = []
    for (first, second), part in chosen.groupby(["first", "second"], sort=False):
        by_metric = {row["metric"]: row for _, row in part.iterrows()}
        if "qwk" in by_metric:
            rows.append((f"{first} – {second}", *counts(part), *cells(by_metric, columns)))
    note = "; ".join(
        f"{row['metric']} {row['first']}: {cell(row)} (n {row['n']})"
        for _, row in chosen.iterrows()
        if row["metric"] == "degradation" or row["first"] == "all raters"
    )
    return Section(
        title=titled(result, title),
        header=("who – with whom", "n", "candidates", *columns.values()),
        rows=tuple(rows),
        note=note if "qwk" in columns else "",
    )


def differences_section(result: Agreement) -> Section:
    """Paired differences in kappa: the grader less each baseline, and what a calibration adds."""
    frame = result.figures
    chosen = frame[(frame["metric"] == "qwk difference") & (frame["criterion"] == OVERALL)]
    rows = [
        (row["first"], str(row["n"]), str(row["clusters"]), number(row["value"]), interval(row),
         row["why"])
        for _, row in chosen.iterrows()
    ]  # fmt: skip
    return Section(
        title=titled(result, f"Difference in QWK with {result.facts['reference']}"),
        header=("who less whom", "n", "candidates", "difference", "95% interval", "why none"),
        rows=tuple(rows),
        note="Paired: the same answers, the same draws. Only a grader whose difference to each "
        "baseline has an interval above 0 is known to do more than they do.",
    )


def cells(by_metric: Mapping[str, pd.Series], names: Iterable[str]) -> list[str]:
    """The figures of the metrics named, empty where there is none."""
    return [cell(by_metric.get(name)) for name in names]


def counts(part: pd.DataFrame) -> tuple[str, str]:
    """Answers and candidates that the figures of a row rest on."""
    return str(part["n"].iloc[0]), str(part["clusters"].iloc[0])
