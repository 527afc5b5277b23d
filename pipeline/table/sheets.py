"""The tables as one workbook in which no text computes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from io import BytesIO
from pathlib import Path
from typing import Any

import pandas as pd
import xlsxwriter  # type: ignore[import-untyped]
from xlsxwriter.exceptions import FileCreateError  # type: ignore[import-untyped]

from pipeline.table.numbers import OVERALLS, round_half_up
from pipeline.table.text import is_formula, sheet_text

_WIDTHS: Mapping[str, int] = {
    "interview_id": 26,
    "item_id": 28,
    "number": 8,
    "question": 48,
    "status": 15,
    "flags": 28,
    "reason": 36,
    "reasons": 48,
    "quote": 48,
    "problems": 40,
    "rationale": 40,
    "role": 20,
    "recommendation": 18,
    "prompt_version": 22,
    "model": 26,
}
_OPTIONS = {
    "constant_memory": True,
    "strings_to_formulas": False,
    "strings_to_urls": False,
    "strings_to_numbers": False,
}
# Equal tables give equal bytes only if the file does not carry the time it was written.
_CREATED = datetime(2000, 1, 1)  # noqa: DTZ001 (the format has no time zone)


class Memory(BytesIO):
    """Bytes that stay open to the end.

    On a full disk the library leaves an open archive. When it is collected it wants to write its
    last words, and complains with a traceback where it cannot.
    """

    def close(self) -> None:
        """Nothing to close."""


@contextmanager
def open_workbook(path: Path) -> Iterator[Callable[[str], Callable[[pd.DataFrame], None]]]:
    """A function that adds a sheet by name and gives what writes rows onto it. Raises OSError."""
    whole = Memory()
    try:
        with xlsxwriter.Workbook(whole, _OPTIONS) as book:
            book.set_properties({"created": _CREATED})
            styles = _styles(book)
            yield lambda name: _rows_of(book.add_worksheet(name), styles)
    except FileCreateError as error:
        raise OSError(*error.args[0].args) from None
    path.write_bytes(whole.getbuffer())


def _rows_of(sheet: Any, styles: Mapping[str, Any]) -> Callable[[pd.DataFrame], None]:
    """Writes frames one under the other, below a frozen header."""
    row = 0  # that of the header

    def add(frame: pd.DataFrame) -> None:
        nonlocal row
        names = [str(name) for name in frame.columns]
        if not row:
            _write_header(sheet, names, styles)
        for values in frame.itertuples(index=False, name=None):
            row += 1
            for place, value in enumerate(values):
                if value is not pd.NA:
                    _write_cell(sheet, row, place, names[place], value, styles)

    return add


def _styles(book: Any) -> dict[str, Any]:
    return {
        "header": book.add_format({"bold": True, "bottom": 1, "valign": "top"}),
        "text": book.add_format({"valign": "top"}),
        # Keeps the text a text also when somebody edits the cell.
        "quoted": book.add_format({"valign": "top", "quote_prefix": True}),
        "tenth": book.add_format({"valign": "top", "num_format": "0.0"}),
    }


def _write_header(sheet: Any, names: Sequence[str], styles: Mapping[str, Any]) -> None:
    sheet.freeze_panes(1, 0)
    for place, name in enumerate(names):
        sheet.set_column(place, place, _WIDTHS.get(name, max(10, len(name) + 2)))
        sheet.write_string(0, place, sheet_text(name), styles["header"])


def _write_cell(
    sheet: Any, row: int, place: int, name: str, value: object, styles: Mapping[str, Any]
) -> None:
    if isinstance(value, str):
        style = styles["quoted" if is_formula(value) else "text"]
        sheet.write_string(row, place, sheet_text(value), style)
    elif isinstance(value, bool):
        sheet.write_boolean(row, place, value, styles["text"])
    elif isinstance(value, float):
        tenth = name in OVERALLS
        number = float(round_half_up(value, 1 if tenth else 4))
        sheet.write_number(row, place, number, styles["tenth" if tenth else "text"])
    else:
        sheet.write_number(row, place, value, styles["text"])
