"""What `grader compare` prints."""

from __future__ import annotations

import json

import pandas as pd

from evals.contrast import Comparison
from evals.overall_tables import COLUMNS
from evals.paired import row_of
from evals.printing import records
from evals.sections import KIND_WORDS, Section, interval, number, shortened

SHOWN = 20
"""So many changed items are printed; the JSON has them all."""


def compare_lines(result: Comparison) -> list[str]:
    """The outcome and what was compared, in plain words."""
    facts = result.facts
    qwk = row_of(result.differences, "overall", "qwk")
    ends = interval(qwk) or f"no interval: {qwk['why']}"
    pairs = result.mcnemar
    p = "undefined: no such answer" if pairs["p"] is None else f"exact p {pairs['p']:.3f}"
    lines = [
        f"{result.outcome}: QWK with {facts['reference']} ({KIND_WORDS[str(facts['kind'])]}) "
        f"{number(qwk['a'])} -> {number(qwk['b'])}, difference {number(qwk['difference'], 3)} "
        f"({ends}), {facts['n']} answers of {facts['clusters']} candidates",
        f"A: {facts['run_a']}, {facts['model_a']}, {facts['prompt_version_a']}. "
        f"B: {facts['run_b']}, {facts['model_b']}, {facts['prompt_version_b']}. "
        f"Labels {facts['labels']}, split {facts['split']}.",
        f"Exactly right in A only {pairs['only_a']}, in B only {pairs['only_b']} of {pairs['n']} "
        f"(McNemar, {p}; it takes answers for independent).",
        f"Power: {result.power}",
        f"Prompts: {result.prompt_diff}",
    ]
    return lines + [f"Note: {note}" for note in result.notes]


def compare_sections(result: Comparison) -> list[Section]:
    """Differences on the overall, kappa by criterion, and the changed items."""
    kind = KIND_WORDS[str(result.facts["kind"])]
    header = ("A", "B", "B less A", "95% interval", "n", "why none")
    overall = [(COLUMNS[row["metric"]], *_cells(row)) for _, row in _overall(result).iterrows()]
    frame = result.differences
    kappas = frame[(frame["metric"] == "qwk") & (frame["n"] > 0)]
    criteria = [(row["criterion"], *_cells(row)) for _, row in kappas.iterrows()]
    title = f"Overall with {result.facts['reference']} ({kind})"
    return [
        Section(title=title, header=("metric", *header), rows=tuple(overall)),
        Section(title=f"QWK by criterion ({kind})", header=("criterion", *header),
                rows=tuple(criteria)),
        _changed_section(result, kind),
    ]  # fmt: skip


def compare_json(result: Comparison) -> str:
    """The whole result as JSON; undefined is null."""
    tree = {
        "outcome": result.outcome,
        "exit_code": result.exit_code,
        "facts": dict(result.facts),
        "differences": records(result.differences),
        "mcnemar": dict(result.mcnemar),
        "power": result.power,
        "prompt_diff": result.prompt_diff,
        "notes": list(result.notes),
        "changed": records(result.changed),
    }
    return json.dumps(tree, ensure_ascii=False, allow_nan=False)


def _overall(result: Comparison) -> pd.DataFrame:
    return result.differences[result.differences["criterion"] == "overall"]


def _cells(row: pd.Series) -> tuple[str, ...]:
    figures = (number(row["a"]), number(row["b"]), number(row["difference"], 3))
    return (*figures, interval(row), str(row["n"]), row["why"])


def _changed_section(result: Comparison, kind: str) -> Section:
    frame = result.changed
    items = frame.drop_duplicates("item_id") if len(frame) else frame
    counts = items["change"].value_counts()
    rows = []
    for item in items["item_id"].head(SHOWN):
        part = frame[frame["item_id"] == item]
        first = part.iloc[0]
        overalls = f"{number(first['overall_a'], 1)} -> {number(first['overall_b'], 1)}"
        rows.append((item, first["change"], number(first["label"], 1), overalls, _moves(part)))
    listed = ", ".join(f"{counts.get(name, 0)} {name}" for name in ("better", "worse", "same"))
    return Section(
        title=f"Changed answers: {listed} ({kind})",
        header=("item", "change", "label", "overall", "what moved, and what each run says"),
        rows=tuple(rows),
        note=f"The first {SHOWN} by size; --json has all." if len(items) > SHOWN else "",
    )


def _moves(part: pd.DataFrame) -> str:
    moved = part[part["score_a"].astype("float64") != part["score_b"].astype("float64")]
    return "; ".join(
        f"{row['criterion']} {number(row['score_a'], 1)} ({_said(row, 'a')}) -> "
        f"{number(row['score_b'], 1)} ({_said(row, 'b')})"
        for _, row in moved.iterrows()
    )


def _said(row: pd.Series, run: str) -> str:
    words = [row[f"{name}_{run}"] for name in ("problems", "rationale")]
    return shortened(" / ".join(str(text) for text in words if not pd.isna(text) and text))
