"""One item, end to end, over a scripted endpoint: every way in which it can end."""

from __future__ import annotations

import asyncio
import math
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.errors import CallError, ContentFiltered, EndpointError, StopRun
from pipeline.grading import Recipe, doubts_about_prompt, fewest_tokens, grade_item, messages_for
from pipeline.prompt import PromptSet
from pipeline.records import Item, Message, Messages, Outcome, Reply, Token, Usage
from tests.conftest import SECRET
from tests.scripted import KEYS, Scripted, verdict_json

ANSWER = "索引不是白给的，写入时要多维护一棵树。CANARY。"
ITEM = Item(item_id="a#1", question="加了索引为什么会变慢？", answer=ANSWER)
GOOD = verdict_json(4, quote="写入时要多维护一棵树")
BAD = '{"overall": 7}'
FULL = Usage(input_tokens=5_000, output_tokens=200, cached_tokens=4_000)


@pytest.fixture
def recipe(prompts: PromptSet) -> Recipe:
    return Recipe(prompts=prompts, secret=SECRET)


def run(item: Item, recipe: Recipe, endpoint: Any) -> Outcome:
    return asyncio.run(grade_item(item, "a", "zh", recipe, endpoint))


def reply(text: str = GOOD, **fields: Any) -> Reply:
    return Reply(text=text, model="m-1", usage=FULL, **fields)


def test_a_valid_reply_gives_a_grade_in_one_call(recipe: Recipe) -> None:
    endpoint = Scripted([reply(attempts=2)])
    outcome = run(ITEM, recipe, endpoint)
    assert (outcome.status, outcome.reason, outcome.attempts) == ("scored", "", 2)
    assert outcome.grade is not None
    assert (str(outcome.grade.overall), outcome.grade.score_mode) == ("4.0", "verdict")
    assert outcome.grade.criteria[0].match == "exact"
    assert (outcome.item_id, outcome.interview_id) == ("a#1", "a")
    assert (outcome.model, outcome.usage, outcome.replies) == ("m-1", FULL, (GOOD,))
    assert outcome.prompt_version == recipe.prompts.version
    assert outcome.flags == ()
    assert outcome.seconds >= 0


def test_the_call_is_the_prompt_with_schema_and_allowance(recipe: Recipe) -> None:
    endpoint = Scripted([reply()])
    run(ITEM, replace(recipe, max_tokens=700, text_limit=40, schema_bounds_texts=True), endpoint)
    asked = endpoint.seen[0]
    assert asked.max_tokens == 700
    assert asked.reply_schema is not None
    assert list(asked.reply_schema["properties"]) == list(KEYS)
    quote = asked.reply_schema["properties"]["depth"]["properties"]["quote"]
    assert quote == {"type": "string", "maxLength": 40}
    assert ANSWER in asked[-1].content


@pytest.mark.parametrize(
    ("answer", "status", "overall"),
    [("", "blank", "0.0"), ("\u200b。", "blank", "0.0"), (None, "missing", None)],
)
def test_a_gate_makes_no_call(
    recipe: Recipe, answer: str | None, status: str, overall: str | None
) -> None:
    item = ITEM.model_copy(update={"answer": answer, "flags": ("truncated_start",)})
    outcome = run(item, recipe, Scripted([]))
    assert (outcome.status, outcome.attempts, outcome.replies) == (status, 0, ())
    assert (outcome.grade and str(outcome.grade.overall)) == overall
    assert outcome.flags == ("truncated_start",)
    assert outcome.prompt_version == recipe.prompts.version
    assert outcome.reason


def test_a_copied_question_makes_no_call(recipe: Recipe) -> None:
    question = "为什么梯度同步常用 Ring-AllReduce 而不是参数服务器？"
    item = Item(item_id="a#1", question=question, answer=question + "这是一个好问题。")
    outcome = run(item, recipe, Scripted([]))
    assert outcome.status == "copied"
    assert outcome.grade is not None
    assert (str(outcome.grade.overall), outcome.grade.score_mode) == ("0.0", "gate")


