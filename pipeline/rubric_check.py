"""Doubts about a rubric that is well formed: what a reviewer should look at before using it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations

from rapidfuzz import fuzz

from pipeline.question_type import QUESTION_TYPES
from pipeline.quotes import fold
from pipeline.records import Criterion, Language, Rubric

ALIKE = 90.0
"""Anchors as like as this, in per cent of their folded characters, do not tell points apart."""
LANGUAGES: tuple[Language, ...] = ("zh", "en")
_INVITES = re.compile(
    r"(?:篇幅|字数|长度|详尽|越[长多]越|文采|流畅|专业术语多|排版|用词(?:优美|专业))"
    r"|\b(?:length|lengthy|long|longer|word count|verbose|extensive|polished|eloquen\w+|fluen\w+"
    r"|well[- ]written|sophisticated (?:language|vocabulary)|formatting)\b",
    re.IGNORECASE,
)


def doubts_about(rubric: Rubric) -> Iterator[str]:
    """Each doubt in one line."""
    yield from _weights(rubric)
    yield from _not_asked(rubric)
    for criterion in rubric.criteria:
        yield from _languages(criterion)
        yield from _anchors(criterion)
        yield from _wording(criterion)
    yield from _steps(rubric)


def _weights(rubric: Rubric) -> Iterator[str]:
    for profile, weights in rubric.weights.items():
        heaviest = max(weights, key=lambda key: weights[key])
        if len(weights) > 1 and weights[heaviest] >= sum(weights.values()) / 2:
            yield f"weights.{profile}: {heaviest} alone decides half of the overall or more"
        if profile not in (*QUESTION_TYPES, "default", "equal"):
            yield f"weights.{profile}: no question has this type, so the profile is never used"
    if "equal" not in rubric.weights:
        yield "weights: no profile `equal`, so nothing shows what the weights change"


def _not_asked(rubric: Rubric) -> Iterator[str]:
    for kind in QUESTION_TYPES:
        left = rubric.weights_for(kind)
        if len(left) < 3 <= len(rubric.keys):
            yield f"not_asked.{kind}: only {', '.join(left)} would be scored"
    for cap in rubric.caps:
        if off := [
            kind for kind in QUESTION_TYPES if cap.criterion not in rubric.weights_for(kind)
        ]:
            yield f"caps: {cap.criterion} is not asked for in {', '.join(off)}; no cap there"


def _languages(criterion: Criterion) -> Iterator[str]:
    for language in LANGUAGES:
        places = {
            "names": set(criterion.names),
            "asks": set(criterion.asks),
            "anchors": set(criterion.anchors),
        }
        lacking = [name for name, given in places.items() if given and language not in given]
        if lacking:
            yield f"{criterion.key}: no {language} in {', '.join(lacking)}"


def _anchors(criterion: Criterion) -> Iterator[str]:
    for language, anchors in criterion.anchors.items():
        folded = {point: fold(text).text for point, text in anchors.items()}
        for one, other in combinations(sorted(folded), 2):
            if fuzz.ratio(folded[one], folded[other]) >= ALIKE:
                yield f"{criterion.key} ({language}): anchors {one} and {other} say the same"
        for point, text in folded.items():
            if len(text) < 4:
                yield f"{criterion.key} ({language}): anchor {point} says next to nothing"


def _wording(criterion: Criterion) -> Iterator[str]:
    for language, anchors in criterion.anchors.items():
        for point, text in anchors.items():
            if found := _INVITES.search(text):
                yield (
                    f"{criterion.key} ({language}): anchor {point} invites score by length or "
                    f"polish: {found[0]!r}"
                )
    for language, text in criterion.asks.items():
        if found := _INVITES.search(text):
            yield f"{criterion.key} ({language}): asks invites score by length: {found[0]!r}"


def _steps(rubric: Rubric) -> Iterator[str]:
    low = rubric.scale[0]
    for name, steps in (("bands", rubric.bands), ("cuts", rubric.cuts)):
        if not steps:
            yield f"{name}: there are none"
        elif steps[-1].at_least > low:
            yield f"{name}: an overall from {low} to below {steps[-1].at_least} has none"
