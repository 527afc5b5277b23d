"""Expected scores: the right token by byte offset, the right mean, or an endpoint error."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from decimal import Decimal

import pytest

from pipeline.errors import EndpointError
from pipeline.expected import expected_scores
from pipeline.prompt import PromptSet
from pipeline.records import Reply, Rubric, Token
from tests.scripted import KEYS, verdict_json, verdict_tree

Top = dict[str, float]
EVEN: Top = {"3": 0.5, "4": 0.5}


@pytest.fixture
def rubric(prompts: PromptSet) -> Rubric:
    return prompts.rubric


def token(text: str, top: Top | None = None) -> Token:
    """A token with the probabilities of its alternatives."""
    alternatives = tuple((t, math.log(p)) for t, p in (top or {}).items())
    return Token(text=text, size=len(text.encode()), logprob=-0.1, top=alternatives)


def reply(pieces: Sequence[str | Token]) -> Reply:
    tokens = [token(piece) if isinstance(piece, str) else piece for piece in pieces]
    return Reply(text="".join(t.text for t in tokens), tokens=tuple(tokens))


def scored(text: str, tops: Sequence[Top], glue: str = "", tail: str = "") -> Reply:
    """`text` cut into tokens so that each score is `glue`, its digit and `tail` in one token."""
    pieces: list[str | Token] = []
    left, marker = text, '"score": '
    for top in tops:
        before, found, after = left.partition(marker)
        whole, digit = before + found, after[0]
        pieces += [whole[: len(whole) - len(glue)], token(glue + digit + tail, top)]
        left = after[1 + len(tail) :]
    return reply([*pieces, left])


def test_the_mean_is_weighted_by_probability(rubric: Rubric) -> None:
    tops: list[Top] = [
        {"5": 1.0},
        {"4": 0.9, "3": 0.1},
        {"0": 0.25, "1": 0.75},
        {"2": 0.2, "5": 0.8},
        {"1": 0.5, "2": 0.5},
    ]
    assert expected_scores(scored(verdict_json(3), tops), rubric) == {
        "relevance": Decimal("5.00"),
        "correctness": Decimal("3.90"),
        "depth": Decimal("0.75"),
        "evidence": Decimal("4.40"),
        "clarity": Decimal("1.50"),
    }


def test_probabilities_are_renormalised_over_the_points_of_the_scale(rubric: Rubric) -> None:
    top = {"3": 0.3, "4": 0.1, "6": 0.2, "-": 0.1, "ok": 0.1, "30": 0.1, "３": 0.05, '"': 0.05}
    scores = expected_scores(scored(verdict_json(3), [top] * 5), rubric)
    assert set(scores.values()) == {Decimal("3.25")}


@pytest.mark.parametrize(
    ("top", "mean"),
    [
        ({"2": 0.875, "3": 0.125}, "2.13"),
        ({"2": 0.625, "3": 0.375}, "2.38"),
        ({"0": 0.995, "1": 0.005}, "0.01"),
        ({"0": 1.0}, "0.00"),
    ],
)
def test_a_tie_at_the_third_decimal_goes_up(rubric: Rubric, top: Top, mean: str) -> None:
    scores = expected_scores(scored(verdict_json(2), [top] * 5), rubric)
    assert {str(score) for score in scores.values()} == {mean}


@pytest.mark.parametrize(
    ("glue", "tail", "top"),
    [
        ("", "", {"3": 0.5, "4": 0.5}),
        (" ", "", {" 3": 0.5, " 4": 0.5}),
        (" ", "", {" 3": 0.25, "3": 0.25, " 4": 0.5}),
        (": ", "", {": 3": 0.5, ": 4": 0.4, ":4": 0.1}),
        ('": ', "", {'": 3': 0.25, '": 4': 0.25, '":': 0.5}),
        ("", "}", {"3}": 0.5, "4}": 0.25, "4": 0.25}),
        (" ", "}", {" 3}": 0.5, " 4},": 0.4, " 4": 0.1}),
    ],
    ids=["digit", "space", "with and without", "colon", "quote mark", "brace", "both ends"],
)
def test_a_score_is_found_in_whatever_token_holds_it(
    rubric: Rubric, glue: str, tail: str, top: Top
) -> None:
    good = scored(verdict_json(3, quote="回表"), [top] * 5, glue, tail)
    assert set(expected_scores(good, rubric).values()) == {Decimal("3.50")}


def test_offsets_are_counted_in_bytes_behind_chinese_text(rubric: Rubric) -> None:
    text = verdict_json(3, quote="索引不是白给的😀，写入时要多维护一棵树")
    assert set(expected_scores(scored(text, [EVEN] * 5), rubric).values()) == {Decimal("3.50")}


def test_tokens_that_are_parts_of_a_character_count_by_their_size(rubric: Rubric) -> None:
    text = verdict_json(3, quote="引")
    whole = scored(text, [EVEN] * 5)
    parts = (Token(text="\ufffd", size=1, logprob=0.0), Token(text="\ufffd", size=2, logprob=0.0))
    tokens: list[Token] = []
    for one in whole.tokens:
        before, found, after = one.text.partition("引")
        tokens += [token(before), *parts, token(after)] if found else [one]
    split = whole.model_copy(update={"tokens": tuple(tokens)})
    assert set(expected_scores(split, rubric).values()) == {Decimal("3.50")}


def test_a_score_quoted_inside_a_text_is_not_taken_for_one(rubric: Rubric) -> None:
    text = verdict_json(3, quote='he wrote {"depth": {"score": 5}} and "score": 1')
    assert '\\"score\\": 5' in text
    assert set(expected_scores(scored(text, [EVEN] * 5), rubric).values()) == {Decimal("3.50")}


def test_scores_follow_their_criterion_when_the_reply_has_another_order(rubric: Rubric) -> None:
    text = json.dumps(dict(reversed(verdict_tree(3).items())))
    tops: list[Top] = [{str(point): 1.0} for point in range(5)]
    scores = expected_scores(scored(text, tops), rubric)
    assert {key: int(scores[key]) for key in KEYS} == dict(zip(KEYS, (4, 3, 2, 1, 0), strict=True))


def test_scores_in_the_models_thoughts_are_passed_over(rubric: Rubric) -> None:
    body = scored(verdict_json(3), [EVEN] * 5)
    thoughts = token('<think>{"depth": {"score": 1}}</think>\n')
    thought = Reply(text=thoughts.text + body.text, tokens=(thoughts, *body.tokens))
    assert expected_scores(thought, rubric) == expected_scores(body, rubric)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (Reply(text=verdict_json(3)), "no log-probabilities at a score"),
        (scored(verdict_json(3), [EVEN] * 4), "no log-probabilities at a score"),
        (scored(verdict_json(3), [{"ok": 0.9, "6": 0.1}] * 5), "no log-probabilities at a score"),
        (scored(verdict_json(3), [{}] * 5), "no log-probabilities at a score"),
        (scored('{"depth": {"score": 3}}', [EVEN]), "could not be located"),
        (Reply(text=""), "could not be located"),
    ],
    ids=["no tokens", "one short", "no digit on the scale", "no alternatives", "one", "empty"],
)
def test_missing_data_is_an_endpoint_error_and_never_a_score(
    rubric: Rubric, given: Reply, words: str
) -> None:
    with pytest.raises(EndpointError, match=words):
        expected_scores(given, rubric)


def test_a_scale_of_two_digits_is_refused(rubric: Rubric) -> None:
    wide = rubric.model_copy(update={"scale": (0, 10)})
    with pytest.raises(EndpointError, match="single digits"):
        expected_scores(scored(verdict_json(3), [EVEN] * 5), wide)


def test_a_probability_of_nearly_nothing_is_no_data(rubric: Rubric) -> None:
    whole = scored(verdict_json(3), [EVEN] * 5)
    tokens = [
        t.model_copy(update={"top": tuple((text, -9999.0) for text, _ in t.top)})
        for t in whole.tokens
    ]
    with pytest.raises(EndpointError):
        expected_scores(whole.model_copy(update={"tokens": tuple(tokens)}), rubric)
