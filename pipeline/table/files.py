"""The tables as CSV, Parquet and XLSX files.

CSV is for spreadsheets: text that could be a formula carries an apostrophe. Parquet holds the
values as they are; programs read that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pandas as pd
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]

from pipeline.atomic import replacing
from pipeline.table.build import Tables
from pipeline.table.numbers import OVERALLS, at_most, fixed
from pipeline.table.sheets import open_workbook
from pipeline.table.text import formula_safe

Add = Callable[[pd.DataFrame], None]
"""Writes a part of a table behind the parts before it."""
WORKBOOK = "grades.xlsx"
MOST_SHEET_ROWS = 100_000
"""A workbook with more rows on a sheet no longer opens well; spreadsheets end at 1,048,576."""


def write_tables(tables: Tables, folder: Path) -> None:
    """Write all table files into `folder`, each replaced in one step."""
    with open_tables(folder) as add:
        add(tables)


@contextmanager
def open_tables(folder: Path, *, workbook: bool = True) -> Iterator[Callable[[Tables], None]]:
    """A function that writes the tables part by part, at least one; each part is a row group.

    Each file is replaced in one step where the block ends well. Without `workbook` there is none
    afterwards: an old one would not belong to the other files.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        enter = stack.enter_context
        writers: list[tuple[str, Add]] = [
            ("grades", enter(_csv(folder / "grades.csv"))),
            ("grades", enter(_parquet(folder / "grades.parquet"))),
            ("criteria", enter(_parquet(folder / "criteria.parquet"))),
            ("candidates", enter(_csv(folder / "candidates.csv"))),
        ]
        if workbook:
            add_rows = enter(open_workbook(enter(replacing(folder / WORKBOOK))))
            for name in ("grades", "criteria", "candidates"):
                writers.append((name, add_rows(name)))
        else:
            (folder / WORKBOOK).unlink(missing_ok=True)

        def add(tables: Tables) -> None:
            for name, write in writers:
                write(getattr(tables, name))

        yield add


@contextmanager
def _parquet(path: Path) -> Iterator[Add]:
    with replacing(path) as draft, ExitStack() as stack:
        opened: list[pq.ParquetWriter] = []

        def add(frame: pd.DataFrame) -> None:
            schema = opened[0].schema if opened else None
            table = pa.Table.from_pandas(frame, schema=schema, preserve_index=False)
            if not opened:
                opened.append(stack.enter_context(pq.ParquetWriter(draft, table.schema)))
            opened[0].write_table(table)

        yield add


@contextmanager
def _csv(path: Path) -> Iterator[Add]:
    """RFC 4180 with a byte order mark, which spreadsheets need to see UTF-8."""
    with replacing(path) as draft, draft.open("w", encoding="utf-8-sig", newline="") as file:

        def add(frame: pd.DataFrame) -> None:
            text = {name: _printed(frame[name]) for name in frame.columns}
            as_text = pd.DataFrame(text, dtype=object)
            as_text.to_csv(file, index=False, header=not file.tell(), lineterminator="\r\n")

        yield add


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
