"""Gates: what is blank, copied or missing, and what only looks like it."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.gates import check
from pipeline.records import Item

RING = "为什么梯度同步常用 Ring-AllReduce 而不是参数服务器？"
AIM = "考察对分布式训练通信拓扑的理解和取舍。"


def status_of(answer: str | None, question: str = RING, objective: str | None = AIM) -> str | None:
    gate = check(Item(item_id="a#1", question=question, objective=objective, answer=answer))
    return gate.status if gate else None


BLANK = [
    "",
    "   ",
    "\n\t\r\n",
    "\u3000\u00a0\u2003",
    "\u200b",
    "\u2060\ufeff\u200d\u00ad",
    "\ufe0f",
    "\u034f\u180b",
    "\u3164\uffa0\u115f",
    "\u2800\u2800",
    "\U000e0041\U000e0042\U000e007f",
    "。",
    "...",
    "……——",
    "，。、；：？！",
    "---\n***\n___",
    "（）【】《》",
    " \u200b。 \ufeff… ",
]


@pytest.mark.parametrize("answer", BLANK, ids=ascii)
def test_an_answer_without_content_is_blank(answer: str) -> None:
    assert status_of(answer) == "blank"


@pytest.mark.parametrize(
    "answer", ["😀", "👍🏽", "√", "0", "无", "N/A", "不", "+", "是", "B", "3.5", "é"]
)
def test_a_single_sign_or_word_is_an_answer(answer: str) -> None:
    """A symbol or an emoji is content; words for "nothing" are the reader's business."""
    assert status_of(answer) is None


@given(st.text(alphabet=" \t\n\u200b\u200c\u2060\ufeff\u00ad\u3000。，.…-—'\"*", max_size=60))
def test_no_mix_of_spaces_and_punctuation_is_content(answer: str) -> None:
    assert status_of(answer) == "blank"


def test_an_absent_answer_is_missing_and_not_blank() -> None:
    assert status_of(None) == "missing"


COPIED = [
    ("C02", RING, "为什么梯度同步常用Ring-AllReduce而不是参数服务器，这是一个好问题。"),
    ("as it stands", RING, RING),
    (
        "wide and shouting",
        RING,
        "为什么梯度同步常用 ＲＩＮＧ－ＡＬＬＲＥＤＵＣＥ 而不是参数服务器!!",
    ),
    ("good, then the question", RING, "好的，" + RING),
    ("let me answer", RING, "嗯，我来回答一下，" + RING),
    ("objective", RING, "考察对分布式训练通信拓扑的理解和取舍"),
    ("end of the question", RING, "梯度同步常用Ring-AllReduce而不是参数服务器"),
    ("yes-no question", "给每一个查询列都加上索引是好事吗？", "给每一个查询列都加上索引是好事吗？"),
    (
        "English",
        "Why can adding an index make a query slower?",
        "OK, so why can adding an index make a query slower?",
    ),
]


@pytest.mark.parametrize(
    ("question", "answer"), [r[1:] for r in COPIED], ids=[r[0] for r in COPIED]
)
def test_a_question_said_again_is_copied(question: str, answer: str) -> None:
    assert status_of(answer, question) == "copied"


SAME = "缓存穿透和缓存雪崩指的是同一个问题吗？"
PICK = "你会先写数据库再删除缓存并设置过期时间，还是先删除缓存再写数据库？"
NOT_COPIED = [
    ("restated, then answered", RING, RING + "因为环上没有中心瓶颈。"),
    ("a fifth is new", RING, "梯度同步常用Ring-AllReduce而不是参数服务器因为没有中心瓶颈"),
    ("one word is new", RING, RING + "带宽。"),
    ("answered, then restated", RING, "带宽最优。" + RING),
    ("yes behind it", SAME, "缓存穿透和缓存雪崩指的是同一个问题，是的。"),
    ("yes before it", SAME, "是的，缓存穿透和缓存雪崩指的是同一个问题。"),
    ("no before it", SAME, "不，缓存穿透和缓存雪崩指的是同一个问题吗？"),
    ("claimed", SAME, "缓存穿透和缓存雪崩指的是同一个问题。"),
    ("denied", SAME, "缓存穿透和缓存雪崩指的不是同一个问题。"),
    (
        "claim of a whether",
        "是否应该给所有的查询列都加上一个索引？",
        "应该给所有的查询列都加上一个索引。",
    ),
    ("an option", PICK, "先写数据库再删除缓存并设置过期时间。"),
    (
        "an English option",
        "Would you write the database first or delete the cache entry first?",
        "Delete the cache entry first.",
    ),
    ("a short option", "用 Redis 还是 Memcached？", "Redis"),
    ("short and the same", "什么是索引？", "什么是索引？"),
    ("14 characters", "一二三四五六七八九十甲乙丙丁", "一二三四五六七八九十甲乙丙丁"),
    (
        "a number is new",
        "为什么过期时间要设成 30 分钟而不更长？",
        "为什么过期时间要设成 35 分钟而不更长",
    ),
    ("another answer", RING, "HDFS把文件切块存到多台机器，默认三副本。"),
]


@pytest.mark.parametrize(
    ("question", "answer"), [r[1:] for r in NOT_COPIED], ids=[r[0] for r in NOT_COPIED]
)
def test_an_answer_with_something_of_its_own_is_not_copied(question: str, answer: str) -> None:
    assert status_of(answer, question) is None


def test_fifteen_folded_characters_are_the_least_for_a_copy() -> None:
    question = "甲乙丙丁戊己庚辛壬癸子丑寅卯辰"
    assert status_of(question, question) == "copied"
    assert status_of(question[:14], question) is None


def test_without_an_objective_only_the_question_is_compared() -> None:
    assert status_of(AIM, objective=None) is None
    assert status_of(AIM) == "copied"


def test_the_reason_names_what_was_copied_and_nothing_of_it() -> None:
    gate = check(Item(item_id="a#1", question="问题是什么？", objective=AIM, answer=AIM))
    assert gate is not None
    assert gate.reason == "the answer repeats the objective and adds nothing"


@pytest.mark.parametrize("text", ["a" * 50_000, "ab" * 25_000, "缓存索引" * 12_500])
def test_long_repetitive_texts_are_compared_at_once(text: str) -> None:
    started = time.perf_counter()
    assert status_of(text + "因为别的", question=text) is None
    assert time.perf_counter() - started < 5, "seconds"
