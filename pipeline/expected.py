"""Expected scores from the log-probabilities of the score tokens.

The score of a criterion is the mean of the scale's points, weighted by the probability that the
model gave to each at the place where it wrote the score (G-Eval, arXiv 2303.16634).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from decimal import ROUND_HALF_UP, Decimal

from pipeline.errors import EndpointError
from pipeline.records import Reply, Rubric, Token

_PLACE = re.compile(rb'"([^"\\]+)"\s*:\s*\{|"score"\s*:\s*(\d)')
"""A criterion or its score. Inside a JSON string the quote marks would be escaped."""
_THINKING = re.compile(rb"\A\s*<think>.*?</think>", re.DOTALL)
HUNDREDTH = Decimal("0.01")
ROUNDING = 0.01
"""By how much a probability may exceed 1. More is no probability, and makes no number."""


def expected_scores(reply: Reply, rubric: Rubric) -> dict[str, Decimal]:
    """Points per criterion, two decimals. Raises EndpointError where the reply has no such data."""
    if rubric.scale[1] > 9:
        raise EndpointError("expected scores need a scale of single digits")
    places = dict(_places(reply.text.encode("utf-8", "replace")))
    if set(places) != set(rubric.keys):
        raise EndpointError("the reply's scores could not be located among its tokens")
    scores = {}
    for key in rubric.keys:
        value = _mean_at(places[key], reply.tokens, rubric.scale)
        if value is None:
            raise EndpointError("the endpoint sent no log-probabilities at a score")
        scores[key] = value
    return scores


def _places(text: bytes) -> Iterator[tuple[str, int]]:
    """Each criterion with the byte offset of its score, in whatever order they were written."""
    thinking = _THINKING.match(text)
    key = ""
    for found in _PLACE.finditer(text, thinking.end() if thinking else 0):
        if found[1]:
            key = found[1].decode("utf-8", "replace")
        else:
            yield key, found.start(2)


def _mean_at(place: int, tokens: tuple[Token, ...], scale: tuple[int, int]) -> Decimal | None:
    """Mean point at the token that holds byte `place`; None where no point is to be had."""
    start = 0
    for token in tokens:
        if start <= place < start + token.size:
            return _mean(token, place - start, scale)
        start += token.size
    return None


def _mean(token: Token, offset: int, scale: tuple[int, int]) -> Decimal | None:
    """Mean over the alternatives that differ from `token` in the digit at `offset` alone."""
    before = token.text.encode("utf-8", "replace")[:offset].decode("utf-8", "replace").strip()
    mass = total = 0.0
    if not all(logprob <= ROUNDING for _, logprob in token.top):
        return None
    for text, logprob in token.top:
        point = _point(text.strip(), before)
        if point is not None and scale[0] <= point <= scale[1]:
            probability = math.exp(logprob)
            mass += probability
            total += probability * point
    if not 0 < mass <= 1 + ROUNDING:
        return None
    # The ninth decimal is above the noise of floats: a mean of 2.125 is a tie, and goes up.
    return Decimal(str(round(total / mass, 9))).quantize(HUNDREDTH, ROUND_HALF_UP)


def _point(text: str, before: str) -> int | None:
    """The single digit in `<before> 3` or `<before> 3,`; None for 30 and everything else."""
    found = re.fullmatch(r"\s*([0-9])[\s,}\]]*", text.removeprefix(before))
    return int(found[1]) if found and text.startswith(before) else None
