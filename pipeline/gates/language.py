"""Whether an answer is in another language than its question, and whether it is code alone."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache

from pipeline.code_text import prose_lines
from pipeline.records import Item

_WIDE = re.compile("[\u3400-\u9fff\uf900-\ufaff]+")
_WORD = re.compile(r"[A-Za-z][A-Za-z'’]+")
_FURTHER = re.compile(
    "[\u3041-\u30fa\u30fc-\u30ff]+"  # kana stand alone between Chinese characters
    "|[\u0370-\u1cff\u1f00-\u1fff\uac00-\ud7a3\ufb1d-\ufdff\ufe70-\ufefc]{2,}"
)
"""Runs of any script but these two; a single letter is a symbol, such as that of a unit."""
UNSPACED = frozenset({"KANA", "THAI", "LAO", "KHMER", "MYANMAR", "TIBETAN"})
"""Scripts without a space between words: their characters are counted."""
CHINESE, LATIN = "CHINESE", "LATIN"
_QUOTED = re.compile(r"[“\"「『].{0,200}?[”\"」』]", re.DOTALL)
WORDS = 8
"""Words, or Chinese characters, that make a language."""


def is_other_language(item: Item) -> bool:
    """Whether question and answer are clearly in two languages; single terms never count."""
    prose = "\n".join(prose_lines(_QUOTED.sub("", item.answer or "")))
    asked, said = _shares(item.question), _shares(prose)
    if not asked or not said:
        return False
    # Latin words are terms in any language: what is beside them tells.
    return any(_gone_or_new(script, asked, said) for script in {*asked, *said} - {LATIN})


def _gone_or_new(script: str, asked: Mapping[str, float], said: Mapping[str, float]) -> bool:
    # Japanese has Chinese characters too: of kana a lower share is clear.
    clear = 0.6 if script == CHINESE else 0.4
    before, after = asked.get(script, 0.0), said.get(script, 0.0)
    return (before >= 0.4 and after <= 0.1) or (before <= 0.1 and after >= clear)


def is_code_only(answer: str) -> bool:
    """Whether an answer is code and says next to nothing beside it."""
    lines = [line for line in answer.splitlines() if line.strip()]
    prose = prose_lines(answer)
    return bool(lines) and len(prose) < len(lines) and not _explains(" ".join(prose))


def _explains(prose: str) -> bool:
    return _wide(prose) + 2 * len(_WORD.findall(prose)) >= 12


def _shares(text: str) -> dict[str, float]:
    """By script, its part of all words and characters; empty where there is too little."""
    counts = Counter({CHINESE: _wide(text), LATIN: len(_WORD.findall(text))})
    for run in _FURTHER.findall(text):
        script = _script(run[0])
        counts[script] += len(run) if script in UNSPACED else 1
    total = counts.total()
    return {script: count / total for script, count in counts.items()} if total >= WORDS else {}


@lru_cache(maxsize=4096)
def _script(letter: str) -> str:
    """The first word of the character's Unicode name, which is that of its script."""
    name = re.split("[ -]", unicodedata.name(letter, ""))[0]
    return "KANA" if name in ("HIRAGANA", "KATAKANA") else name


def _wide(text: str) -> int:
    """Chinese characters."""
    return sum(map(len, _WIDE.findall(text)))
