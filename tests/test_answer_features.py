"""Plain features: what they count, and what they must not be fooled by."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.answer_features import FEATURES, features_of

QUESTION = "运输合同按运输对象可分为什么类型？"
AIM = "参考要点：(1) 客运合同 (2) 货运合同"


def named(answer: str, objective: str | None = AIM) -> dict[str, float]:
    return dict(zip(FEATURES, features_of(QUESTION, objective, answer), strict=True))


def test_an_answer_with_the_terms_of_the_aim_has_more_of_them() -> None:
    right, wrong = named("分为客运合同和货运合同"), named("分为什么类型，要看运输对象")
    assert right["terms"] >= 0.5
    assert wrong["terms"] == 0
    assert right["overlap"] > wrong["overlap"]


def test_words_of_the_question_are_no_terms() -> None:
    assert named(QUESTION)["terms"] == 0
    assert named(QUESTION, None)["overlap"] == pytest.approx(1)


def test_without_an_aim_there_are_no_terms() -> None:
    assert named("客运合同", None)["terms"] == 0
    assert named("客运合同", "")["terms"] == 0


def test_case_and_white_space_are_folded() -> None:
    once, again = (features_of("q?", "A  Queue", text) for text in ("a queue", "A\nQUEUE"))
    assert once == again


def test_saying_it_again_adds_little() -> None:
    once, often = named("客运合同和货运合同。"), named("客运合同和货运合同。" * 20)
    assert often["terms"] == once["terms"]
    assert often["overlap"] < once["overlap"] + 0.1


@given(st.text(max_size=40), st.none() | st.text(max_size=40), st.text(max_size=60))
def test_bounds(question: str, objective: str | None, answer: str) -> None:
    length, overlap, terms = features_of(question, objective, answer)
    assert length == math.log1p(len(answer))
    assert 0 <= overlap <= 1 + 1e-9
    assert 0 <= terms <= 1
