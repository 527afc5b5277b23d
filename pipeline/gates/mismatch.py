"""Whether an answer fits another question of its interview, by the terms they share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache

from pipeline.records import Item
from pipeline.terms import terms

MOST_ITEMS = 60
"""Longer interviews are not compared: it would take the square of their length."""
LEAST_TERMS = 3
"""So many terms of the other question alone must stand in the answer."""
LEAST_SHARE = 0.3
"""And this share of them all."""
OWN_SHARE = 0.08
"""At most this share of the terms of its own question may stand in it."""


def better_questions(items: Sequence[Item]) -> Mapping[int, int]:
    """By place of an item, the place of the question that its answer fits instead."""
    if not 2 <= len(items) <= MOST_ITEMS:
        return {}
    asked = [_terms_asked(item.question) for item in items]
    counts = Counter(term for one in asked for term in one)
    own = [frozenset(term for term in one if counts[term] == 1) for one in asked]
    found = {}
    for here, item in enumerate(items):
        said = terms(item.answer or "")
        if _share(asked[here] | _terms_asked(item.objective or ""), said) > OWN_SHARE:
            continue
        fits = {there: _fit(own[there], said) for there in range(len(items)) if there != here}
        best = max(fits, key=lambda there: fits[there])
        if fits[best] >= LEAST_SHARE:
            found[here] = best
    return found


@lru_cache(maxsize=512)
def _terms_asked(text: str) -> frozenset[str]:
    """Many candidates are asked the same questions."""
    return terms(text)


def _fit(question: frozenset[str], said: frozenset[str]) -> float:
    return _share(question, said) if len(question & said) >= LEAST_TERMS else 0.0


def _share(question: frozenset[str], said: frozenset[str]) -> float:
    return len(question & said) / len(question) if question else 1.0
