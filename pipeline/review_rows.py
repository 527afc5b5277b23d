"""The rows of a review sheet, as a person or a spreadsheet saved it."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import NamedTuple

from pipeline.errors import ConfigError
from pipeline.intake.decode import decode
from pipeline.reviews import Review
from pipeline.table.text import is_formula

FILLED = ("decision_overall", "clear_flags", "reviewer", "why")
"""The columns that a person fills in."""
OPEN = ("item", "priority", "reasons", "flags", "overall", *FILLED)
BLIND = ("item", "question", "answer", "decision_overall", "reviewer", "why")
REQUIRED = frozenset({"item", "decision_overall", "reviewer", "why"})


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
