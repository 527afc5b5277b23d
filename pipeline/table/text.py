"""Text that every reader of a table can take: storable, and never a formula."""

from __future__ import annotations

import re

REPLACEMENT = "\ufffd"
CUT_MARK = " …[cut]"
CELL_LIMIT = 32_767
"""Most characters that a spreadsheet keeps in one cell (UTF-16 units)."""

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_XML_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
# A spreadsheet may skip white space and invisible characters before it looks for a formula.
_FORMULA = re.compile(
    "[\t\r\n]|[\\s\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]*[=+\\-@＝＋－＠﹢﹣﹦﹫]"
)


def storable(text: str) -> str:
    """`text` with NUL and lone surrogates replaced one for one, so that offsets still hold."""
    return _UNSTORABLE.sub(REPLACEMENT, text)


def is_formula(text: str) -> bool:
    """Whether a spreadsheet could take `text` for a formula."""
    return _FORMULA.match(text) is not None


def formula_safe(text: str) -> str:
    """`text` with an apostrophe before what a spreadsheet could take for a formula."""
    return f"'{text}" if is_formula(text) else text


def sheet_text(text: str) -> str:
    """`text` with plain line ends, without what XML forbids, cut visibly at a cell's limit."""
    clean = _XML_FORBIDDEN.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    if _units(clean) <= CELL_LIMIT:
        return clean
    room = CELL_LIMIT - len(CUT_MARK)
    kept = clean.encode("utf-16-le")[: room * 2].decode("utf-16-le", "ignore")
    return kept + CUT_MARK


def _units(text: str) -> int:
    """Length in UTF-16 units, the way spreadsheets count."""
    return len(text.encode("utf-16-le")) // 2
