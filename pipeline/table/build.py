"""Interviews and outcomes -> three pandas DataFrames."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from types import MappingProxyType
from typing import Any

import pandas as pd

from pipeline.calibration import Calibrated
from pipeline.records import Candidate, Interview, Outcome
from pipeline.reviews import Review
from pipeline.table.columns import (
    CANDIDATES,
    CRITERIA,
    Column,
    CriterionRow,
    ItemRow,
    Kind,
    Row,
    criterion_of,
    grade_columns,
)
from pipeline.table.text import storable

_DTYPES: Mapping[Kind, Any] = {
    "text": pd.StringDtype(na_value=pd.NA),
    "whole": pd.Int64Dtype(),
    "number": pd.Float64Dtype(),
    "truth": pd.BooleanDtype(),
}


@dataclass(frozen=True, kw_only=True)
class Tables:
    """The results of a run. Missing values are pandas' NA, never 0."""

    grades: pd.DataFrame
    """One row per item."""
    criteria: pd.DataFrame
    """One row per item and criterion."""
    candidates: pd.DataFrame
    """One row per interview."""


def build_tables(
    interviews: Iterable[Interview],
    outcomes: Mapping[str, Outcome],
    candidates: Sequence[Candidate],
    keys: Sequence[str],
    reviews: Mapping[str, Review] = MappingProxyType({}),
    calibrated: Mapping[str, Calibrated] | None = None,
) -> Tables:
    """Tables in the order of the interviews; an item without an outcome has status not_run.

    `calibrated` is by item id; None leaves out the columns of calibrated scores.
    """
    bent = calibrated or {}
    rows = [
        ItemRow(
            interview.id,
            item,
            outcomes.get(item.item_id),
            reviews.get(item.item_id),
            bent.get(item.item_id),
        )
        for interview in interviews
        for item in interview.items
    ]
    parts = [
        CriterionRow(row.interview_id, row.item.item_id, key, criterion_of(row.outcome, key))
        for row in rows
        for key in keys
    ]
    return Tables(
        grades=_frame(grade_columns(keys, calibrated=calibrated is not None), rows),
        criteria=_frame(CRITERIA, parts),
        candidates=_frame(CANDIDATES, candidates),
    )


def _frame(columns: Sequence[Column[Row]], rows: Sequence[Row]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            column.name: pd.array(
                [_cell(column.kind, column.value(row)) for row in rows],
                dtype=_DTYPES[column.kind],
            )
            for column in columns
        }
    )


def _cell(kind: Kind, value: object) -> Any:
    """The value in the form that the column's dtype takes."""
    if value is None:
        return pd.NA
    if kind == "text":
        return storable(_as_text(value))
    return float(value) if isinstance(value, Decimal) else value


def _as_text(value: object) -> str:
    """Numbers without an idle fraction: 10 years, not 10.0."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
