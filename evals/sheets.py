"""Blind sheets: what a rater sees, and the key that leads back to the items.

A sheet shows question, objective and answer only, in an order that hides who said what. The key
(row,item_id) stays with whoever hands out the sheets.
"""

from __future__ import annotations

import csv
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from evals.labels import OVERALL
from pipeline.atomic import replace_file
from pipeline.errors import ConfigError
from pipeline.gates import check
from pipeline.records import Interview, Item
from pipeline.table.text import formula_safe, storable

KEY_COLUMNS = ("row", "item_id")
SHOWN = ("row", "question", "objective", "answer")


@dataclass(frozen=True, kw_only=True)
class SheetRow:
    """One answer to rate."""

    row: str
    """Opaque id of the row."""
    item: Item
    """The item; only question, objective and answer are shown."""
    given: Mapping[str, str]
    """Scores that stand already, by criterion (adjudication)."""


def sheet_columns(criteria: Sequence[str]) -> tuple[str, ...]:
    """The columns of a sheet: what is shown, then what the rater fills in."""
    return (*SHOWN, *criteria, OVERALL, "note")


def make_sheet(
    interviews: Iterable[Interview],
    *,
    rater: str,
    seed: int = 0,
    sample: int | None = None,
    only: Mapping[str, Mapping[str, str]] | None = None,
) -> list[SheetRow]:
    """The rows in an order of their own for each rater; blank and missing answers are left out.

    `sample` takes so many answers by chance, for one seed the same ones for all raters. `only`
    names the items to show, each with the scores that stand already. Raises ConfigError where
    nothing is left.
    """
    items = [item for interview in interviews for item in interview.items if _rateable(item)]
    if only is not None:
        items = [item for item in items if item.item_id in only]
    if not items:
        raise ConfigError("there is nothing to rate: no item with an answer was found.")
    if sample is not None and sample < len(items):
        # By the seed alone, so that all raters get the same answers.
        items = random.Random(seed).sample(items, sample)
    chance = random.Random(f"{seed}|{rater}")
    chance.shuffle(items)
    ids = chance.sample(range(16**6), len(items))
    return [
        SheetRow(row=f"r{number:06x}", item=item, given=(only or {}).get(item.item_id, {}))
        for number, item in zip(ids, items, strict=True)
    ]


def write_sheet(rows: Sequence[SheetRow], criteria: Sequence[str], sheet: Path, key: Path) -> None:
    """Write sheet and key as CSV. Raises ConfigError rather than overwrite either."""
    for path in (sheet, key):
        if path.exists():
            raise ConfigError(f"{path} exists already; it may hold a rater's work. Choose another.")
    columns = sheet_columns(criteria)
    table = [[_cell(row, column) for column in columns] for row in rows]
    _write_csv(sheet, columns, table)
    _write_csv(key, KEY_COLUMNS, [[row.row, row.item.item_id] for row in rows])


def _rateable(item: Item) -> bool:
    gate = check(item)
    return gate is None or gate.status == "copied"


def _cell(row: SheetRow, column: str) -> str:
    shown = {
        "row": row.row,
        "question": row.item.question,
        "objective": row.item.objective or "",
        "answer": row.item.answer or "",
    }
    return formula_safe(storable(shown.get(column, row.given.get(column, ""))))


def _write_csv(path: Path, header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    replace_file(path, partial(_fill, header=header, rows=rows))


def _fill(path: Path, *, header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    # A byte order mark: spreadsheets take the file for another encoding without it.
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows(rows)
