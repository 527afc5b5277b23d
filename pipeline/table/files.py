"""The tables as CSV, Parquet and XLSX files.

CSV is for spreadsheets: text that could be a formula carries an apostrophe. Parquet holds the
values as they are; programs read that.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pandas as pd

from pipeline.atomic import replace_file
from pipeline.table.build import Tables
from pipeline.table.numbers import OVERALLS, at_most, fixed
from pipeline.table.sheets import write_workbook
from pipeline.table.text import formula_safe


def write_tables(tables: Tables, folder: Path) -> None:
    """Write all table files into `folder`, each replaced in one step."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, write in _writers(tables).items():
        replace_file(folder / name, write)


def _writers(tables: Tables) -> dict[str, Callable[[Path], None]]:
    return {
        "grades.csv": partial(_write_csv, tables.grades),
        "grades.parquet": partial(_write_parquet, tables.grades),
        "criteria.parquet": partial(_write_parquet, tables.criteria),
        "candidates.csv": partial(_write_csv, tables.candidates),
        "grades.xlsx": partial(
            write_workbook,
            {
                "grades": tables.grades,
                "criteria": tables.criteria,
                "candidates": tables.candidates,
            },
        ),
    }


def _write_parquet(frame: pd.DataFrame, path: Path) -> None:
    frame.to_parquet(path, engine="pyarrow", index=False)


def _write_csv(frame: pd.DataFrame, path: Path) -> None:
    """RFC 4180 with a byte order mark, which spreadsheets need to see UTF-8."""
    as_text = pd.DataFrame({name: _printed(frame[name]) for name in frame.columns}, dtype=object)
    as_text.to_csv(path, index=False, encoding="utf-8-sig", lineterminator="\r\n")


def _printed(column: pd.Series) -> list[str]:
    """The cells as text; missing is empty."""
    return ["" if value is pd.NA else _print(str(column.name), value) for value in column]


def _print(name: str, value: object) -> str:
    if isinstance(value, str):
        return formula_safe(value)
    if not isinstance(value, float):
        return str(value)
    if name in OVERALLS:
        return fixed(value, 1)
    return at_most(value, 4 if name == "coverage" else 2)
