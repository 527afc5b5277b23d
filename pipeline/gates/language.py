"""Whether an answer is in another language than its question, and whether it is code alone."""

from __future__ import annotations

import re

from pipeline.code_text import prose_lines
from pipeline.records import Item

_WIDE = re.compile("[\u3400-\u9fff\uf900-\ufaff]+")
_WORD = re.compile(r"[A-Za-z][A-Za-z'’]+")
_QUOTED = re.compile(r"[“\"「『].{0,200}?[”\"」』]", re.DOTALL)
WORDS = 8
"""Latin words, or half as many Chinese characters again, that make a language."""


def is_other_language(item: Item) -> bool:
    """Whether question and answer are clearly in two languages; single terms never count."""
    prose = "\n".join(prose_lines(_QUOTED.sub("", item.answer or "")))
    asked, said = _chinese_share(item.question), _chinese_share(prose)
    if asked is None or said is None:
        return False
    return (asked >= 0.4 and said <= 0.1) or (asked <= 0.1 and said >= 0.6)


def is_code_only(answer: str) -> bool:
    """Whether an answer is code and says next to nothing beside it."""
    lines = [line for line in answer.splitlines() if line.strip()]
    prose = prose_lines(answer)
    return bool(lines) and len(prose) < len(lines) and not _explains(" ".join(prose))


def _explains(prose: str) -> bool:
    return _wide(prose) + 2 * len(_WORD.findall(prose)) >= 12


def _chinese_share(text: str) -> float | None:
    """Chinese characters among characters and Latin words; None where there is too little."""
    wide, words = _wide(text), len(_WORD.findall(text))
    return wide / (wide + words) if wide + words >= WORDS else None


def _wide(text: str) -> int:
    """Chinese characters."""
    return sum(map(len, _WIDE.findall(text)))
