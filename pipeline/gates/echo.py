"""Whether an answer begins with its question and then goes on."""

from __future__ import annotations

import math
from difflib import SequenceMatcher

from pipeline.folding import fold
from pipeline.records import Item

LEAST = 15
"""Folded characters that must be alike."""
LEAST_CHINESE = 5
"""So many of them Chinese, where the question is: one Latin term said again is no echo."""
SHARE = 0.6
"""Share of the question that must be said again."""
MOST = 600
"""So many characters of a question are compared."""
SLACK = 15
"""Folded characters that may stand before."""


def echoes_question(item: Item) -> bool:
    """Whether most of the question is one run near the beginning of a longer answer."""
    question, answer = fold(item.question[:MOST]).text, fold((item.answer or "")[: 2 * MOST]).text
    head = answer[: len(question) + SLACK]
    least = max(LEAST, math.ceil(SHARE * len(question)))
    if not any(question[at : at + least] in head for at in range(len(question) - least + 1)):
        return False
    match = SequenceMatcher(None, question, head, autojunk=False).find_longest_match()
    if match.size < least or match.b > SLACK:
        return False
    wide = _chinese(question[match.a : match.a + match.size])
    enough = wide >= LEAST_CHINESE or not _chinese(question)
    return enough and len(answer) > match.b + match.size


def _chinese(text: str) -> int:
    return sum(character >= "\u2e80" for character in text)
