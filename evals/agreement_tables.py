"""What `grader eval` prints: the figures of agreement as tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import pandas as pd

from evals.labels import OVERALL
from evals.measure import Agreement
from evals.risk import area_under
from evals.sections import Section, cell, interval, number, shortened
from evals.study import GRADER

KIND_WORDS: Mapping[str, str] = {
    "human": "human raters",
    "model": "MODEL labels, not people",
    "mixed": "labels partly by models, not people alone",
    "unknown": "labels by raters of unknown kind",
}
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
    return Section(title=_titled(result, "Release rules"), header=header, rows=tuple(rows))


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
        title=_titled(result, "Agreement on the overall"),
        header=("who – with whom", "n", "candidates", *COLUMNS.values()),
        rows=tuple(rows),
        note=note,
    )


def criteria_section(result: Agreement) -> Section:
    """One row per criterion: grader with reference, raters with each other, what is lost."""
    frame = result.figures[result.figures["scope"] == "pooled"]
    rows = []
    for criterion, part in frame.groupby("criterion", sort=False):
        mine = _pair(part, GRADER, str(result.facts["reference"]))
        if mine and not pd.isna(mine["mae"]["value"]):
            raters = part[(part["first"] != GRADER) & (part["metric"].isin(["qwk", "degradation"]))]
            other = {metric: _joined(raters[raters["metric"] == metric]) for metric in
                     ("qwk", "degradation")}  # fmt: skip
            shown = _cells(mine, ("qwk", "mae", "bias", "exact", "adjacent"))
            counts = _counts(part[part["first"] == GRADER])
            rows.append((str(criterion), *counts, shown[0], other["qwk"], other["degradation"],
                         *shown[1:]))  # fmt: skip
    names = ("QWK", "rater–rater QWK", "degradation", "MAE", "bias", "exact", "adjacent")
    return Section(
        title=_titled(result, f"By criterion, grader with {result.facts['reference']}"),
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
    return Section(title=_titled(result, "Candidates"), header=header, rows=tuple(rows))


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
            title=_titled(result, f"By {scope.replace('_', ' ')}"),
            header=("group", "n", "candidates", *(COLUMNS.get(name, "DSM") for name in names)),
            rows=tuple(rows),
        )


def risk_section(result: Agreement) -> Section:
    """Which share could be left to the grader, by doubt."""
    rows = [
        (number(row["doubt"], 1), f"{row['coverage']:.0%}", f"{row['n']:.0f}",
         number(row["mae"]), number(row["adjacent"]), number(row["qwk"]))
        for _, row in result.risk.iterrows()
    ]  # fmt: skip
    return Section(
        title=_titled(result, "Risk and coverage"),
        header=("doubt up to", "share of answers", "n", "MAE", "adjacent", "QWK"),
        rows=tuple(rows),
        note=f"Error averaged over coverage (AURC): {number(area_under(result.risk))}. Choose a "
        "doubt on dev, then hold test to it with --max-doubt; a person reads what is above it.",
    )


def coverage_section(result: Agreement) -> Section:
    """How the labelled answers ended in the run."""
    rows = [(str(status), str(count)) for status, count in result.coverage.items()]
    return Section(
        title="Labelled answers by status in the run",
        header=("status", "answers"),
        rows=tuple(rows),
        note="Figures of agreement are about `scored` answers only.",
    )


def blanks_section(result: Agreement) -> Section:
    """What was scored 0 without a call, kept out of all figures."""
    rows = [
        (row["status"], str(row["items"]), str(row["labelled"]), number(row["mean_label"]),
         str(row["labels_above_0"]))
        for _, row in result.blanks.iterrows()
        if row["items"]
    ]  # fmt: skip
    header = ("status", "items", "labelled", "mean label", "labels above the lowest point")
    return Section(title="Blank and copied answers, apart", header=header, rows=tuple(rows))


def reasons_section(result: Agreement) -> Section:
    """Every reason why a figure is undefined or has no interval, with how often it applies."""
    frame = result.figures
    missing = frame[(frame["why"] != "") & (frame["metric"] != "alpha")]
    counts = missing.groupby("why", sort=True).agg(
        figures=("metric", "size"), undefined=("value", lambda values: int(values.isna().sum()))
    )
    rows = [
        (str(why), str(row["figures"]), str(row["undefined"])) for why, row in counts.iterrows()
    ]
    header = ("reason", "figures", "of these undefined")
    return Section(title="Undefined, or without an interval", header=header, rows=tuple(rows))


def _titled(result: Agreement, title: str) -> str:
    return f"{title} ({KIND_WORDS[str(result.facts['kind'])]})"


def _pair(part: pd.DataFrame, first: str, second: str) -> dict[str, pd.Series]:
    chosen = part[(part["first"] == first) & (part["second"] == second)]
    return {row["metric"]: row for _, row in chosen.iterrows()}


def _cells(by_metric: Mapping[str, pd.Series], names: Iterable[str]) -> list[str]:
    return [cell(by_metric.get(name)) for name in names]


def _counts(part: pd.DataFrame) -> tuple[str, str]:
    return str(part["n"].iloc[0]), str(part["clusters"].iloc[0])


def _joined(rows: pd.DataFrame) -> str:
    return "; ".join(cell(row) for _, row in rows.iterrows())
