"""The source's comment and introduction against the grades, and numbers against each other."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from pipeline.claims import claims, contradicts_itself
from pipeline.contradictions import find_contradictions
from pipeline.intake import read_all
from pipeline.prompt import PromptSet
from pipeline.records import Interview, Item, Outcome
from pipeline.scoring import grade_verdict
from pipeline.verdict import parse_verdict
from tests.conftest import ROOT
from tests.scripted import verdict_json

ASKED = (
    "请解释什么是用户生命周期价值？",
    "什么是缓存穿透，布隆过滤器为什么能缓解它？",
    "讲一次线上故障的处理。",
)


def interview(*answers: str, comment: str = "", intro: str = "") -> Interview:
    items = tuple(
        Item(item_id=f"a#{place}", number=place, question=question, answer=answer)
        for place, (question, answer) in enumerate(zip(ASKED, answers, strict=True), start=1)
    )
    return Interview(id="a", source="a.txt", items=items, comment=comment, intro=intro)


PRAISED = "the comment praises item 1, which is blank"
CASES = [
    ("关于用户生命周期价值的回答思路清晰、公式准确。", (PRAISED,)),
    ("用户生命周期价值没有作答。缓存讲得清晰。", ()),
    ("问题1未作答，其余回答都很详细。", ()),
    ("第一题空白。关于用户生命周期价值的理解扎实，可惜没讲。", ()),
    ("用户生命周期价值的回答比较薄弱。", ()),
    ("该面试者的回答非常详细且专业。", ("the comment praises all answers, but item 1 is blank",)),
    ("有一题未作答，其余的回答都很完整。", ()),
    ("布隆过滤器讲得清晰准确。", ()),
    ("表达流畅，建议录用。", ()),
    ("", ()),
]


@pytest.mark.parametrize(("comment", "found"), CASES)
def test_praise_of_a_blank_is_named(comment: str, found: tuple[str, ...]) -> None:
    one = interview("", "查不存在的键。", "证书过期，换了。", comment=comment)
    assert find_contradictions(one, {}) == found


def test_the_introduction_is_held_against_the_grades_too() -> None:
    one = interview("", "查不存在的键。", "换了证书。", intro="他对用户生命周期价值有深入的理解。")
    assert find_contradictions(one, {}) == ("the introduction praises item 1, which is blank",)


def test_without_blanks_nothing_is_contradicted() -> None:
    one = interview(
        "毛利乘以留存。", "查不存在的键。", "换了。", comment="所有问题的回答都非常详细。"
    )
    assert find_contradictions(one, {}) == ()


def test_a_lost_recording_is_no_blank() -> None:
    one = interview("", "查不存在的键。", "换了。", comment="用户生命周期价值讲得清晰。")
    lost = one.items[0].model_copy(update={"answer": None})
    assert find_contradictions(one.model_copy(update={"items": (lost, *one.items[1:])}), {}) == ()


def test_praise_of_an_answer_with_a_very_low_grade_is_named(prompts: PromptSet) -> None:
    verdict = parse_verdict(verdict_json(1), prompts.rubric)
    grade = grade_verdict(verdict, "x", prompts.rubric, mode="verdict")
    assert grade.overall == Decimal("1.0")
    outcome = Outcome(item_id="a#1", interview_id="a", status="scored", grade=grade)
    one = interview("很好。", "查。", "换。", comment="用户生命周期价值讲得清晰。")
    found = find_contradictions(one, {"a#1": outcome})
    assert found == ("the comment praises item 1, which is graded 1.5 or less",)


def test_english_comments_are_read() -> None:
    items = (
        Item(item_id="a#1", question="What does a TLS certificate prove?", answer=""),
        Item(item_id="a#2", question="How do you store passwords?", answer="Hashed."),
    )
    praise = "The explanation of what a TLS certificate proves was excellent."
    one = Interview(id="a", source="a", language="en", items=items, comment=praise)
    assert find_contradictions(one, {}) == (PRAISED,)
    honest = "Question 1 was not answered. Her answers were detailed."
    assert find_contradictions(one.model_copy(update={"comment": honest}), {}) == ()


FIVE = {
    "000": ("items 2 and 4: 5倍 and 50% about the same thing",),
    "001": (),
    "002": (
        "the comment praises items 2 and 3, which are blank",
        "the introduction praises items 2 and 3, which are blank",
    ),
    "003": ("the comment praises item 1, which is blank",),
    "004": ("the comment praises all answers, but items 3, 6 and 7 are blank",),
}


def test_the_five_given_interviews(five: Path) -> None:
    read = read_all([str(five)], language="auto").interviews
    assert {one.id[:3]: find_contradictions(one, {}) for one in read} == FIVE


SEEDS = {
    "zh-product-operations": "the comment praises items 2 and 4, which are blank",
    "zh-backend-engineer": "",
    "en-data-analyst": "",
}


def test_the_seed_interviews() -> None:
    read = read_all([str(ROOT / "seeds" / "interviews")], language="auto").interviews
    assert {one.id: "; ".join(find_contradictions(one, {})) for one in read} == SEEDS


AT_ODDS = [
    "8卡后时间变为原来的8倍，所以提速8倍，也就是缩短50%。",
    "整个训练过程将只需要10倍的时间，大大提高了训练效率。",
    "耗时缩短了5倍，即缩短50%。",
]
IN_ORDER = [
    "耗时缩短了5倍，也就是缩短80%。",
    "召回率提高了10%，耗时缩短了50%。",
    "数据多了十倍，时间变为原来的3倍，我们接受这个代价。",
    "首日三笔的比例从18%涨到了33%，次周留存只涨了0.8个点。",
]


@pytest.mark.parametrize("answer", AT_ODDS)
def test_two_numbers_that_cannot_both_hold(answer: str) -> None:
    assert contradicts_itself(answer)


@pytest.mark.parametrize("answer", IN_ORDER)
def test_numbers_that_go_together(answer: str) -> None:
    assert not contradicts_itself(answer)


def test_a_claim_is_what_is_left_of_a_quantity() -> None:
    left = [(one.what, one.left) for one in claims("将训练时间缩短了5倍。接口延迟降低50%。")]
    assert left == [("训练时间", Decimal("0.2")), ("接口延迟", Decimal("0.5"))]
