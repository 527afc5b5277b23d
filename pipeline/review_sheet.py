"""The review sheet: the queue as a CSV file with empty columns for a person's decisions.

What somebody filled in is never lost: a sheet that is written anew takes over every row that was
not taken in yet. A blind sheet shows questions and answers, and nothing of what the grader thinks.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import NamedTuple

from pipeline.atomic import replace_file
from pipeline.errors import ConfigError, InputError
from pipeline.intake.decode import decode
from pipeline.records import Item
from pipeline.review import QueueEntry
from pipeline.reviews import Review
from pipeline.table.numbers import fixed
from pipeline.table.text import formula_safe, is_formula, storable

FILLED = ("decision_overall", "clear_flags", "reviewer", "why")
"""The columns that a person fills in."""
OPEN = ("item", "priority", "reasons", "flags", "overall", *FILLED)
BLIND = ("item", "question", "answer", "decision_overall", "reviewer", "why")
REQUIRED = frozenset({"item", "decision_overall", "reviewer", "why"})
OPEN_NAME, BLIND_NAME = "review.csv", "review-blind.csv"


class SheetRow(NamedTuple):
    """One row of a sheet."""

    line: int
    """1-based line on which it ends."""
    cells: dict[str, str]
    """By column; empty where the sheet has no such column."""
    blind: bool
    """Whether the sheet does without the grader's scores."""

    @property
    def is_filled(self) -> bool:
        """Whether somebody wrote into it."""
        return any(self.cells.get(name) for name in FILLED)


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


def taken_in(row: SheetRow, review: Review | None) -> bool:
    """Whether this very row has become this decision."""
    if review is None or row.cells["reviewer"] != review.reviewer or row.cells["why"] != review.why:
        return False
    cleared, decided = row.cells["clear_flags"], row.cells["decision_overall"]
    if cleared != "all" and set(flag_names(cleared)) != set(review.cleared_flags):
        return False
    try:
        return not decided or Decimal(decided) == review.after
    except InvalidOperation:
        return False


def flag_names(text: str) -> tuple[str, ...]:
    """The names in a cell, each once."""
    return tuple(dict.fromkeys(name for name in re.split(r"[|,;、，；\s]+", text) if name))


def read_sheet(path: Path) -> list[SheetRow]:
    """The rows of a sheet, also as spreadsheets save it. Raises ConfigError or InputError."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror}).") from None
    text, _ = decode(data, source=str(path))
    first = text.partition("\n")[0]
    delimiter = max(",;\t", key=first.count)
    try:
        return list(_rows(path, text, delimiter))
    except csv.Error as error:
        raise ConfigError(f"{path}: is not valid CSV: {error}.") from None


def _rows(path: Path, text: str, delimiter: str) -> Iterator[SheetRow]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    header = [name.strip().lstrip("\ufeff") for name in next(reader, [])]
    if missing := sorted(REQUIRED - set(header)):
        raise ConfigError(f"{path}: is no review sheet: it has no column {', '.join(missing)}.")
    for cells in reader:
        if any(cell.strip() for cell in cells):
            known = dict(zip(header, map(_cell, cells), strict=False))
            every = {name: known.get(name, "") for name in {*OPEN, *BLIND}}
            yield SheetRow(reader.line_num, every, "overall" not in header)


def _cell(text: str) -> str:
    """A cell as it was before it was made safe for spreadsheets."""
    text = text.strip()
    return text[1:] if text.startswith("'") and is_formula(text[1:]) else text


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
