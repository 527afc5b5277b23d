"""Plain features of an answer: what can be counted without a model.

They stand beside the states of a model where a scorer asks for them. Alone they are no grader:
`grader fit` says what a scorer is worth with them and without.
"""

from __future__ import annotations

import math
import re
from collections import Counter

FEATURES = ("length", "overlap", "terms")
"""In the order of `features_of`."""


def features_of(question: str, objective: str | None, answer: str) -> tuple[float, ...]:
    """The features of one answer, by `FEATURES`.

    length: logarithm of 1 + characters. overlap: cosine of damped counts of runs of one to three
    characters with the objective, or with the question where there is none, 0 to 1. terms: of the
    pairs of letters within words that the objective has and the question has not, the share that
    the answer holds, 0 to 1; 0 without an objective.
    """
    asked = objective or question
    wanted = _pairs(objective or "") - _pairs(question)
    held = wanted & _pairs(answer)
    return (
        math.log1p(len(answer)),
        _cosine(_damped(answer), _damped(asked)),
        len(held) / len(wanted) if wanted else 0.0,
    )


def _runs(text: str, size: int) -> list[str]:
    """All runs of `size` characters, case and white space folded."""
    folded = " ".join(text.casefold().split())
    return [folded[at : at + size] for at in range(len(folded) - size + 1)]


def _pairs(text: str) -> set[str]:
    """Pairs of letters or digits next to each other; Chinese has them where others have words."""
    return {pair for word in re.findall(r"\w+", text) for pair in _runs(word, 2)}


def grams(text: str) -> Counter[str]:
    """How often each run of one to three characters occurs, case and white space folded."""
    return Counter(run for size in (1, 2, 3) for run in _runs(text, size))


def _damped(text: str) -> dict[str, float]:
    """1 + logarithm of the count of each run, so that saying it again adds little."""
    return {run: 1 + math.log(count) for run, count in grams(text).items()}


def _cosine(a: dict[str, float], b: dict[str, float]) -> float:
    if not a or not b:
        return 0.0
    together = sum(weight * b[run] for run, weight in a.items() if run in b)
    return together / math.sqrt(_square(a) * _square(b))


def _square(counts: dict[str, float]) -> float:
    return sum(weight * weight for weight in counts.values())
