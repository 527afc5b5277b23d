"""Tables of a Word document: which of them hold the items, and the text of a cell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from docx.oxml.ns import qn
from docx.table import Table

from pipeline.intake.columns import recognised
from pipeline.intake.rows import Row

_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_TEXT = {qn("w:tab"): "\t", qn("w:br"): "\n", qn("w:cr"): "\n"}


def visible_text(element: Any) -> str:
    """All visible text: inserted passages and text boxes too, deleted passages not."""
    if element.tag == qn("w:t"):
        return element.text or ""
    if element.tag in _TEXT:
        return _TEXT[element.tag]
    if element.tag == _FALLBACK:
        return ""
    return "".join(
        visible_text(child) for child in element.iterchildren() if isinstance(child.tag, str)
    )


def cell_text(cell: Any) -> str:
    """The paragraphs of a cell, one a line."""
    return "\n".join(visible_text(one) for one in cell._tc.iter(qn("w:p"))).strip()


def tables_of_items(tables: Sequence[Table]) -> list[Table]:
    """The first table that names question and answer, and all others with its header."""
    found: list[Table] = []
    for table in tables:
        header = _header(table)
        named = {"question", "answer"} <= recognised(header)
        if named and (not found or header == _header(found[0])):
            found.append(table)
    return found


def rows_of_items(tables: Sequence[Table]) -> list[Row]:
    """One header and the rows of all tables, counted through."""
    rows = [row for at, table in enumerate(tables) for row in list(table.rows)[at > 0 :]]
    return [Row(at, [cell_text(cell) for cell in row.cells]) for at, row in enumerate(rows, 1)]


def _header(table: Table) -> list[str]:
    return [cell_text(cell) for cell in table.rows[0].cells] if table.rows else []
