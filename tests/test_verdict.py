"""Replies to verdicts: strict, closed, never clamped, and silent about what the reply says."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.prompt import PromptSet
from pipeline.records import Criterion, Rubric
from pipeline.verdict import InvalidVerdict, dump_verdict, parse_verdict, reply_schema
from tests.scripted import KEYS, verdict_json, verdict_tree

GOOD = verdict_json(3, quote="写入时要多维护一棵树")
SCORES = dict(zip(KEYS, (5, 4, 3, 2, 1), strict=True))


@pytest.fixture
def rubric(prompts: PromptSet) -> Rubric:
    return prompts.rubric


def with_score(literal: str) -> str:
    """A valid reply, but for the JSON literal that stands as the score of depth."""
    parts = GOOD.split('"score": 3')
    return '"score": 3'.join(parts[:3]) + f'"score": {literal}' + '"score": 3'.join(parts[3:])


def with_field(key: str, field: str, value: Any) -> str:
    tree = verdict_tree(3)
    tree[key][field] = value
    return json.dumps(tree, ensure_ascii=False)


def without(*path: str) -> str:
    tree: Any = verdict_tree(3)
    place = tree
    for step in path[:-1]:
        place = place[step]
    del place[path[-1]]
    return json.dumps(tree)


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        f"\n\n  {GOOD}\t\n",
        f"```json\n{GOOD}\n```",
        f"```\n{GOOD}\n```\n",
        f"```JSON  \n{GOOD}```",
        f"<think>\nAt first 5, then 4 {{\n</think>\n{GOOD}",
        f"<think></think>\n\n```json\n{GOOD}\n```",
        json.dumps(json.loads(GOOD), indent=2),
        json.dumps(json.loads(GOOD)),
        json.dumps(dict(reversed(json.loads(GOOD).items()))),
    ],
    ids="bare spaced fenced fence shouting thought both indented escaped reordered".split(),
)
def test_a_whole_verdict_is_read_in_whatever_wrapping(text: str, rubric: Rubric) -> None:
    verdict = parse_verdict(text, rubric)
    assert tuple(verdict.criteria) == KEYS
    assert {c.score for c in verdict.criteria.values()} == {3}
    assert verdict.criteria["depth"].quote == "写入时要多维护一棵树"


FAULTS = [
    ("empty", "", "the reply is empty"),
    ("spaces", " \n\u3000", "the reply is empty"),
    ("only thoughts", "<think>hm</think>", "the reply is empty"),
    ("unfinished thought", f"<think>hm {GOOD}", "Expecting value at character 0"),
    ("prose", "The answer is good: 4 of 5.", "not a JSON object: Expecting value"),
    ("prose before", f"Here it is: {GOOD}", "not a JSON object: Expecting value"),
    ("text behind", f"{GOOD}\nI hope this helps.", "not a JSON object: Extra data"),
    ("two objects", GOOD + GOOD, "not a JSON object: Extra data"),
    ("text behind fence", f"```json\n{GOOD}\n```\nDone.", "not a JSON object: Expecting value"),
    ("cut", GOOD[:-20], "not a JSON object: "),
    ("trailing comma", GOOD[:-1] + ",}", "not a JSON object: "),
    ("single quotes", GOOD.replace('"', "'"), "not a JSON object: "),
    ("comment", GOOD[:-1] + "/* */}", "not a JSON object: "),
    ("byte order mark", "\ufeff" + GOOD, "not a JSON object: "),
    ("array", f"[{GOOD}]", "the outermost value must be { ... }"),
    ("number", "3", "the outermost value must be { ... }"),
    ("string", '"relevance"', "the outermost value must be { ... }"),
    ("null", "null", "the outermost value must be { ... }"),
    ("deep", "[" * 100_000, "nested too deeply"),
    ("deep object", '{"relevance":' * 50_000, "nested too deeply"),
    ("no criteria", "{}", "missing criteria: relevance, correctness, depth, evidence, clarity"),
    ("overall alone", '{"overall": 7}', "an unknown key: Input should be a valid dictionary"),
    ("missing criterion", without("depth"), "missing criteria: depth"),
    ("missing score", without("depth", "score"), "depth.score: Field required"),
    ("missing quote", without("depth", "quote"), "depth.quote: Field required"),
    (
        "extra criterion",
        json.dumps({**verdict_tree(3), "flair": verdict_tree(3)["depth"]}),
        "only these criteria are allowed: relevance, correctness, depth, evidence, clarity",
    ),
    ("extra field", with_field("depth", "confidence", 1), "depth: Extra inputs are not permitted"),
    ("same criterion twice", GOOD[:-1] + "," + GOOD[1:], "a key stands twice"),
    ("same field twice", GOOD[:-2] + ', "score": 3}}', "a key stands twice"),
    ("six", with_score("6"), "depth.score: must be a whole number from 0 to 5"),
    ("minus one", with_score("-1"), "depth.score: must be a whole number from 0 to 5"),
    ("hundred", with_score("100"), "depth.score: must be a whole number from 0 to 5"),
    ("fraction", with_score("3.5"), "depth.score: Input should be a valid integer"),
    ("float", with_score("3.0"), "depth.score: Input should be a valid integer"),
    ("exponent", with_score("3e0"), "depth.score: Input should be a valid integer"),
    ("text score", with_score('"3"'), "depth.score: Input should be a valid integer"),
    ("true", with_score("true"), "depth.score: Input should be a valid integer"),
    ("null score", with_score("null"), "depth.score: Input should be a valid integer"),
    ("list score", with_score("[3]"), "depth.score: Input should be a valid integer"),
    ("NaN", with_score("NaN"), "NaN is not a number of JSON"),
    ("Infinity", with_score("-Infinity"), "-Infinity is not a number of JSON"),
    ("leading zero", with_score("03"), "not a JSON object: "),
    ("huge", with_score("9" * 4_000), "depth.score: "),
    ("endless", with_score("9" * 5_000), "a number has too many digits"),
    ("null quote", with_field("depth", "quote", None), "depth.quote: Input should be a valid str"),
    ("list of problems", with_field("depth", "problems", []), "depth.problems: Input should be"),
    ("score for criterion", json.dumps(dict.fromkeys(KEYS, 3)), "relevance: Input should be"),
]


@pytest.mark.parametrize(("text", "words"), [row[1:] for row in FAULTS], ids=[r[0] for r in FAULTS])
def test_a_reply_that_is_no_verdict_is_refused_with_the_reason(
    text: str, words: str, rubric: Rubric
) -> None:
    with pytest.raises(InvalidVerdict) as caught:
        parse_verdict(text, rubric)
    assert words in str(caught.value)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(
    "text",
    [
        "CANARY",
        '{"CANARY": 1}',
        json.dumps({**verdict_tree(3), "CANARY": verdict_tree(3)["depth"]}),
        with_field("depth", "CANARY", "CANARY"),
        with_field("depth", "score", "CANARY"),
        with_field("depth", "quote", ["CANARY"]),
        with_score("6").replace('"because"', '"CANARY"'),
        GOOD[:-1] + ', "CANARY": 1, "CANARY": 1}',
        '{"relevance": "\\CANARY"}',
        '{"relevance": CANARY}',
    ],
)
def test_the_error_holds_nothing_of_the_reply(text: str, rubric: Rubric) -> None:
    with pytest.raises(InvalidVerdict) as caught:
        parse_verdict(text, rubric)
    assert "CANARY" not in str(caught.value)
    assert caught.value.__cause__ is None


@given(score=st.integers())
def test_a_score_is_kept_or_refused_but_never_clamped(prompts: PromptSet, score: int) -> None:
    text = verdict_json(score)
    if 0 <= score <= 5:
        assert {c.score for c in parse_verdict(text, prompts.rubric).criteria.values()} == {score}
    else:
        with pytest.raises(InvalidVerdict, match="must be a whole number from 0 to 5"):
            parse_verdict(text, prompts.rubric)


@given(text=st.text())
def test_any_text_gives_a_verdict_or_an_invalid_verdict(prompts: PromptSet, text: str) -> None:
    with pytest.raises(InvalidVerdict):
        parse_verdict(text, prompts.rubric)


@given(
    quote=st.text(alphabet=st.characters(exclude_categories=["Cs"])),
    scores=st.fixed_dictionaries(dict.fromkeys(KEYS, st.integers(0, 5))),
)
def test_a_dumped_verdict_reads_back_as_itself(
    prompts: PromptSet, quote: str, scores: dict[str, int]
) -> None:
    verdict = parse_verdict(verdict_json(scores, quote=quote), prompts.rubric)
    assert parse_verdict(dump_verdict(verdict), prompts.rubric) == verdict
    assert {k: c.score for k, c in verdict.criteria.items()} == scores


def test_a_lone_surrogate_in_a_quote_becomes_a_replacement_character(rubric: Rubric) -> None:
    text = verdict_json(3, quote="X").replace('"X"', '"a\\ud83db"')
    assert parse_verdict(text, rubric).criteria["depth"].quote == "a\ufffdb"


def test_other_keys_and_scale_are_held_to_as_well() -> None:
    other = Rubric(
        name="other",
        scale=(1, 4),
        criteria=tuple(Criterion(key=k, names={}, anchors={}) for k in ("fit", "care")),
        weights={},
    )
    whole = json.dumps({k: verdict_tree(4)["depth"] for k in ("fit", "care")})
    assert parse_verdict(whole, other).criteria["care"].score == 4
    with pytest.raises(InvalidVerdict, match=r"fit\.score: must be a whole number from 1 to 4"):
        parse_verdict(whole.replace("4", "0"), other)
    with pytest.raises(InvalidVerdict, match="missing criteria: fit, care"):
        parse_verdict(GOOD, other)


def test_the_schema_asks_for_all_keys_in_order_and_nothing_else(rubric: Rubric) -> None:
    schema = reply_schema(rubric, 40)
    one = schema["properties"]["depth"]
    assert tuple(schema["properties"]) == tuple(schema["required"]) == KEYS
    assert list(one["properties"]) == one["required"] == ["quote", "problems", "rationale", "score"]
    assert schema["additionalProperties"] is one["additionalProperties"] is False
    assert one["properties"]["score"] == {"type": "integer", "enum": [0, 1, 2, 3, 4, 5]}
    assert one["properties"]["quote"] == {"type": "string", "maxLength": 40}


def test_the_schema_bounds_no_text_where_the_endpoint_cannot(rubric: Rubric) -> None:
    assert "maxLength" not in json.dumps(reply_schema(rubric, None))
