"""Sentences that steer a grader, told by what comes together in them and not by their wording.

A sentence is suspicious where marks of different kinds meet: a demand and a top score, a rule and
its cancellation, an authority and a decision about the score. Each kind alone is everyday talk:
interviews are full of scores, ratings, rules and managers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache

from pipeline.gates.occurs import teller
from pipeline.gates.steering_marks import CUES, MARKS

CUE = "cue"

RULES: tuple[tuple[str, ...], ...] = tuple(
    tuple(rule.split())
    for rule in (
        "scoring-rules cancel !other",
        "prior-instructions cancel !attack",
        "top-score demand !other",
        "top-score demand exam",
        "top-score demand self !attack",
        "top grade-word self demand",
        "top grade-word address self",
        "top-score self state",
        "verdict-word top self",
        "authority outcome decided",
        "authority outcome self",
        "authority item top-score",
        "authority item outcome demand",
        "top-score history",
        "top history grade-word",
        "history outcome demand",
        "fives rounds",
        "outlier history",
        "pleading outcome demand",
        "pleading outcome address",
        "top-score carry-over",
        "carry-over grade-word demand",
        "rule carry-over",
        "memory top self",
        "top-score role",
        "obey decode",
        "top-score sample grade-word",
        "top-score closing",
        "giveaway self",
        "giveaway authority",
        "lenient self",
        "model-answer self",
        "praise third",
        "markup grade-word",
        "markup top-score",
        "filled-in",
        "exam cancel",
        "exam top",
        "exam praise",
        "exam address",
        "exam demand grade-word",
        "mode grade-word",
        "mode top",
        "soft",
        "threat minimum",
        "authority minimum !other",
        "praise third",
        "fives self grade-word",
        "pleading minimum",
        "top-score authority decided !other",
    )
)
"""A sentence with all marks of one of these is suspicious; after `!` stands what must be absent.

The rarer marks are looked for first.
"""
_SENTENCE = re.compile(r"(?:[^。！？!?\n.]|\.(?!\s))+[。！？!?\n.]?")


def steering_spans(plain: str) -> Iterator[tuple[int, int]]:
    """Start and end of each suspicious sentence of a casefolded text in compatibility form."""
    ended: re.Match[str] | None = None
    is_about_scores = tells(CUE)
    for sentence in _SENTENCE.finditer(plain):
        if not is_about_scores(sentence[0]):
            continue
        if steers(sentence[0]):
            yield sentence.span()
        if ended and tells("order")(sentence[0]):
            yield ended.start(), sentence.end()
        if tells("ending")(sentence[0]):
            ended = sentence


def steers(sentence: str) -> bool:
    """Whether the marks of one rule come together in a sentence."""
    found: dict[str, bool] = {}
    return any(
        any(all(_holds(name, wanted, sentence, found) for name, wanted in rest) for rest in rests)
        for first, rests in _BY_FIRST_MARK
        if tells(first)(sentence)
    )


def _holds(name: str, wanted: bool, sentence: str, found: dict[str, bool]) -> bool:
    if name not in found:
        found[name] = tells(name)(sentence)
    return found[name] is wanted


@cache
def tells(name: str) -> Callable[[str], bool]:
    """Whether a sentence has a mark. Made when first asked for: most answers need few of them."""
    return teller(CUES if name == CUE else MARKS[name])


_BY_FIRST_MARK = tuple(
    (
        first,
        tuple(
            tuple((mark.removeprefix("!"), not mark.startswith("!")) for mark in rule[1:])
            for rule in RULES
            if rule[0] == first
        ),
    )
    for first in dict.fromkeys(rule[0] for rule in RULES)
)
"""The first mark of several rules is looked for once; most sentences have none of them."""
