"""Doubts about key points that are well formed: what to look at before using them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations, product

from rapidfuzz import fuzz

from pipeline.key_points import KeyPoints
from pipeline.quotes import fold
from pipeline.rubric_check import ALIKE

MANY = 12
"""More lines than this for one question make the prompt long and the grader forgetful."""


def doubts_about_points(entries: Iterable[KeyPoints]) -> Iterator[str]:
    """Each doubt in one line, with file and entry."""
    for entry in entries:
        yield from (f"{entry.name}: {doubt}" for doubt in _doubts(entry))


def _doubts(entry: KeyPoints) -> Iterator[str]:
    asked = _language_of(entry.question)
    for what, lines in (("key points", entry.key_points), ("wrong claims", entry.wrong_claims)):
        if lines and asked not in lines:
            yield f"the question is in {asked}, and its {what} are not"
        for some in lines.values():
            if len(some) > MANY:
                yield f"{len(some)} {what} are too many to keep in mind; at most {MANY}"
            yield from _wording(some)
            if any(_alike(*pair) for pair in combinations(some, 2)):
                yield f"two {what} say the same"
    for language, points in entry.key_points.items():
        claims = entry.wrong_claims.get(language, ())
        if any(_alike(*pair) for pair in product(points, claims)):
            yield "a key point and a wrong claim say the same"


def _wording(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        if len(fold(line).text) < 4:
            yield f"a line says next to nothing: {line!r}"


def _alike(one: str, other: str) -> bool:
    return fuzz.ratio(fold(one).text, fold(other).text) >= ALIKE


def _language_of(question: str) -> str:
    return "zh" if any("\u4e00" <= sign <= "\u9fff" for sign in question) else "en"
