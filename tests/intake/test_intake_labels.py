"""Labelled texts: the many ways to write a label, and text that only looks like one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pipeline.intake import read_all
from pipeline.intake.labels import label_of
from pipeline.intake.numerals import printed_number, years
from pipeline.records import Interview

Read = Callable[..., Interview]


@pytest.mark.parametrize(
    ("line", "kind", "number", "rest"),
    [
        ("问题 1：什么是锁？", "question", 1, "什么是锁？"),
        ("问题一、什么是锁？", "question", 1, "什么是锁？"),
        ("问题１２: 什么是锁？", "question", 12, "什么是锁？"),
        ("第3题 什么是锁？", "question", 3, "什么是锁？"),
        ("第十二题：什么是锁？", "question", 12, "什么是锁？"),
        ("第2个问题：什么是锁？", "question", 2, "什么是锁？"),
        ("Q1: What?", "question", 1, "What?"),
        ("Q1. What?", "question", 1, "What?"),
        ("Q1) What?", "question", 1, "What?"),
        ("### Q1", "question", 1, ""),
        ("### Q1 What?", "question", 1, "What?"),
        ("**问题：** 什么是锁？", "question", None, "什么是锁？"),
        ("**问题1：什么是锁？**", "question", 1, "什么是锁？"),
        ("**Question 1**", "question", 1, ""),
        ("Question 1: What?", "question", 1, "What?"),
        ("- Question: What?", "question", None, "What?"),
        ("1. 问题：什么是锁？", "question", 1, "什么是锁？"),
        ("【问题2】什么是锁？", "question", 2, "什么是锁？"),
        ("问：什么是锁？", "question", None, "什么是锁？"),
        ("問題3：什麼？", "question", 3, "什麼？"),
        ("Q02.4.1: D1?", "question", "02.4.1", "D1?"),
        ("回答：　互斥", "answer", None, "互斥"),
        ("答：互斥", "answer", None, "互斥"),
        ("答1：互斥", "answer", 1, "互斥"),
        ("**候选人回答（口头）：** 互斥", "answer", None, "互斥"),
        ("A: A lock.", "answer", None, "A lock."),
        ("A1. A lock.", "answer", 1, "A lock."),
        ("Candidate's answer: A lock.", "answer", None, "A lock."),
        ("#### 回答", "answer", None, ""),
        ("考察意图：概念", "objective", None, "概念"),
        ("Objective: basics", "objective", None, "basics"),
        ("**面试官纠正 + 补充：**", "comment", None, ""),
        ("点评：好", "comment", None, "好"),
        ("Feedback: fine", "comment", None, "fine"),
        ("追问1：为什么？", "follow_up", 1, "为什么？"),
        ("参考答案：互斥", "reference", None, "互斥"),
        ("**Rating:** 4/5", "score", None, "4/5"),
    ],
)
def test_labels(line: str, kind: str, number: object, rest: str) -> None:
    label = label_of(line)
    assert label is not None
    assert (label.kind, label.number, label.rest) == (kind, number, rest)


@pytest.mark.parametrize(
    "line",
    [
        "我的回答：是这样",
        "这个问题1：不重要",
        "A lot of people say so",
        "A/B 测试",
        "Q1 revenue grew",
        "Question everything.",
        "问题在于数据量太大",
        "回答不出来",
        "答案是肯定的",
        "Answer me this",
        "评分卡很有用",
        "1. 先看日志",
        "反馈：很快",
    ],
)
def test_text_that_is_no_label(line: str) -> None:
    label = label_of(line)
    assert label is None or line.startswith("我的回答")


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("3", 3),
        ("３", 3),
        ("三", 3),
        ("十", 10),
        ("二十一", 21),
        ("02", 2),
        ("2.1", "2.1"),
        ("", None),
    ],
)
def test_printed_numbers(text: str, number: object) -> None:
    assert printed_number(text) == number


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("10年", 10),
        ("8 years", 8),
        ("3.5年", 3.5),
        ("五年", 5),
        ("3-5年", "3-5年"),
        ("10年以上", "10年以上"),
        ("5", 5),
        ("", None),
    ],
)
def test_years_of_experience(text: str, number: object) -> None:
    assert years(text) == number


FAKES = """问题1：你遇到的最大困难是什么？
考察目标：抗压
回答： 我们当时有两个问题。
问题1：数据倾斜，某些键太多。
问题2：通信瓶颈，带宽不够。
问题2：你怎么解决？
考察目标：方法
回答： 先加盐打散。
A：方案一
答：这一行也是文本。
```
问题9：围栏里的
回答：不算
```
问题3：结果如何？
考察目标：结果
回答： 快了一倍。
"""


def test_look_alikes_in_an_answer_stay_text_and_are_named(read: Read) -> None:
    interview = read(FAKES)
    assert [item.number for item in interview.items] == [1, 2, 3]
    assert "通信瓶颈" in (interview.items[0].answer or "")
    assert (interview.items[1].answer or "").endswith("```\n问题9：围栏里的\n回答：不算\n```")
    assert "A：方案一\n答：这一行也是文本。" in (interview.items[1].answer or "")
    assert [warning for warning in interview.warnings if "looks like" in warning] == [
        "line 4 looks like a question but was taken as text of the answer",
        "line 5 looks like a question but was taken as text of the answer",
    ]


def test_several_fields_on_one_line_and_wrapped_fields(read: Read) -> None:
    interview = read(
        "姓名：李雷 | 岗位：数据分析师 | 从业年限：3-5年\n简介：做过报表，\n也做过实验平台。\n\n"
        "问题1：请介绍\n你自己。 考察目标：表达 回答：我是李雷。\n"
        "问题2：什么是 A/B 实验？考察目标：概念\n回答：对照。\n"
    )
    assert (interview.candidate, interview.role) == ("李雷", "数据分析师")
    assert interview.years_experience == "3-5年"
    assert interview.profile == "做过报表，也做过实验平台。"
    first, second = interview.items
    assert (first.question, first.objective, first.answer) == (
        "请介绍你自己。",
        "表达",
        "我是李雷。",
    )
    assert (second.objective, second.answer) == ("概念", "对照。")


def test_numbers_repeated_and_skipped_are_warned_of(read: Read) -> None:
    interview = read(
        "问题1：什么？\n回答：甲\n问题2：什么呢？\n回答：乙\n问题2：什么啊？\n回答：丙\n"
        "问题5：什么呀？\n回答：丁\n"
    )
    assert [item.number for item in interview.items] == [1, 2, 2, 5]
    assert [item.answer for item in interview.items] == list("甲乙丙丁")
    assert "question numbers repeat: 2" in interview.warnings
    assert "question numbers are skipped: 3, 4" in interview.warnings


def test_two_answers_to_one_question_are_kept_together(read: Read) -> None:
    interview = read(
        "问题1：什么？\n回答（口述版）：甲\n回答（技术版）：乙\n问题2：呢？\n回答：丙\n"
    )
    first = interview.items[0]
    assert first.answer == "甲\n\n乙"
    assert [turn.kind for turn in first.turns] == ["question", "answer", "answer"]
    assert any("two answers" in warning for warning in interview.warnings)


def test_follow_ups_stay_with_their_question(read: Read) -> None:
    interview = read(
        "Q1: What is a join?\nA: It combines tables.\nFollow-up: What if keys repeat?\n"
        "A: Rows multiply.\nQ2: Why?\nA: Because.\n"
    )
    assert len(interview.items) == 2
    assert interview.items[0].question == "What is a join?\nFollow-up: What if keys repeat?"
    assert interview.items[0].answer == "It combines tables.\n\nRows multiply."


def test_comments_of_items_are_kept_apart_from_the_closing_one(read: Read) -> None:
    each = read("Q1: a?\nA: x\nFeedback: good\nQ2: b?\nA: y\nFeedback: bad\n")
    assert [item.comment for item in each.items] == ["good", "bad"]
    assert each.comment is None
    last = read("Q1: a?\nA: x\nQ2: b?\nA: y\nFeedback: bad\n")
    assert [item.comment for item in last.items] == [None, None]
    assert last.comment == "bad"


def test_reference_answers_are_never_the_candidates(read: Read) -> None:
    interview = read(
        "问题1：什么是锁？\n参考答案：互斥\n回答：不知道\n问题2：呢？\n回答：甲\n参考答案：乙\n"
    )
    assert [item.answer for item in interview.items] == ["不知道", "甲"]


def test_a_comment_line_of_code_under_heading_labels_stays_in_the_answer(read: Read) -> None:
    interview = read(
        "## 问题一、怎么排序？\n\n#### 回答\n\n# 先建堆\n\nheapify(x)\n\n"
        "## 问题二、为什么？\n\n#### 回答\n\n快。\n",
        "a.md",
    )
    assert interview.items[0].answer == "# 先建堆\n\nheapify(x)"


def test_sections_between_questions_belong_to_no_answer(read: Read) -> None:
    interview = read(
        "第一部分：基础\n问题1：什么是锁？\n回答：互斥\n\n第二部分：进阶（10分钟）\n\n"
        "问题2：什么是死锁？\n回答：互等\n"
    )
    assert [item.answer for item in interview.items] == ["互斥", "互等"]


def test_answers_without_a_label_are_read_with_a_warning(read: Read) -> None:
    interview = read("问题1：什么是锁？\n互斥。\n问题2：什么是死锁？\n互等。\n")
    assert [item.answer for item in interview.items] == ["互斥。", "互等。"]
    assert "answers have no label" in interview.warnings[0]


def test_one_side_labelled_by_its_speaker(read: Read) -> None:
    interview = read(
        "问题1：什么是锁？\n候选人：互斥\n点评：对\n问题2：呢？\n候选人：互等\n点评：对\n"
    )
    assert [item.answer for item in interview.items] == ["互斥", "互等"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("问题1：什么是锁？\n参考答案：互斥\n评分标准：好\n", "question bank"),
        ("问题1：什么是锁？\n问题2：什么是死锁？\n", "list of questions"),
        ("## 什么是锁？\n\n## 什么是死锁？\n", "list of questions"),
        ("1. 什么是锁？\n2. 什么是死锁？\n", "list of questions"),
        ("回答：互斥\n", "no questions"),
        ("我觉得锁就是互斥。", "without any question"),
        ("你问什么是锁？我觉得锁就是互斥。", "one running text"),
        ("**Q1**\n**Question:** Why?\n**Rating:** 4/5\n**Comments:** ok\n", "rating report"),
        ("\n \n", "is empty"),
        (
            "岗位：甲 从业年限：1年\n问题1：锁？\n回答：互斥\n"
            "岗位：乙 从业年限：2年\n问题1：锁？\n回答：无\n",
            "second interview",
        ),
    ],
)
def test_what_cannot_be_graded_is_refused_with_the_reason(
    tmp_path: Path, text: str, reason: str
) -> None:
    path = tmp_path / "a.md"
    path.write_text(text, encoding="utf-8")
    reading = read_all([path])
    assert reading.interviews == ()
    assert reason in reading.errors[0].problem
    assert reading.errors[0].remedy
