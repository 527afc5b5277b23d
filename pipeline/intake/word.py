"""Word documents: paragraphs in order, and tables where they hold the items."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

import docx
from docx.document import Document
from docx.table import Table

from pipeline.errors import InputError
from pipeline.intake.archive import check_office
from pipeline.intake.columns import recognised
from pipeline.intake.draft import Draft, Line, Options, Source
from pipeline.intake.faults import PARSER_FAULTS
from pipeline.intake.rows import Row
from pipeline.intake.sources import read_whole
from pipeline.intake.table import read_table
from pipeline.intake.text import numbered, read_lines


def read(source: Source, options: Options) -> Iterator[Draft]:
    """The drafts of a .docx file; places are paragraph numbers."""
    data = read_whole(source)
    check_office(data, source=source.name)
    try:
        document = docx.Document(io.BytesIO(data))
        table = _table_of_items(document)
        rows = _rows(table) if table is not None else []
        text = "\n".join(_lines(document))
    except PARSER_FAULTS:
        raise InputError(
            "is not a readable Word document.", source=source.name, remedy="Save it as .docx."
        ) from None
    if rows:
        yield from read_table(rows, options, source=source)
        return
    yield read_lines(_renumbered(text), source=source.name)


def _lines(document: Document) -> Iterator[str]:
    """Paragraphs as Markdown-like lines: heading styles as #, all-bold paragraphs as **bold**."""
    for block in document.iter_inner_content():
        if isinstance(block, Table):
            for row in block.rows:
                yield from _row_lines(row)
        else:
            yield _styled(block)


def _styled(paragraph: Any) -> str:
    text = str(paragraph.text).replace("\x0b", "\n")
    style = str(paragraph.style.name if paragraph.style is not None else "")
    if style.startswith(("Heading ", "标题 ")) and style[-1].isdigit() and text.strip():
        return "#" * min(int(style[-1]), 6) + " " + text.strip()
    return text


def _row_lines(row: Any) -> Iterator[str]:
    """A two-column row as `label：text`; merged cells, which repeat, once."""
    cells: list[str] = []
    for cell in row.cells:
        text = str(cell.text).strip()
        if not cells or text != cells[-1]:
            cells.append(text)
    if len(cells) == 2 and cells[0] and not cells[0].endswith((":", "：")) and len(cells[0]) <= 20:
        yield f"{cells[0]}：{cells[1]}"
    else:
        yield from cells


def _table_of_items(document: Document) -> Table | None:
    for table in document.tables:
        if table.rows and {"question", "answer"} <= recognised(
            [cell.text for cell in table.rows[0].cells]
        ):
            return table
    return None


def _rows(table: Table) -> list[Row]:
    return [
        Row(at, [cell.text for cell in row.cells]) for at, row in enumerate(table.rows, start=1)
    ]


def _renumbered(text: str) -> list[Line]:
    return numbered(text)