def test_an_invalid_verdict_is_asked_for_again_with_what_was_wrong(recipe: Recipe) -> None:
    endpoint = Scripted([reply(verdict_json(6)), reply()])
    outcome = run(ITEM, recipe, endpoint)
    first, second = endpoint.seen
    assert outcome.status == "scored"
    assert second.turns[: len(first)] == first.turns
    assert second[-2] == Message(role="assistant", content=verdict_json(6))
    assert second[-1].role == "user"
    assert "relevance.score: must be a whole number from 0 to 5" in second[-1].content
    assert second.reply_schema == first.reply_schema
    assert outcome.replies == (verdict_json(6), GOOD)


def test_c20_two_invalid_verdicts_are_unparseable_null_and_counted(recipe: Recipe) -> None:
    endpoint = Scripted([reply(BAD), reply(BAD), reply()])
    outcome = run(ITEM, recipe, endpoint)
    assert (outcome.status, outcome.grade, outcome.attempts) == ("unparseable", None, 2)
    assert len(endpoint.seen) == 2
    assert outcome.replies == (BAD, BAD)
    assert outcome.usage == Usage(input_tokens=10_000, output_tokens=400, cached_tokens=8_000)
    assert "after 2 replies" in outcome.reason


def test_a_long_invalid_reply_is_repeated_in_part_only(recipe: Recipe) -> None:
    endpoint = Scripted([reply("x" * 50_000), reply("")])
    run(ITEM, recipe, endpoint)
    assert len(endpoint.seen[1][-2].content) == 4_000


def test_an_empty_reply_is_repeated_as_a_dash(recipe: Recipe) -> None:
    endpoint = Scripted([reply(""), reply()])
    assert run(ITEM, recipe, endpoint).status == "scored"
    assert endpoint.seen[1][-2].content == "-"


def test_a_cut_reply_is_asked_for_once_more_with_twice_the_allowance(recipe: Recipe) -> None:
    endpoint = Scripted([reply(GOOD[:50], finish_reason="length"), reply()])
    outcome = run(ITEM, recipe, endpoint)
    assert [asked.max_tokens for asked in endpoint.seen] == [2048, 4096]
    assert endpoint.seen[0].turns == endpoint.seen[1].turns
    assert (outcome.status, outcome.attempts) == ("scored", 2)


def test_a_reply_cut_twice_is_a_truncated_reply(recipe: Recipe) -> None:
    endpoint = Scripted([reply(GOOD, finish_reason="length")] * 3)
    outcome = run(ITEM, recipe, endpoint)
    assert (outcome.status, outcome.grade, len(endpoint.seen)) == ("truncated_reply", None, 2)
    assert outcome.reason == "cut at 4096 tokens, twice the first allowance"


@pytest.mark.parametrize("text", [GOOD, ""])
def test_a_filtered_reply_is_not_parsed(recipe: Recipe, text: str) -> None:
    endpoint = Scripted([reply(text, finish_reason="content_filter")])
    outcome = run(ITEM, recipe, endpoint)
    assert (outcome.status, outcome.grade, outcome.attempts) == ("content_filtered", None, 1)


def test_a_refusal_is_not_parsed_and_not_repeated_in_the_reason(recipe: Recipe) -> None:
    outcome = run(ITEM, recipe, Scripted([reply(GOOD, refusal="I cannot judge CANARY")]))
    assert (outcome.status, outcome.grade) == ("refused", None)
    assert "CANARY" not in outcome.reason


@pytest.mark.parametrize("reason", ["stop", None, "tool_calls", "end_turn"])
def test_any_other_reason_to_stop_is_judged_by_the_text(recipe: Recipe, reason: str | None) -> None:
    assert run(ITEM, recipe, Scripted([reply(finish_reason=reason)])).status == "scored"


