"""What `grader eval` prints: the figures of agreement as tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import pandas as pd

from evals.basis_tables import (
    blanks_section,
    coverage_section,
    reasons_section,
    risk_section,
    titled,
)
from evals.labels import OVERALL
from evals.measure import Agreement
from evals.sections import Section, cell, interval, number, shortened
from evals.study import GRADER, GRADERS
from pipeline.table.columns import CALIBRATED

COLUMNS: Mapping[str, str] = {
    "qwk": "QWK",
    "ccc": "CCC",
    "ac2": "AC2",
    "alpha": "alpha",
    "icc": "ICC(A,1)",
    "mae": "MAE",
    "bias": "bias",
    "smd": "SMD",
    "exact": "exact",
    "adjacent": "adjacent",
}


def agreement_sections(result: Agreement) -> list[Section]:
    """All tables of a result, the rules first. Empty ones are left out."""
    sections = [
        rules_section(result),
        overall_section(result),
        criteria_section(result),
        candidates_section(result),
        *part_sections(result),
        risk_section(result),
        coverage_section(result),
        blanks_section(result),
        reasons_section(result),
    ]
    return [section for section in sections if section.rows]


def rules_section(result: Agreement) -> Section:
    """The release rules, one row each."""
    rows = [
        (check.name, check.rule, number(check.value, 3), str(check.n), check.result, check.why)
        for check in result.checks
    ]
    header = ("rule on", "rule", "figure", "n", "result", "why undefined or without interval")
    return Section(title=titled(result, "Release rules"), header=header, rows=tuple(rows))


def overall_section(result: Agreement) -> Section:
    """Grader with raters, raters with each other, formula, baselines: one row per pair."""
    frame = result.figures
    scopes = ["pooled", "formula", "baseline"]
    chosen = frame[frame["scope"].isin(scopes) & (frame["criterion"] == OVERALL)]
    rows = []
    for (first, second), part in chosen.groupby(["first", "second"], sort=False):
        by_metric = {row["metric"]: row for _, row in part.iterrows()}
        if "qwk" in by_metric:
            rows.append((f"{first} – {second}", *_counts(part), *_cells(by_metric, COLUMNS)))
    note = "; ".join(
        f"{row['metric']} {row['first']}: {cell(row)} (n {row['n']})"
        for _, row in chosen.iterrows()
        if row["metric"] in ("degradation", "qwk difference") or row["first"] == "all raters"
    )
    return Section(
        title=titled(result, "Agreement on the overall"),
        header=("who – with whom", "n", "candidates", *COLUMNS.values()),
        rows=tuple(rows),
        note=note,
    )


def criteria_section(result: Agreement) -> Section:
    """One row per criterion: grader with reference, raters with each other, what is lost."""
    frame = result.figures[result.figures["scope"] == "pooled"]
    rows = []
    for criterion, part in frame.groupby("criterion", sort=False):
        raters = part[~part["first"].isin([*GRADERS, f"{CALIBRATED} less {GRADER}"])]
        between, lost = (_joined(raters[raters["metric"] == name]) for name in
                         ("qwk", "degradation"))  # fmt: skip
        for grader, name, other in (
            (GRADER, str(criterion), (between, lost)),
            (CALIBRATED, f"{criterion}, calibrated", ("", "")),
        ):
            mine = _pair(part, grader, str(result.facts["reference"]))
            if mine and not pd.isna(mine["mae"]["value"]):
                shown = _cells(mine, ("qwk", "mae", "bias", "exact", "adjacent"))
                counts = _counts(part[part["first"] == grader])
                rows.append((name, *counts, shown[0], *other, *shown[1:]))
    names = ("QWK", "rater–rater QWK", "degradation", "MAE", "bias", "exact", "adjacent")
    return Section(
        title=titled(result, f"By criterion, grader with {result.facts['reference']}"),
        header=("criterion", "n", "candidates", *names),
        rows=tuple(rows),
    )


def candidates_section(result: Agreement) -> Section:
    """Order of and decisions on candidates."""
    part = result.figures[result.figures["scope"] == "candidates"]
    rows = [
        (row["metric"], str(row["n"]), number(row["value"]), interval(row), row["why"])
        for _, row in part.iterrows()
    ]
    header = ("metric", "candidates", "figure", "95% interval", "why none")
    return Section(title=titled(result, "Candidates"), header=header, rows=tuple(rows))


def part_sections(result: Agreement) -> Iterator[Section]:
    """By language, question type, band and question."""
    frame = result.figures
    for scope in ("language", "question_type", "band", "question"):
        chosen = frame[frame["scope"] == scope]
        names = ("qwk", "mae", "bias", "exact", "adjacent", "dsm")
        rows = []
        for group, part in chosen.groupby("group", sort=False):
            by_metric = {row["metric"]: row for _, row in part.iterrows()}
            rows.append((shortened(str(group)), *_counts(part), *_cells(by_metric, names)))
        yield Section(
            title=titled(result, f"By {scope.replace('_', ' ')}"),
            header=("group", "n", "candidates", *(COLUMNS.get(name, "DSM") for name in names)),
            rows=tuple(rows),
        )


def _pair(part: pd.DataFrame, first: str, second: str) -> dict[str, pd.Series]:
    chosen = part[(part["first"] == first) & (part["second"] == second)]
    return {row["metric"]: row for _, row in chosen.iterrows()}


def _cells(by_metric: Mapping[str, pd.Series], names: Iterable[str]) -> list[str]:
    return [cell(by_metric.get(name)) for name in names]


def _counts(part: pd.DataFrame) -> tuple[str, str]:
    return str(part["n"].iloc[0]), str(part["clusters"].iloc[0])


def _joined(rows: pd.DataFrame) -> str:
    return "; ".join(cell(row) for _, row in rows.iterrows())
