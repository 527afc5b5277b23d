"""The review sheet: the queue as a CSV file with empty columns for a person's decisions.

What somebody filled in is never lost: a sheet that is written anew takes over every row that was
not taken in yet. A blind sheet shows questions and answers, and nothing of what the grader thinks.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from pipeline.atomic import replace_file
from pipeline.errors import ConfigError, InputError
from pipeline.records import Item
from pipeline.review import QueueEntry
from pipeline.review_rows import BLIND, FILLED, OPEN, SheetRow, read_sheet, taken_in
from pipeline.reviews import Review
from pipeline.table.numbers import fixed
from pipeline.table.text import formula_safe, storable

OPEN_NAME, BLIND_NAME = "review.csv", "review-blind.csv"


def write_sheet(
    path: Path,
    queue: Sequence[QueueEntry],
    items: Mapping[str, Item],
    reviews: Mapping[str, Review],
    *,
    blind: bool = False,
) -> None:
    """Write the queue to `path` in one step, and take over what was filled in there."""
    rows = {row["item"]: row for row in map(_open_row, queue)}
    if blind:
        # Sorted by name: the order of the queue would tell what the grader doubts.
        rows = {name: _blind_row(items[name]) for name in sorted(rows)}
    for row in pending(path, reviews):
        name = row.cells["item"]
        if name in items:
            fresh = _blind_row(items[name]) if blind else row.cells
            rows[name] = {**rows.get(name, fresh), **{key: row.cells[key] for key in FILLED}}
    replace_file(path, lambda draft: _fill(draft, BLIND if blind else OPEN, rows.values()))


def pending(path: Path, reviews: Mapping[str, Review]) -> list[SheetRow]:
    """Filled rows of an existing sheet that were not taken in; what is no sheet is set aside."""
    if not path.exists():
        return []
    try:
        rows = read_sheet(path)
    except (ConfigError, InputError):
        with suppress(OSError):
            path.replace(path.with_name(f"{path.stem}.unreadable.csv"))
        return []
    return [
        row for row in rows if row.is_filled and not taken_in(row, reviews.get(row.cells["item"]))
    ]


def _open_row(entry: QueueEntry) -> dict[str, str]:
    return {
        "item": entry.item_id,
        "priority": str(entry.priority),
        "reasons": "; ".join(entry.reasons),
        "flags": "|".join(entry.flags),
        "overall": "" if entry.overall is None else fixed(entry.overall, 1),
    }


def _blind_row(item: Item) -> dict[str, str]:
    return {"item": item.item_id, "question": item.question, "answer": item.answer or ""}


def _fill(path: Path, columns: Sequence[str], rows: Iterable[Mapping[str, str]]) -> None:
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        for row in rows:
            writer.writerow(formula_safe(storable(row.get(name, ""))) for name in columns)
