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
_WHOLE = re.compile(r"\s*<([a-z][a-z0-9]*)\b[^<>]{0,300}>.*</\1\s*>\s*$", re.I | re.S)
_ENTITY = re.compile(r"&(?:nbsp|lt|gt|amp|quot|apos|#\d{1,6}|#x[0-9a-f]{1,5});", re.I)
# Lone surrogates come out of JSON escapes and cannot be written again.
_ODD = re.compile("[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")
_LIST = re.compile(r"\s*\[\s*['\"]")
MAX_LIST = 100_000


def text_of(cell: object) -> str | None:
    """The text of a cell; None for an empty one (None, NaN)."""
    if isinstance(cell, str):
        return _text_of_text(cell)
    if cell is None or cell != cell:
        return None
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    if isinstance(cell, list | tuple):
        return "\n".join(text for text in map(text_of, cell) if text)
    return json.dumps(cell, ensure_ascii=False) if isinstance(cell, dict) else str(cell)


def _text_of_text(cell: str) -> str:
    if cell[:1] == "[":
        texts = list_of(cell)
        if texts is not None:
            return "\n".join(texts)
    if not cell.isprintable() and _ODD.search(cell):
        cell = _ODD.sub("", cell.replace("\r\n", "\n").replace("\r", "\n"))
    return plain(cell) if "<" in cell or "&" in cell else cell


def plain(text: str) -> str:
    """The text without the HTML that exports leave in cells.

    `List<String>` is no HTML, nor is text that speaks of tags: `Use <b> for bold.`
    """
    tagged = _TAG.search(text) and (_WHOLE.match(text) or _BREAK.search(text))
    if not (tagged or _BREAK.search(text) or _ENTITY.search(text)):
        return text
    return html.unescape(_TAG.sub("", _BREAK.sub("\n", text))).replace("\u00a0", " ").strip()


def list_of(cell: object) -> list[str] | None:
    """The texts of a list, or of `['one', 'two']` as an export writes it; None for any other."""
    if isinstance(cell, list | tuple):
        return [text_of(one) or "" for one in cell]
    if not isinstance(cell, str) or len(cell) >= MAX_LIST or not _LIST.match(cell):
        return None
    try:
        value = ast.literal_eval(cell.strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    return value if isinstance(value, list) and all(isinstance(v, str) for v in value) else None
