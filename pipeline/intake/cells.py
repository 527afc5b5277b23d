"""One table cell to text: HTML, lists written into a cell, numbers that Excel made floats."""

from __future__ import annotations

import ast
import html
import json
import re

_BREAK = re.compile(r"<br\s*/?>|</(?:p|div|li|h[1-6]|tr)\s*>", re.I)
_TAG = re.compile(
    r"</?(?:p|div|span|b|i|u|strong|em|ul|ol|li|font|h[1-6]|a|tr|td|table|tbody|code|pre|sub|sup)"
    r"(?:\s[^<>]{0,300})?/?>",
    re.I,
)
_ENTITY = re.compile(r"&(?:nbsp|lt|gt|amp|quot|apos|#\d{1,6}|#x[0-9a-f]{1,5});", re.I)
# Lone surrogates come out of JSON escapes and cannot be written again.
_ODD = re.compile("[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")
MAX_LIST = 100_000


def text_of(cell: object) -> str | None:
    """The text of a cell; None for an empty one (None, NaN)."""
    if isinstance(cell, str):
        if cell[:1] == "[" and cell[-1:] == "]" and len(cell) < MAX_LIST:
            return _listed(cell)
        if not cell.isprintable() and _ODD.search(cell):
            cell = _ODD.sub("", cell.replace("\r\n", "\n").replace("\r", "\n"))
        return plain(cell) if "<" in cell or "&" in cell else cell
    if cell is None or cell != cell:
        return None
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    if isinstance(cell, list | tuple):
        return "\n".join(text for text in map(text_of, cell) if text)
    if isinstance(cell, dict):
        return json.dumps(cell, ensure_ascii=False)
    return str(cell)


def plain(text: str) -> str:
    """The text without the HTML that exports leave in cells; `List<String>` is no HTML."""
    if not (_BREAK.search(text) or _TAG.search(text) or _ENTITY.search(text)):
        return text
    return html.unescape(_TAG.sub("", _BREAK.sub("\n", text))).replace("\u00a0", " ").strip()


def _listed(cell: str) -> str:
    """`['one', 'two']` as an export of a list writes it; other text in brackets as it stands."""
    if cell[1:2] not in {"'", '"'}:
        return cell
    try:
        value = ast.literal_eval(cell)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return cell
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return "\n".join(value)
    return cell
