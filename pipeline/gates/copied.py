"""Whether an answer only says the question or its objective again."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from itertools import islice

COPY_MIN = 15
"""An answer of fewer folded characters is never called a copy."""
COPY_SHARE = 0.8
"""Share of the answer that must be one run of the question or objective."""
_STOCK = re.compile(
    "|".join(
        sorted(
            (
                "这是一个(很|非常)?好(的)?问题",
                "这个问题(问得)?(很|非常)?好",
                "(那)?我(来)?(回答|说|讲|谈)(一下|说)?",
                "(请|您|你|嗯|呃|啊|吧|呢|的)",
                "thats?(is)?a(very|really)?(good|great|nice)question",
                "(good|great)question",
                "(thankyou|please|well|ok|okay|um|uh|so)",
            ),
            key=len,
            reverse=True,
        )
    )
)
"""Phrases that add nothing to a copied question. Yes and no are answers, and not among them."""
_OPENING = re.compile("好的?")
"""Idle before a copied question; after it, an answer."""
_CHOICE = re.compile("还是|或|哪|or|which")
_CLAIM_BEFORE = re.compile("(是否|能否|可否|[是能会要该]不[是能会要该]|think|agree|true)(that)?\\Z")
_CLAIM_AFTER = re.compile("吗|么|对不对|是不是|right")


def is_copy(answer: str, target: str) -> bool:
    """Whether `answer` is one aligned run of `target` with nothing added; both folded."""
    if len(answer) < COPY_MIN:
        return False
    least = math.ceil(len(answer) * COPY_SHARE)
    return any(
        end - start >= least
        and not _STOCK.sub("", _OPENING.sub("", answer[:start]) + " " + answer[end:]).strip()
        and not _may_answer(target, place, place + end - start)
        for start, end, place in islice(_runs(answer, target, least), 3)
    )


def _runs(answer: str, target: str, least: int) -> Iterator[tuple[int, int, int]]:
    """Start and end in the answer, and start in the target, of the runs that can be long enough.

    A run of `least` characters holds the middle of the answer, wherever it begins. Three places
    of it are looked at: what stands more often is a pattern, and would take for ever.
    """
    first, last = len(answer) - least, least
    place = target.find(answer[first:last])
    while place >= 0:
        start, end, before, after = first, last, place, place + last - first
        while start > 0 and before > 0 and answer[start - 1] == target[before - 1]:
            start, before = start - 1, before - 1
        while end < len(answer) and answer[end : end + 1] == target[after : after + 1]:
            end, after = end + 1, after + 1
        yield start, end, before
        place = target.find(answer[first:last], place + 1)


def _may_answer(target: str, start: int, end: int) -> bool:
    """Whether these words of a question, said again, answer it: an option picked, a claim made."""
    picks = end - start < COPY_SHARE * len(target) and _CHOICE.search(target)
    claims = _CLAIM_BEFORE.search(target[:start]) or _CLAIM_AFTER.match(target[end:])
    return bool(picks or claims)
