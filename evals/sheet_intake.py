"""A filled sheet -> labels: checked whole, taken in whole, nobody else's rows touched."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path

from evals.csv_rows import Row, read_rows
from evals.labels import LABEL_COLUMNS, OVERALL, RESERVED, read_labels
from evals.sheets import KEY_COLUMNS, sheet_columns
from pipeline.atomic import replace_file
from pipeline.errors import ConfigError

Label = tuple[str, str, str, str, str]
"""item_id, criterion, rater, score ("" is N/A), note."""
Scale = tuple[int, int]


def read_sheet(
    sheet: Path, key: Path, criteria: Sequence[str], *, rater: str, scale: Scale
) -> list[Label]:
    """The labels of a filled sheet. ConfigError lists every fault, so that one round mends all."""
    if rater in RESERVED or not rater.strip():
        raise ConfigError(f"{rater!r} cannot be a rater's name.")
    items = {row.cells["row"]: row.cells["item_id"] for row in read_rows(key, KEY_COLUMNS)}
    rows = read_rows(sheet, sheet_columns(criteria))
    faults = [*_faults_of_rows(sheet, rows, items)]
    labels: list[Label] = []
    for row in rows:
        item = items.get(row.cells["row"], "")
        for criterion in (*criteria, OVERALL):
            score, what = _score(row.cells[criterion], scale, criterion)
            if what:
                faults.append(f"{sheet}, line {row.line}: {criterion} {what}.")
            note = row.cells["note"] if criterion == OVERALL else ""
            labels.append((item, criterion, rater, score, note))
    if faults:
        raise ConfigError("\n".join(faults))
    return labels


def add_labels(path: Path, labels: Iterable[Label], *, rater: str, replace: bool = False) -> int:
    """Put one rater's labels into the file; how many rows it holds of that rater now.

    Rows of others stay as they are. Rows that the rater has already are refused, or replaced with
    `replace`. Raises ConfigError.
    """
    old = _old_rows(path)
    new = list(labels)
    if {label[2] for label in new} - {rater}:
        raise ConfigError(f"labels of another rater than {rater} cannot be taken in here.")
    keys = {label[:3] for label in new}
    mine = [row for row in old if row[:3] in keys]
    if mine and not replace:
        raise ConfigError(
            f"{path}: {rater} has {len(mine)} of these labels already. "
            "Add --replace to put the sheet's in their place; no other rater's rows change."
        )
    kept = [row for row in old if row[:3] not in keys]
    replace_file(path, partial(_fill, rows=[*kept, *new]))
    return sum(row[2] == rater for row in (*kept, *new))


def _old_rows(path: Path) -> list[Label]:
    if not path.exists():
        return []
    read_labels(path, scale=(-(10**6), 10**6))
    rows = [row.cells for row in read_rows(path, LABEL_COLUMNS)]
    return [(r["item_id"], r["criterion"], r["rater"], r["score"], r["note"]) for r in rows]


def _faults_of_rows(sheet: Path, rows: Sequence[Row], items: Mapping[str, str]) -> Iterable[str]:
    seen: dict[str, int] = {}
    for row in rows:
        name = row.cells["row"]
        if name not in items:
            yield f"{sheet}, line {row.line}: row {name!r} is not in this key."
        if name in seen:
            yield f"{sheet}, line {row.line}: row {name!r} stands in line {seen[name]} already."
        seen[name] = row.line
    if lacking := [name for name in items if name not in seen]:
        yield f"{sheet}: {len(lacking)} rows of the key are missing: {', '.join(lacking[:5])}."


def _score(text: str, scale: Scale, criterion: str) -> tuple[str, str]:
    """The score as it is stored, and what is wrong with it."""
    low, high = scale
    if text.upper() in ("N/A", "NA") and criterion != OVERALL:
        return "", ""
    number = text.removesuffix(".0")
    if number.isascii() and number.isdecimal() and low <= int(number) <= high:
        return str(int(number)), ""
    if not text:
        return "", f"is empty; give {low} to {high}, or N/A where it is not asked for"
    return "", f"is {text!r}; give a whole number from {low} to {high}"


def _fill(path: Path, *, rows: Iterable[Label]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(LABEL_COLUMNS)
        writer.writerows(rows)
