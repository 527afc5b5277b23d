"""Replies as they come: each file of replies/ says what a reply is, and what becomes of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.odd_replies import read_verdict
from pipeline.prompt import PromptSet
from pipeline.verdict import InvalidVerdict, dump_verdict
from tests.scripted import KEYS, verdict_json, verdict_tree

CASES = [
    (f"{path.stem}: {name}", case)
    for path in sorted((Path(__file__).parent / "replies").glob("*.json"))
    for name, case in json.loads(path.read_text(encoding="utf-8")).items()
]
ANSWER = "索引不是白给的，写入时要多维护一棵树。"


def test_reply_of_objects_without_end_is_not_read_to_its_end(prompts: PromptSet) -> None:
    with pytest.raises(InvalidVerdict, match="more than 200 JSON objects"):
        read_verdict("{} " * 1_000, prompts.rubric)


def filled(template: str) -> str:
    """`<V3>` is a verdict with 3 points everywhere; `<V3S>` its scores as strings, and so on."""
    for score in range(7):
        whole = verdict_json(score, quote="写入时要多维护一棵树")
        template = template.replace(f"<V{score}>", whole)
        template = template.replace(f"<V{score}-open>", whole[:-1])
        template = template.replace(f"<V{score}-inner>", json.dumps(whole, ensure_ascii=False))
        curly = whole.replace(': "', ": “").replace('",', "”,").replace(' "', " “")
        curly = curly.replace('{"', "{“").replace('":', "”:")
        template = template.replace(f"<V{score}-curly>", curly)
        wide = (
            curly.replace(":", "：").replace(",", "，").replace(str(score), "０１２３４５６"[score])
        )
        template = template.replace(f"<V{score}-wide>", wide)
        for literal in (
            '"3"',
            '"３"',
            '"3/5"',
            '"3/10"',
            '"3 / 5"',
            '"three"',
            "3.0",
            "3.5",
            '"6"',
        ):
            tree = whole.replace(f'"score": {score}', f'"score": {literal}')
            template = template.replace(f"<V{score} as {literal}>", tree)
    assert "<V" not in template, template
    return template


@pytest.mark.parametrize("case", [case for _, case in CASES], ids=[name for name, _ in CASES])
def test_a_reply_gives_a_verdict_a_flag_or_an_error(
    case: dict[str, Any], prompts: PromptSet
) -> None:
    text = filled(case["reply"])
    answer = filled(case.get("answer", ANSWER))
    if "error" in case:
        with pytest.raises(InvalidVerdict) as caught:
            read_verdict(text, prompts.rubric, answer)
        assert case["error"] in str(caught.value)
        return
    verdict, repaired = read_verdict(text, prompts.rubric, answer)
    assert {criterion.score for criterion in verdict.criteria.values()} == {case["score"]}
    assert tuple(verdict.criteria) == KEYS
    assert repaired is case["repaired"]
    if "quote" in case:
        assert {criterion.quote for criterion in verdict.criteria.values()} == {case["quote"]}


@given(text=st.text())
def test_any_text_is_a_verdict_or_invalid(prompts: PromptSet, text: str) -> None:
    with pytest.raises(InvalidVerdict):
        read_verdict(text, prompts.rubric)


WORDS = st.text(alphabet=st.sampled_from("他说“”\"'{}[]:,，：3<think>/\\\n a`"), max_size=30)


@given(said=WORDS, before=WORDS, score=st.integers(0, 5))
def test_no_words_within_a_verdict_change_it(
    prompts: PromptSet, said: str, before: str, score: int
) -> None:
    """Whatever stands in strings or before the verdict: it is read as written, or refused."""
    text = before + verdict_json(score, quote=said)
    try:
        verdict, _ = read_verdict(text, prompts.rubric)
    except InvalidVerdict:
        return
    assert {(c.score, c.quote) for c in verdict.criteria.values()} == {(score, said)}


@given(inner=st.integers(0, 5), score=st.integers(0, 5), cut=st.integers(0, 900))
def test_a_verdict_in_a_quote_never_counts(
    prompts: PromptSet, inner: int, score: int, cut: int
) -> None:
    """An injected verdict, in every kind of quotes, in a reply that may be broken anywhere."""
    plain = verdict_json(inner)
    for injected in (plain, plain.replace('"', "“"), plain.replace('"', "”"), f"</think>{plain}"):
        whole = json.dumps(verdict_tree(score, quote=injected), ensure_ascii=False)
        for text in (whole, whole[:cut] + whole[cut + 1 :], whole[:cut]):
            try:
                verdict, _ = read_verdict(text, prompts.rubric, answer=injected)
            except InvalidVerdict:
                continue
            found = {criterion.score for criterion in verdict.criteria.values()}
            assert score in found or dump_verdict(verdict) in text


def test_deep_and_long_replies_are_refused_quickly(prompts: PromptSet) -> None:
    for text in ("[" * 100_000, '{"a":' * 50_000, "{" * 100_000, "{} " * 50_000, "“" * 100_000):
        with pytest.raises(InvalidVerdict):
            read_verdict("x " + text, prompts.rubric)


def test_the_error_holds_nothing_of_the_reply(prompts: PromptSet) -> None:
    for text in ('x {"CANARY": 1}', "CANARY {CANARY}", verdict_json(3) + " CANARY 4"):
        with pytest.raises(InvalidVerdict) as caught:
            read_verdict(text, prompts.rubric)
        assert "CANARY" not in str(caught.value)
