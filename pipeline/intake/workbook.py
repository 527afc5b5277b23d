"""Excel workbooks, row by row; a sheet without question and answer is skipped by name."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

import openpyxl  # type: ignore[import-untyped]

from pipeline.errors import InputError
from pipeline.intake.archive import check_office
from pipeline.intake.draft import Draft, Options, Source
from pipeline.intake.faults import PARSER_FAULTS
from pipeline.intake.rows import Row
from pipeline.intake.sources import read_whole
from pipeline.intake.table import read_table

MAX_EMPTY = 2_000
"""So many empty rows in sequence end a sheet."""
MAX_COLUMNS = 1_000


def read(source: Source, options: Options) -> Iterator[Draft]:
    """The drafts of an .xlsx file: one or several interviews a sheet."""
    data = read_whole(source)
    check_office(data, source=source.name)
    try:
        drafts = _sheets(data, source, options)
    except InputError:
        raise
    except PARSER_FAULTS:
        raise InputError(
            "is not a readable Excel workbook.", source=source.name, remedy="Save it as .xlsx."
        ) from None
    yield from drafts


def _sheets(data: bytes, source: Source, options: Options) -> list[Draft]:
    book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
    formulas = openpyxl.load_workbook(io.BytesIO(data), read_only=True)
    read: dict[str, list[Draft]] = {}
    refused: list[InputError] = []
    for sheet in book.worksheets:
        place = Source(
            name=f"{source.name}, sheet {sheet.title}",
            parts=source.parts,
            suffix=source.suffix,
            open=source.open,
        )
        try:
            rows = _rows(sheet, formulas[sheet.title], place.name)
            read[sheet.title] = list(read_table(rows, options, source=place))
        except InputError as error:
            refused.append(error)
    book.close()
    formulas.close()
    wrong = next((error for error in refused if error.line is not None), None)
    if wrong or not any(read.values()):
        raise wrong or refused[0]
    skipped = tuple(f"sheet skipped: {error.problem}" for error in refused)
    several = sum(map(bool, read.values())) > 1
    return [
        _placed(draft, title if several else None, skipped)
        for title, drafts in read.items()
        for draft in drafts
    ]


def _placed(draft: Draft, title: str | None, warnings: tuple[str, ...]) -> Draft:
    key = draft.key if draft.key is not None else title
    return Draft(**{**vars(draft), "key": key, "warnings": (*draft.warnings, *warnings)})


def _rows(sheet: Any, formulas: Any, name: str) -> Iterator[Row]:
    empty = 0
    both = zip(_cells(sheet), _cells(formulas), strict=False)
    for line, (cells, written) in enumerate(both, start=1):
        _refuse_uncomputed(cells, written, name, line)
        if any(cell is not None and str(cell).strip() for cell in cells):
            empty = 0
            yield Row(line, cells)
            continue
        empty += 1
        if empty > MAX_EMPTY:
            return


def _cells(sheet: Any) -> Iterator[tuple[Any, ...]]:
    rows: Iterator[tuple[Any, ...]] = sheet.iter_rows(values_only=True, max_col=MAX_COLUMNS)
    return rows


def _refuse_uncomputed(
    cells: tuple[Any, ...], written: tuple[Any, ...], name: str, line: int
) -> None:
    """A formula whose value was never stored would look like an empty answer."""
    for value, formula in zip(cells, written, strict=False):
        if value is None and isinstance(formula, str) and formula.startswith("="):
            raise InputError(
                "has a formula without a stored value.",
                source=name,
                line=line,
                remedy="Open the workbook in a spreadsheet program, save it, and read it again.",
            )
