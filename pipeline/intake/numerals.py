"""Numbers as printed: 3, ３, 三, 十二, 02.4.1."""

from __future__ import annotations

import re
import unicodedata

_DIGITS = {char: value for value, char in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
NUMERAL = r"(?:[0-9０-９]{1,4}(?:[.．\-][0-9０-９]{1,3})*|[零〇一二两三四五六七八九十百]{1,6})"
"""Pattern of a printed question number."""


def printed_number(text: str) -> int | str | None:
    """An int for a plain whole number, the text for any other, None for nothing."""
    folded = unicodedata.normalize("NFKC", text).strip()
    if re.fullmatch(r"[0-9]{1,9}", folded):
        return int(folded)
    return _chinese(folded) or folded or None


def years(text: str) -> int | float | str | None:
    """A number for `10年`, `3.5 years`, `五年`; the text as printed for anything else."""
    printed = text.strip()
    folded = unicodedata.normalize("NFKC", printed)
    match = re.fullmatch(
        r"([0-9]{1,3}(?:\.[0-9]{1,3})?|[零一二两三四五六七八九十]{1,3})\s*"
        r"(?:年(?:工作|从业)?(?:经验)?|years?|yrs?\.?|y)?(?: of experience)?",
        folded,
        re.I,
    )
    if not match:
        return printed or None
    number = match[1]
    if number[0].isascii():
        return float(number) if "." in number else int(number)
    return _chinese(number) or printed


def _chinese(text: str) -> int | None:
    if not text or any(char not in _DIGITS and char not in "十百" for char in text):
        return None
    if not any(char in "十百" for char in text):
        return _DIGITS[text] if len(text) == 1 else None
    total, digit = 0, 0
    for char in text:
        if char in _DIGITS:
            digit = _DIGITS[char]
        else:
            total, digit = total + max(digit, 1) * (10 if char == "十" else 100), 0
    return total + digit
