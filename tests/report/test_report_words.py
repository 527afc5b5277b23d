"""The words of the report: complete in both languages, and true to the sentences they stand for."""

from __future__ import annotations

import re
from decimal import Decimal
from string import Formatter
from typing import Any

import pytest

from pipeline.flags import FLAGS
from pipeline.records import STATUSES, Interview, Item, Outcome, Rubric
from pipeline.report.card import naming_of
from pipeline.report.phrases import PHRASES
from pipeline.report.reasons import in_words
from pipeline.results import UNMEASURED
from pipeline.review import review_queue
from pipeline.reviewed import review_candidate
from pipeline.reviews import Review
from pipeline.summary import uncertain_scores
from tests.report.conftest import grade, scored

COMMENT = "该候选人对缓存的理解深刻，对索引的回答准确清晰，所有问题的回答都非常详细。"


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name}


@pytest.mark.parametrize("key", PHRASES)
def test_a_phrase_says_the_same_in_both_languages(key: str) -> None:
    english, chinese = PHRASES[key]
    assert fields(english) >= fields(chinese)
    assert fields(chinese) >= fields(english) - {"are"}
    assert re.search("[\u4e00-\u9fff]", chinese) or fields(chinese)


def everything(rubric: Rubric) -> tuple[Interview, dict[str, Outcome]]:
    """An interview with every status, every flag, and praise for what is blank or poor."""
    answers = {"a": "我用缓存挡住重复的读，提速5倍。", "b": "我用缓存挡住重复的读，提速50%。"}
    items, outcomes = [], {}
    for place, status in enumerate(STATUSES, start=1):
        name = f"x#{place}"
        question = "请讲讲缓存 Redis 的作用？" if status == "blank" else f"问题{place}是什么？"
        answer = "" if status == "blank" else answers["a"]
        items.append(Item(item_id=name, question=question, answer=answer))
        if status not in ("not_run", "scored"):
            outcomes[name] = Outcome.model_validate(
                {"item_id": name, "interview_id": "x", "status": status}
            )
    for flag in FLAGS:
        name = f"x#{len(items) + 1}"
        items.append(Item(item_id=name, question=f"{flag} 索引 B+ 树？", answer=answers["b"]))
        scores = {"relevance": ("2", ""), "correctness": ("2", answers["b"][:4])}
        result = grade(answers["b"], scores, "1.4")
        outcomes[name] = scored(
            name, result, flag, spread=1, overall_without_injection=Decimal("0.5")
        )
    interview = Interview(id="x", source="x", items=tuple(items), comment=COMMENT, intro=COMMENT)
    return interview, outcomes


def sentences(rubric: Rubric) -> set[str]:
    """All that the program says of that interview, as the tables hold it."""
    interview, outcomes = everything(rubric)
    name = next(name for name, outcome in outcomes.items() if outcome.status == "scored")
    review = Review(
        item_id=name, interview_id="x", of_line=0, reviewer="r", when="2026", before=Decimal("1.4"),
        after=Decimal("5.0"),
    )  # fmt: skip
    candidate = review_candidate(interview, outcomes, {name: review}, rubric)
    close = candidate.model_copy(update={"overall": Decimal("2.8"), "graded": 3})
    queue = review_queue([interview], outcomes, [close], rubric, {})
    waiting = {reason for entry in queue for reason in entry.reasons}
    doubtful = {
        name: one.model_copy(update={"grade": one.grade.model_copy(update={"abstention": "wide"})})
        for name, one in outcomes.items()
        if one.grade
    }
    uncertain = uncertain_scores(interview, doubtful, {})
    assert uncertain
    return {UNMEASURED, uncertain, *candidate.reasons, *candidate.contradictions, *waiting}


@pytest.mark.parametrize("language", ["zh", "en"])
def test_every_sentence_of_the_program_is_said_in_plain_words(
    rubric: Rubric, language: Any
) -> None:
    interview, _ = everything(rubric)
    naming = naming_of(interview, rubric, language)
    said = {sentence: in_words(sentence, naming) for sentence in sentences(rubric)}
    assert len(said) > 35
    for sentence, plain in said.items():
        assert "_" not in plain, sentence
        assert "{" not in plain, sentence
        if language == "zh":
            assert re.search("[\u4e00-\u9fff]", plain), sentence
        else:
            assert not re.search("[\u4e00-\u9fff]", plain.replace("倍", "")), sentence


def test_an_unknown_sentence_is_said_as_it_stands(rubric: Rubric) -> None:
    naming = naming_of(None, rubric, "zh")
    assert in_words("something new (2)", naming) == "something new (2)"


@pytest.mark.parametrize(
    ("sentence", "zh", "en"),
    [
        (
            "items 2, 4: no score (refused)",
            "Q12、Q4：模型拒绝评分",
            "Q12, Q4: the model declined to grade",
        ),
        (
            "the comment praises all answers, but items 2 and 4 are blank or copied",
            "点评称赞了所有回答，但Q12、Q4空白或照抄题目",
            "the comment praises all answers, but Q12, Q4 are blank or copied",
        ),
        (
            "no quote for depth, clarity",
            "没有引文：深度与推理、表达与条理",
            "no quote for Depth and reasoning, Clarity",
        ),
        (
            "the candidate's overall 2.8 is near the cut of MIXED at 2.8",
            "总分 2.8 接近“有保留”的分界 2.8",
            "the overall 2.8 is near 2.8, from where it would be “Mixed”",
        ),
    ],
)
def test_positions_and_codes_become_numbers_and_names(
    rubric: Rubric, sentence: str, zh: str, en: str
) -> None:
    numbers = (1, 12, 3, 4)
    items = tuple(
        Item(item_id=f"x#{place}", number=number, question="q", answer="a")
        for place, number in enumerate(numbers, start=1)
    )
    interview = Interview(id="x", source="x", items=items)
    assert in_words(sentence, naming_of(interview, rubric, "zh")) == zh
    assert in_words(sentence, naming_of(interview, rubric, "en")) == en
