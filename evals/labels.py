"""Labels: what raters gave, and what kind of raters they are.

labels.csv has item_id,criterion,rater,score,note; `overall` is one of the criteria: the rater's own
judgement, without the formula. An empty score is N/A. raters.csv has rater,kind,how.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Literal

import pandas as pd

from evals.csv_rows import Row, fault, read_rows
from pipeline.errors import ConfigError

LABEL_COLUMNS = ("item_id", "criterion", "rater", "score", "note")
RATER_COLUMNS = ("rater", "kind", "how")
OVERALL = "overall"
ADJUDICATED = "adjudicated"
CANARY = "canary"
"""Rater of labels that are false on purpose; see evals/canary.py."""
BASELINES = ("length", "tf-idf", "length + tf-idf", "constant", "shuffled")
"""What needs no understanding of the answers; see evals/baselines.py."""
RESERVED = frozenset({"grader", "calibrated", "all raters", *BASELINES})
"""Names in the tables that no rater may have."""
Kind = Literal["human", "model", "mixed", "unknown"]


def read_labels(
    path: Path, *, scale: tuple[int, int] = (0, 5), criteria: Collection[str] | None = None
) -> pd.DataFrame:
    """Columns item_id, criterion, rater, score (Float64, NA is N/A), note; one row per label.

    `criteria` are the keys allowed beside `overall`; None allows any. Raises ConfigError that
    names file and line for a score off the scale, an unknown criterion or a label given twice.
    """
    rows = read_rows(path, LABEL_COLUMNS)
    first: dict[tuple[str, ...], int] = {}
    for row in rows:
        _check_names(path, row, criteria)
        key = tuple(row.cells[name] for name in LABEL_COLUMNS[:3])
        if key in first:
            raise fault(path, row.line, f"the same label stands in line {first[key]} already")
        first[key] = row.line
    frame = pd.DataFrame([row.cells for row in rows], columns=list(LABEL_COLUMNS))
    scores = [_score(path, row, scale) for row in rows]
    frame["score"] = pd.array(scores, dtype="Float64")
    return frame


def read_raters(path: Path) -> dict[str, Kind]:
    """Kind by rater: human or model. Raises ConfigError with file and line."""
    kinds: dict[str, Kind] = {}
    for row in read_rows(path, RATER_COLUMNS):
        rater, kind, how = (row.cells[name] for name in RATER_COLUMNS)
        if not rater or rater in kinds:
            raise fault(path, row.line, "a rater needs a name that no other has")
        if kind not in ("human", "model"):
            raise fault(path, row.line, f"kind is human or model, not {kind!r}")
        if not how:
            raise fault(path, row.line, "say in `how` how this rater's labels came about")
        kinds[rater] = "human" if kind == "human" else "model"
    return kinds


def kind_of(raters: Iterable[str], kinds: Mapping[str, Kind]) -> Kind:
    """The kind of several raters together; human only where every one is."""
    found = {kinds.get(rater, "unknown") for rater in raters}
    if len(found) == 1:
        return found.pop()
    return "unknown" if "unknown" in found or not found else "mixed"


def by_rater(labels: pd.DataFrame, criterion: str) -> pd.DataFrame:
    """Scores of one criterion: one row per item (index item_id), one column per rater, NaN none."""
    chosen = labels[labels["criterion"] == criterion]
    table = chosen.pivot(index="item_id", columns="rater", values="score")
    return table.astype("float64")


def interview_of(item_id: str) -> str:
    """`<interview id>#<position>` without the position."""
    return item_id.rsplit("#", 1)[0]


def _check_names(path: Path, row: Row, criteria: Collection[str] | None) -> None:
    for name in LABEL_COLUMNS[:3]:
        if not row.cells[name]:
            raise fault(path, row.line, f"{name} is empty")
    if not re.fullmatch(r".+#[1-9][0-9]*", row.cells["item_id"]):
        raise fault(path, row.line, "an item_id is <interview id>#<position>, such as anna#3")
    if row.cells["rater"] in RESERVED:
        raise fault(path, row.line, "the rater's name is taken; call the rater something else")
    criterion = row.cells["criterion"]
    if criteria is not None and criterion != OVERALL and criterion not in criteria:
        known = ", ".join((*criteria, OVERALL))
        raise fault(path, row.line, f"no criterion {criterion!r} in the rubric; it has {known}")


def _score(path: Path, row: Row, scale: tuple[int, int]) -> float | None:
    text = row.cells["score"]
    if text in ("", "N/A"):
        return None
    if not re.fullmatch(r"[+-]?[0-9]+(\.[0-9]+)?", text):
        raise fault(path, row.line, f"{text!r} is no score; leave it empty for N/A")
    score = float(text)
    low, high = scale
    if not low <= score <= high:
        what = f"score {text} is not on the scale, {low} to {high}; --label-scale names another"
        raise fault(path, row.line, what)
    return score


def require_labels(labels: pd.DataFrame, where: str) -> None:
    """Raises ConfigError where nothing is left to measure against."""
    if labels.empty:
        raise ConfigError(f"no labels {where}.")
