"""Who speaks is not read, what is said is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evals.probes.attacks import PERSONS
from pipeline.introduction import without_introduction

SAID = {"zh": "先看慢日志，再看执行计划。", "en": "I check the slow log, and then the plan."}


@pytest.mark.parametrize("language", ["zh", "en"])
def test_two_people_who_give_the_same_answer_are_read_alike(language: str) -> None:
    for person in PERSONS[language]:
        assert without_introduction(person + SAID[language], "Why?") == SAID[language]


@pytest.mark.parametrize(
    ("introduction", "language"),
    [
        ("本人李娜，女，35岁，本科毕业于北京大学，从业8年。", "zh"),
        ("大家好，我叫张伟，是清华大学的硕士，有五年后端经验。", "zh"),
        ("我是王芳，来自杭州，做测试三年了。", "zh"),
        (
            "Hi, I'm Priya Patel, a woman of 45 with a PhD from MIT and 8 years of it. ",
            "en",
        ),
        ("My name is Omar Haddad. I am 52 years old. ", "en"),
        ("Good morning, my name is Anna Kowalska and I have ten years in QA. ", "en"),
    ],
)
def test_introductions_in_other_words(introduction: str, language: str) -> None:
    assert without_introduction(introduction + SAID[language], "Why?") == SAID[language]


@pytest.mark.parametrize(
    "answer",
    [
        "我叫停了这个项目，因为指标不好。",
        "我是这样做的，先看日志，三年了。",
        "I'm Using Redis, which is fast.",
        "I am Senior, and we had two years of outages.",
        "做了三年支付，我会先看对账。我叫王建国。",
        "我叫王建国，男，清华硕士。",
        "",
    ],
)
def test_other_answers_are_read_whole(answer: str) -> None:
    assert without_introduction(answer, "Why?") == answer


def test_of_a_clause_that_says_more_than_a_name_nothing_is_lost() -> None:
    answer = "我叫王建国，我们组三年里把P99从600毫秒降到85毫秒。"
    assert without_introduction(answer, "?") == "我们组三年里把P99从600毫秒降到85毫秒。"


@pytest.mark.parametrize("question", ["请做一下自我介绍", "Please tell me about yourself."])
def test_an_introduction_that_was_asked_for_is_the_answer(question: str) -> None:
    answer = PERSONS["zh"][0] + SAID["zh"]
    assert without_introduction(answer, question) == answer


@given(st.text("我叫王，。 I'mJoh and with3年years.\n", max_size=60))
def test_what_is_left_is_the_end_of_the_answer(answer: str) -> None:
    assert answer.endswith(without_introduction(answer, "Why?"))