# Prompt tokens as the endpoint reports them.

WIDE = "".join(map(chr, range(0x4E00, 0x4E00 + 804)))
SHORT = Messages(turns=(Message(role="user", content=WIDE),))


def test_the_lower_bound_of_tokens_counts_three_wide_or_ten_other_characters() -> None:
    def bound(text: str) -> int:
        return fewest_tokens(Messages(turns=(Message(role="user", content=text),)))

    assert fewest_tokens(SHORT) == 268
    assert bound("索引的代价是" * 100) == 200
    assert bound("index cost" * 100) == 100
    assert bound(" " * 10_000 + "=" * 10_000 + "哈" * 10_000) == 0


@pytest.mark.parametrize(
    ("tokens", "cached", "flags"),
    [
        (None, None, ()),
        (0, None, ()),
        (268, None, ()),
        (5_000, None, ()),
        (267, None, ("prompt_doubt",)),
        (134, 0, ("prompt_doubt",)),
        (8, 260, ()),
    ],
)
def test_fewer_reported_prompt_tokens_than_can_be_raise_a_doubt(
    tokens: int | None, cached: int | None, flags: tuple[str, ...]
) -> None:
    usage = Usage(input_tokens=tokens, cached_tokens=cached)
    assert doubts_about_prompt(SHORT, Reply(text="", usage=usage)) == flags


@pytest.mark.parametrize("tokens", [133, 1])
def test_fewer_than_half_is_a_truncated_prompt(tokens: int) -> None:
    with pytest.raises(CallError, match=f"saw {tokens} prompt tokens of at least 268") as caught:
        doubts_about_prompt(SHORT, Reply(text="", usage=Usage(input_tokens=tokens)))
    assert caught.value.status == "prompt_truncated"


