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

_SCORE = re.compile(rb'"score"\s*:\s*(\d)')
"""Inside a JSON string the quote marks would be escaped, so this finds keys only."""
HUNDREDTH = Decimal("0.01")


def expected_scores(reply: Reply, rubric: Rubric) -> dict[str, Decimal]:
    """Points per criterion, two decimals. Raises EndpointError where the reply has no such data."""
    places = [match.start(1) for match in _SCORE.finditer(reply.text.encode("utf-8", "replace"))]
    if len(places) != len(rubric.keys):
        raise EndpointError("the reply's scores could not be located among its tokens")
    tokens = dict(_by_first_byte(reply.tokens))
    scores = {}
    for key, place in zip(rubric.keys, places, strict=True):
        token = tokens.get(place)
        value = _mean(token, rubric.scale) if token is not None else None
        if value is None:
            raise EndpointError("the endpoint sent no log-probabilities at a score")
        scores[key] = value
    return scores


def _by_first_byte(tokens: tuple[Token, ...]) -> Iterator[tuple[int, Token]]:
    """Tokens by the byte offset of their first character that is no white space."""
    start = 0
    for token in tokens:
        yield start + len(token.text) - len(token.text.lstrip()), token
        start += token.size


def _mean(token: Token, scale: tuple[int, int]) -> Decimal | None:
    """Mean point of the scale at this token; None where no point is among the alternatives."""
    low, high = scale
    mass = total = 0.0
    for text, logprob in token.top:
        if text.strip().isdecimal() and low <= int(text) <= high:
            probability = math.exp(logprob)
            mass += probability
            total += probability * int(text)
    if mass <= 0:
        return None
    return Decimal(total / mass).quantize(HUNDREDTH, ROUND_HALF_UP)
