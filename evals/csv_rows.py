"""Strict CSV: exactly the columns of a format, and every fault with file and line."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from pipeline.errors import ConfigError


class Row(NamedTuple):
    """One row of a file."""

    line: int
    """1-based line on which the row starts."""
    cells: dict[str, str]
    """By column name, white space around the cells removed."""


def read_rows(path: Path, columns: Sequence[str]) -> list[Row]:
    """The rows of a CSV file with exactly these columns, in any order. Raises ConfigError."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror}).") from None
    except UnicodeDecodeError:
        raise ConfigError(f"{path}: is not UTF-8. Save it as CSV UTF-8.") from None
    try:
        return list(_rows(path, text, columns))
    except csv.Error as error:
        raise ConfigError(f"{path}: is not valid CSV: {error}.") from None


def _rows(path: Path, text: str, columns: Sequence[str]) -> Iterator[Row]:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    header = [name.strip() for name in next(reader, [])]
    if sorted(header) != sorted(columns):
        found = ",".join(header) or "nothing"
        raise fault(path, 1, f"the columns must be {','.join(columns)}, found {found}")
    line = reader.line_num + 1
    for cells in reader:
        if any(cell.strip() for cell in cells):
            if len(cells) != len(header):
                what = f"{len(cells)} cells, but the header has {len(header)}"
                raise fault(path, line, f"{what}; quote text that holds commas")
            yield Row(line, dict(zip(header, (cell.strip() for cell in cells), strict=True)))
        line = reader.line_num + 1


def fault(path: Path, line: int, what: str) -> ConfigError:
    """The error for one line of a file."""
    return ConfigError(f"{path}, line {line}: {what}.")
