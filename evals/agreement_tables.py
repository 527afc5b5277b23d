"""What `grader eval` prints: the figures of agreement as tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pandas as pd

from evals.basis_tables import (
    blanks_section,
    coverage_section,
    reasons_section,
    risk_section,
    titled,
)
from evals.measure import Agreement
from evals.overall_tables import (
    AGREEMENT,
    COLUMNS,
    DISTANCE,
    cells,
    counts,
    differences_section,
    overall_section,
)
from evals.sections import Section, cell, interval, number, shortened
from evals.study import GRADER, GRADERS
from pipeline.table.columns import CALIBRATED


def agreement_sections(result: Agreement) -> list[Section]:
    """All tables of a result, the rules first. Empty ones are left out."""
    sections = [
        rules_section(result),
        overall_section(result, AGREEMENT, "Agreement on the overall"),
        differences_section(result),
        overall_section(result, DISTANCE, "Distance on the overall"),
        criteria_section(result),
        distance_section(result),
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


def criteria_section(result: Agreement) -> Section:
    """One row per criterion: kappa of grader with reference, of the raters, what is lost."""
    rows = []
    for name, part, mine in _by_criterion(result):
        grader = mine["qwk"]["first"]
        raters = part[~part["first"].isin([*GRADERS, f"{CALIBRATED} less {GRADER}"])]
        other = [
            _joined(raters[raters["metric"] == metric]) if grader == GRADER else ""
            for metric in ("qwk", "degradation")
        ]
        numbers = counts(part[part["first"] == grader])
        rows.append((name, *numbers, cell(mine["qwk"]), *other))
    return Section(
        title=titled(result, f"By criterion, grader with {result.facts['reference']}"),
        header=("criterion", "n", "candidates", "QWK", "rater–rater QWK", "degradation"),
        rows=tuple(rows),
    )


def distance_section(result: Agreement) -> Section:
    """One row per criterion: how far the grader is from the reference."""
    names = ("mae", "bias", "exact", "adjacent")
    rows = tuple((name, *cells(mine, names)) for name, _, mine in _by_criterion(result))
    title = f"Distance by criterion, grader with {result.facts['reference']}"
    header = ("criterion", *(DISTANCE[name] for name in names))
    return Section(title=titled(result, title), header=header, rows=rows)


def _by_criterion(
    result: Agreement,
) -> Iterator[tuple[str, pd.DataFrame, Mapping[str, pd.Series]]]:
    """Name, all pooled figures of the criterion, and the grader's with the reference by metric.

    A calibrated grader follows with the same.
    """
    frame = result.figures[result.figures["scope"] == "pooled"]
    for criterion, part in frame.groupby("criterion", sort=False):
        for grader, name in ((GRADER, criterion), (CALIBRATED, f"{criterion}, calibrated")):
            mine = _pair(part, grader, str(result.facts["reference"]))
            if mine and not pd.isna(mine["mae"]["value"]):
                yield str(name), part, mine


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
            rows.append((shortened(str(group)), *counts(part), *cells(by_metric, names)))
        yield Section(
            title=titled(result, f"By {scope.replace('_', ' ')}"),
            header=("group", "n", "candidates", *(COLUMNS.get(name, "DSM") for name in names)),
            rows=tuple(rows),
        )


def _pair(part: pd.DataFrame, first: str, second: str) -> dict[str, pd.Series]:
    chosen = part[(part["first"] == first) & (part["second"] == second)]
    return {row["metric"]: row for _, row in chosen.iterrows()}


def _joined(rows: pd.DataFrame) -> str:
    return "; ".join(cell(row) for _, row in rows.iterrows())
