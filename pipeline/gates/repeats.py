"""One sentence pattern used again and again, and text that only fills space."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from rapidfuzz import fuzz

from pipeline.gates.sentences import sentences

LEAST_LENGTH = 18
"""Folded characters of a sentence from which it can be a pattern."""
ALIKE = 72.0
"""Sentences as like as this, in per cent, are one pattern."""
TIMES = 3
"""From so many sentences of one pattern on it is repetition."""
PATTERN_SHARE = 0.3
"""They must also make up this share of the answer."""
PADDED = 0.5
"""Share of the text that is said again word by word, or stock phrases."""
PADDING_LENGTH = 120
"""A shorter answer is never padding."""
_STOCK = re.compile(
    r"(?:综上所述|总之|总的来说|总而言之)?(?:这|它|这个|这一点)?(?:是)?(?:非常|十分|很|至关)"
    r"(?:重要|关键|必要|有意义)(?:的)?"
    r"|(?:具有|有着)?(?:非常)?重要的?(?:意义|作用|价值)"
    r"|(?:inconclusion|insummary|overall)?(?:this|it)is(?:very|extremely|really)?"
    r"(?:important|essential|crucial|key)"
)


def repeats_a_pattern(answer: str) -> bool:
    """Whether at least three sentences are cut from one template."""
    whole = sentences(answer)
    kept = [one for one in whole if len(one) >= LEAST_LENGTH]
    total = sum(map(len, whole))
    return any(
        len(alike) >= TIMES and sum(map(len, alike)) >= PATTERN_SHARE * total
        for alike in (_like(one, kept) for one in dict.fromkeys(kept[:60]))
    )


def is_padded(answer: str) -> bool:
    """Whether most of a longer text is said again or says nothing."""
    whole = sentences(answer)
    total = sum(map(len, whole))
    if total < PADDING_LENGTH:
        return False
    counts = Counter(whole)
    again = sum(len(one) * (times - 1) for one, times in counts.items())
    stock = sum(len(one) for one in counts if _STOCK.fullmatch(one))
    return again + stock >= PADDED * total


def _like(one: str, kept: Sequence[str]) -> list[str]:
    return [other for other in kept if fuzz.ratio(one, other, score_cutoff=ALIKE) > 0]