def test_a_truncated_prompt_gives_no_grade_and_a_doubt_gives_a_flag(recipe: Recipe) -> None:
    least = fewest_tokens(messages_for(ITEM, "zh", recipe))
    few = reply().model_copy(update={"usage": Usage(input_tokens=least // 2 - 1)})
    doubted = reply().model_copy(update={"usage": Usage(input_tokens=least - 1)})
    outcome = run(ITEM, recipe, Scripted([few]))
    assert (outcome.status, outcome.grade, outcome.attempts) == ("prompt_truncated", None, 1)
    outcome = run(ITEM, recipe, Scripted([doubted]))
    assert (outcome.status, outcome.flags) == ("scored", ("prompt_doubt",))


def test_flags_of_reader_and_grading_stand_in_the_order_of_the_table(recipe: Recipe) -> None:
    item = ITEM.model_copy(update={"flags": ("truncated_end",)})
    outcome = run(item, recipe, Scripted([reply(verdict_json(3, quote="并没有说过的话"))]))
    assert outcome.flags == ("unsupported_credit", "truncated_end", "quote_not_found")


# Failures.


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (EndpointError("HTTP 500 after 4 attempts", attempts=4), "endpoint_error"),
        (ContentFiltered("stopped by the provider", attempts=4), "content_filtered"),
    ],
)
def test_a_call_error_becomes_status_and_reason(
    recipe: Recipe, error: CallError, status: str
) -> None:
    outcome = run(ITEM, recipe, Scripted([error]))
    assert (outcome.status, outcome.reason, outcome.grade) == (status, str(error), None)
    assert (outcome.attempts, outcome.usage, outcome.model) == (4, Usage(), None)


def test_what_was_used_before_a_failure_is_counted(recipe: Recipe) -> None:
    endpoint = Scripted([reply(BAD, attempts=3), EndpointError("HTTP 500", attempts=4)])
    outcome = run(ITEM, recipe, endpoint)
    assert (outcome.status, outcome.attempts, outcome.usage) == ("endpoint_error", 7, FULL)
    assert (outcome.replies, outcome.model) == ((BAD,), "m-1")


def test_usage_that_is_not_reported_stays_unknown(recipe: Recipe) -> None:
    assert run(ITEM, recipe, Scripted([GOOD])).usage == Usage()
    known = reply(BAD)
    assert run(ITEM, recipe, Scripted([known, GOOD])).usage == FULL


@pytest.mark.parametrize("error", [StopRun("bad key"), KeyboardInterrupt(), ValueError("a bug")])
def test_what_concerns_the_whole_run_passes_through(recipe: Recipe, error: BaseException) -> None:
    with pytest.raises(type(error)):
        run(ITEM, recipe, Scripted([error]))


def test_cancelling_passes_through(recipe: Recipe) -> None:
    async def never(messages: Messages) -> Reply:
        await asyncio.sleep(60)
        raise AssertionError

    async def cancel() -> None:
        task = asyncio.create_task(grade_item(ITEM, "a", "zh", recipe, never))
        await asyncio.sleep(0.01)
        task.cancel()
        await task

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(cancel())


def test_an_item_past_its_deadline_is_an_endpoint_error_that_keeps_what_was_used(
    recipe: Recipe,
) -> None:
    async def slow_second(messages: Messages) -> Reply:
        if len(messages) == len(messages_for(ITEM, "zh", recipe)):
            return reply(BAD)
        await asyncio.sleep(60)
        raise AssertionError

    outcome = run(ITEM, replace(recipe, deadline=0.2), slow_second)
    assert (outcome.status, outcome.grade) == ("endpoint_error", None)
    assert outcome.reason == "not finished within 0.2 s"
    assert (outcome.attempts, outcome.usage) == (1, FULL)
    assert 0.2 <= outcome.seconds < 10


# Expected scores.


def with_tokens(text: str) -> Reply:
    """The reply with tokens of one character, and 3 or 4 as likely at every digit."""
    even = (("3", math.log(0.5)), ("4", math.log(0.5)))
    tokens = tuple(
        Token(text=c, size=len(c.encode()), logprob=-0.1, top=even if c.isdigit() else ())
        for c in text
    )
    return reply(text, tokens=tokens)


def test_expected_scores_come_from_the_tokens(recipe: Recipe) -> None:
    outcome = run(ITEM, replace(recipe, expected=True), Scripted([with_tokens(GOOD)]))
    assert outcome.grade is not None
    assert (str(outcome.grade.overall), outcome.grade.score_mode) == ("3.5", "expected")


def test_without_log_probabilities_there_is_an_error_and_never_the_written_score(
    recipe: Recipe,
) -> None:
    outcome = run(ITEM, replace(recipe, expected=True), Scripted([reply(attempts=2)]))
    assert (outcome.status, outcome.grade, outcome.attempts) == ("endpoint_error", None, 2)
    assert "log-probabilities" in outcome.reason


# Privacy.


@pytest.mark.parametrize(
    "replies",
    [
        ["CANARY", "CANARY"],
        ['{"CANARY": "CANARY"}'] * 2,
        [GOOD.replace("4", '"CANARY"')] * 2,
        [reply("CANARY", finish_reason="length")] * 2,
        [reply("CANARY", finish_reason="content_filter")],
        [reply("CANARY", refusal="CANARY")],
        [reply("CANARY").model_copy(update={"usage": Usage(input_tokens=1)})],
    ],
)
def test_no_reason_holds_anything_that_was_said(recipe: Recipe, replies: list[Any]) -> None:
    outcome = run(ITEM, recipe, Scripted(replies))
    assert outcome.grade is None
    assert outcome.reason
    assert "CANARY" not in outcome.reason


@given(text=st.text(max_size=200))
def test_whatever_comes_back_a_failure_has_no_number(prompts: PromptSet, text: str) -> None:
    recipe = Recipe(prompts=prompts, secret=SECRET)
    outcome = run(ITEM, recipe, Scripted([text, text]))
    assert (outcome.status, outcome.grade) == ("unparseable", None)
