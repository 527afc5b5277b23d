"""Where a label may be a candidate's own words, or a question stands where none is expected."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pipeline.intake import read_all
from pipeline.records import Interview

Read = Callable[..., Interview]
FIRST = "问题1：怎么对账？\n回答：看流水。\n"
SECOND = "问题2：怎么改错？\n回答：先报告。\n"
THIRD = "问题3：压力大怎么办？\n回答：跑步。\n"
RUNS_ON = "lines below a comment"
SEVERAL = "several comments"
FEW = "under one of few questions"


@pytest.mark.parametrize(
    ("text", "doubt"),
    [
        (f"{FIRST}面试官点评：优秀。\n我还盘库。\n{SECOND}面试官点评：一般。\n", RUNS_ON),
        (f"{FIRST}点评：优秀。\n我还盘库。\n{SECOND}点评：一般。\n{THIRD}点评：可以。\n", RUNS_ON),
        (f"{FIRST}{SECOND}点评：优秀。\n我还登记。\n点评：一般。\n", SEVERAL),
        (f"{FIRST}点评：优秀。\n我还盘库。\n点评：可以。\n{SECOND}点评：一般。\n", SEVERAL),
        (f"{FIRST}点评：优秀。\n{SECOND}{THIRD}点评：一般。\n", FEW),
        (f"{FIRST}点评：优秀。\n{SECOND}", FEW),
    ],
)
def test_a_comment_that_may_be_text_of_an_answer_is_told(read: Read, text: str, doubt: str) -> None:
    assert any(doubt in warning for warning in read(text).warnings)


@pytest.mark.parametrize(
    "text",
    [
        f"{FIRST}{SECOND}点评：不错。\n下一轮再看。\n",
        f"{FIRST}点评：可以。\n{SECOND}点评：一般。\n点评：总体不错。\n",
        f"{FIRST}点评：可以。\n再练。\n{SECOND}点评：好。\n再想。\n{THIRD}点评：好。\n",
        f"{FIRST}**点评：**\n\n可以。\n\n再练。\n\n{SECOND}**点评：**\n\n一般。\n",
        "Question 1: Why?\nFeedback: good\nfine\nAnswer: Yes.\n"
        "Question 2: When?\nFeedback: ok\nAnswer: May.\n",
    ],
)
def test_comments_of_a_regular_layout_raise_no_doubt(read: Read, text: str) -> None:
    assert read(text).warnings == ()


@pytest.mark.parametrize(
    "text",
    [
        "问题1：为什么来？ 回答：近。\n问题2：薪资？ 回答：八千。\n",
        "Q1: Why? A: Near.\nQ2: Pay? A: Fair.\n",
    ],
)
def test_answers_on_the_line_of_their_question(read: Read, text: str) -> None:
    one = read(text)
    assert [(item.number, bool(item.answer), item.line) for item in one.items] == [
        (1, True, 1),
        (2, True, 2),
    ]


def test_a_question_within_the_line_of_an_answer_is_told(read: Read) -> None:
    warnings = read("问：几年级？\n答：三年级。问：几个人？答：四十。\n").warnings
    assert warnings == ("line 2 holds labels of a question and an answer within its text",)
    assert read("问：怎么写？\n答：我写“问：几号？答：五号。”\n").warnings == ()


def test_circled_numbers_number_questions_and_lists(read: Read) -> None:
    text = (
        "① 优点是什么？\n回答：细心。\n② 缺点是什么？\n回答：慢。\n① 列清单\n② 定时间\n"
        "③ 薪资？\n回答：八千。\n"
    )
    assert [(item.number, item.answer) for item in read(text).items] == [
        (1, "细心。"),
        (2, "慢。\n① 列清单\n② 定时间"),
        (3, "八千。"),
    ]


def test_a_section_above_a_bold_question_belongs_to_no_answer(read: Read) -> None:
    one = read("## Drive\n\n**Why us?**\n\nClose.\n\n## Skills\n\n**Excel?**\n\nYes.\n", "one.md")
    assert [item.answer for item in one.items] == ["Close.", "Yes."]


def test_a_quoted_salutation_is_no_question(read: Read) -> None:
    one = read("> 1. Why leave?\n\nIt closed.\n\n> 2. When?\n\nMay.\n\n> Dear Kim,\n")
    assert [item.answer for item in one.items] == ["It closed.", "May."]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Q1: Why us? A: Near. Q2: When? A: In May.\n", "several questions on one line"),
        (
            "1. How do you meet?\nI ask:\n1. Who decides?\n2. What for?\nThen we begin.\n"
            "2. How do you end?\nWith a summary.\n",
            "under one number",
        ),
    ],
)
def test_what_could_join_an_answer_to_another_question_is_refused(
    tmp_path: Path, text: str, reason: str
) -> None:
    (tmp_path / "one.txt").write_text(text, encoding="utf-8")
    reading = read_all([tmp_path])
    assert reading.interviews == ()
    assert reason in reading.errors[0].problem
