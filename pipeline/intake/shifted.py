"""Answers that seem to have slipped by one: each fits the next question and not its own."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from pipeline.records import Item

_WORD = re.compile("[a-z][a-z0-9+#]{2,}|[\u3400-\u9fff]+", re.I)
_COMMON = frozenset(
    "the and for you your what how why are was were with that this from have has did does would "
    "could can any about tell describe explain give "
    "什么 怎么 如何 为什 请你 请介 介绍 一下 你的 你是 是什 么样 怎样 哪些 请问 说明 请说 谈谈 "
    "你对 有什 的理 理解".split()
)
MAX_ITEMS = 2_000


def shifted(items: Sequence[Item]) -> list[str]:
    """A warning for each run of two or more items whose answers fit the question after them."""
    if len(items) > MAX_ITEMS:
        return []
    asked = [_terms(item.question[:400]) for item in items]
    slips = [
        _slipped((item.answer or "")[:1_000].casefold(), own, following)
        for item, (own, following) in zip(items, pairwise(asked), strict=False)
    ]
    return [
        f"the answers of items {at + 1} and {at + 2} look shifted: each fits the next question"
        for at, (one, two) in enumerate(pairwise(slips))
        if one and two
    ]


def _slipped(answer: str, own: set[str], following: set[str]) -> bool:
    if not answer or any(term in answer for term in own):
        return False
    return sum(term in answer for term in following) >= 2


def _terms(text: str) -> set[str]:
    """Words of Latin script and pairs of Chinese characters."""
    terms: set[str] = set()
    for word in _WORD.findall(text.casefold()):
        terms |= {word} if word[0].isascii() else {a + b for a, b in pairwise(word)}
    return terms - _COMMON
