"""Word documents: paragraphs in order, and tables where they hold the items."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import docx
from docx.document import Document
from docx.oxml.ns import qn
from docx.table import Table
from docx.text.paragraph import Paragraph

from pipeline.errors import InputError
from pipeline.intake.archive import check_office
from pipeline.intake.asking import ends_asking
from pipeline.intake.draft import Draft, Options, Source, warned
from pipeline.intake.faults import PARSER_FAULTS
from pipeline.intake.header import with_head
from pipeline.intake.sources import read_whole
from pipeline.intake.table import read_table
from pipeline.intake.text import numbered, read_lines
from pipeline.intake.word_tables import cell_text, rows_of_items, tables_of_items, visible_text

_P, _TABLE, _SDT = qn("w:p"), qn("w:tbl"), qn("w:sdt")


def read(source: Source, options: Options) -> Iterator[Draft]:
    """The drafts of a .docx file; places are line numbers, a paragraph being a line or more."""
    data = read_whole(source)
    check_office(data, source=source.name)
    try:
        document = docx.Document(io.BytesIO(data))
        tables = tables_of_items(document.tables)
        rows = rows_of_items(tables)
        above, below = _around(document, tables)
    except PARSER_FAULTS:
        raise InputError(
            "is not a readable Word document.", source=source.name, remedy="Save it as .docx."
        ) from None
    if not rows:
        yield read_lines(numbered("\n".join(above)), source=source.name)
        return
    outside = f"{len(below)} lines outside the table were left out"
    for draft in read_table(rows, options, source=source):
        yield warned(with_head(draft, above), *([outside] if below else []))


def _around(document: Document, tables: Sequence[Table]) -> tuple[list[str], list[str]]:
    """The lines above the tables of items, and those below that have text."""
    own = {table._tbl for table in tables}
    counts: Counter[str] = Counter()
    above: list[str] = []
    below: list[str] = []
    lines = above
    for block in _blocks(document.element.body):
        if block in own:
            lines = below
        else:
            lines += _lines(block, document, counts)
    return above, [line for line in below if line.strip()]


def _lines(block: Any, document: Document, counts: Counter[str]) -> Iterator[str]:
    """A block with its form as Markdown has it: #, **bold**, and numbers before questions."""
    if block.tag == _TABLE:
        for row in Table(block, document).rows:
            yield from _row_lines(row)
    else:
        yield _styled(block, document, counts)


def _blocks(parent: Any) -> Iterator[Any]:
    """Paragraphs and tables in order, those in content controls included."""
    for child in parent.iterchildren():
        if child.tag in {_P, _TABLE}:
            yield child
        elif child.tag == _SDT:
            for content in child.iterchildren(qn("w:sdtContent")):
                yield from _blocks(content)


def _styled(element: Any, document: Document, counts: Counter[str]) -> str:
    text = visible_text(element)
    paragraph = Paragraph(element, document)
    style = str(paragraph.style.name if paragraph.style is not None else "")
    if not text.strip():
        return ""
    if style.startswith(("Heading ", "标题 ")) and style[-1].isdigit():
        return "#" * min(int(style[-1]), 6) + " " + text.strip()
    numbering = element.find(f"{qn('w:pPr')}/{qn('w:numPr')}/{qn('w:numId')}")
    listed = numbering is not None or style.startswith("List Number")
    if listed and ends_asking(text):
        name = style if numbering is None else str(numbering.get(qn("w:val")))
        counts[name] += 1
        return f"{counts[name]}. {text.strip()}"
    runs = [run for run in paragraph.runs if run.text.strip()]
    bold = bool(runs) and all(run.bold for run in runs) and "\n" not in text.strip()
    return f"**{text.strip()}**" if bold else text


def _row_lines(row: Any) -> Iterator[str]:
    """A two-column row as `label：text`; merged cells, which repeat, once."""
    cells: list[str] = []
    for cell in row.cells:
        text = cell_text(cell)
        if not cells or text != cells[-1]:
            cells.append(text)
    if len(cells) == 2 and 0 < len(cells[0]) <= 20 and not cells[0].endswith((":", "：")):
        yield f"{cells[0]}：{cells[1]}"
    elif len(cells) == 2 and len(cells[0]) <= 20:
        yield "".join(cells)
    else:
        yield from cells
