"""Odd files of the kinds that hiring and teaching produce: none is misread silently."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pipeline.intake import read_all, read_interviews
from pipeline.records import Interview

Read = Callable[..., Interview]
Items = list[tuple[int | str | None, str, str | None]]


def items(interview: Interview) -> Items:
    return [(item.number, item.question, item.answer) for item in interview.items]


CASES: dict[str, tuple[str, Items]] = {
    "loose_fields.txt": (
        "系统工程师面试笔记,经验分享\n\n岗位: 系统工程师 从业年限: 4年\n\n问题1:请介绍缓存?\n\n"
        "考察目标:\n\n回答: 放在近处。\n\n例如,订单系统。\n\n问题2:主从延迟?\n\n"
        "考察目标:\n\n回答: \n\n点评: 不错。\n",
        [(1, "请介绍缓存?", "放在近处。\n\n例如,订单系统。"), (2, "主从延迟?", "")],
    ),
    "mixed_numbers.txt": (
        "问题 1：请介绍 GC。 考察目标：基础\n回答：标记再清除，有人写成 问题2：回收。\n"
        "```\n问题：围栏\n```\n问题2: 什么是锁？\n回答: 无\n"
        "问题四、你还有什么想问的吗？\n回答：无\n",
        [
            (1, "请介绍 GC。", "标记再清除，有人写成 问题2：回收。\n```\n问题：围栏\n```"),
            (2, "什么是锁？", ""),
            (4, "你还有什么想问的吗？", "无"),
        ],
    ),
    "versions.md": (
        "## Q1: 介绍项目\n\n### 口述版\n\n做了支付。\n\n### 技术版\n\n用了队列。\n\n"
        "## Q2: 为什么用队列？\n\n### 口述版\n\n削峰。\n",
        [(1, "介绍项目", "做了支付。\n\n用了队列。"), (2, "为什么用队列？", "削峰。")],
    ),
    "shown_only.md": (
        "---\ncandidate: Sam\n---\n\n## Question 1\n\nWhat is an index?\n\n<details><summary>Answer"
        "</summary>\n\n&nbsp;A sorted copy.\n\n</details>\n\n<!-- Answer: old\nstill old -->\n\n"
        "## Question 2\n\nWhat is a view?\n\n**Answer**\n\nA stored query.\n\n[1]: https://x.org\n",
        [(1, "What is an index?", "A sorted copy."), (2, "What is a view?", "A stored query.")],
    ),
    "lists.csv": (
        "candidate,questions,answers,score,score\n"
        "Dana,\"['What is x?', 'What is y?']\",\"['A letter', '']\",4/5,80\n",
        [(None, "What is x?", "A letter"), (None, "What is y?", "")],
    ),
    "table.md": (
        "# 记录\n\n| 问题 | 回答 |\n|---|---|\n| 什么是锁？ | 互斥 |\n| 什么是死锁？ |  |\n",
        [(None, "什么是锁？", "互斥"), (None, "什么是死锁？", "")],
    ),
    "bullets.md": (
        "- Q: What is a closure?\n  - A: A function.\n- Q: What is hoisting?\n  - A: \n",
        [(None, "What is a closure?", "A function."), (None, "What is hoisting?", "")],
    ),
    "numbered_labels.md": (
        "# 面试记录\n\n- 姓名：李四\n\n## 问题\n\n1. **问：** 什么是回归？\n   **答：** 重跑。\n\n"
        "2. **问：** 什么是冒烟？\n   **答：** \n\n## 总结\n\n整体不错。\n",
        [(1, "什么是回归？", "重跑。"), (2, "什么是冒烟？", "")],
    ),
    "bare_labels.txt": (
        "问题1\n什么是锁？\n考察点\n概念\n回答\n互斥。\n问题2\n什么是死锁？\n回答\n互等。\n",
        [(1, "什么是锁？", "互斥。"), (2, "什么是死锁？", "互等。")],
    ),
    "brackets.txt": (
        "【问题1】\n请介绍自己。\n【回答】\n我叫小周。\n【点评】\n不错。\n【问题2】\n为什么离职？\n【回答】\n"
        "换城市。\n【点评】\n一般。\n",
        [(1, "请介绍自己。", "我叫小周。"), (2, "为什么离职？", "换城市。")],
    ),
    "capitals.txt": (
        "QUESTION 1: Why nursing?\nANSWER: I like people.\n\nQUESTION 2: Strengths?\n"
        "ANSWER: [inaudible]\n\nOVERALL FEEDBACK: Good.\n",
        [(1, "Why nursing?", "I like people."), (2, "Strengths?", None)],
    ),
    "two_languages.txt": (
        "Question 1 / 问题1: What is a lock?\nAnswer: Mutual exclusion.\n"
        "Question 2 / 问题2: Why?\nAnswer: Races.\n",
        [(1, "What is a lock?", "Mutual exclusion."), (2, "Why?", "Races.")],
    ),
    "chinese_numerals.txt": (
        "一、请谈谈你的规划。\n答：做到主管。\n二、你怎么看加班？\n答：看情况。\n",
        [(1, "请谈谈你的规划。", "做到主管。"), (2, "你怎么看加班？", "看情况。")],
    ),
    "quiz.md": (
        "# Quiz\n\n1. What is photosynthesis?\n\n   Light to sugar.\n\n2. Name one product.\n\n"
        "   Oxygen.\n\n3. Where?\n\n   YOUR ANSWER HERE\n",
        [
            (1, "What is photosynthesis?", "Light to sugar."),
            (2, "Name one product.", "Oxygen."),
            (3, "Where?", ""),
        ],
    ),
    "bold.md": (
        "**1. 什么是微服务？**\n\n小的服务。\n\n**2. 有什么缺点？**\n\n运维复杂。**注意**网络。\n",
        [(1, "什么是微服务？", "小的服务。"), (2, "有什么缺点？", "运维复杂。**注意**网络。")],
    ),
    "scored.txt": (
        "Q1: What is x?\nAnswer: A letter.\nScore: 4/5\nComment: fine\n\n"
        "Q2: What is y?\nAnswer: Another.\nScore: 3/5\nComment: hmm\n",
        [(1, "What is x?", "A letter."), (2, "What is y?", "Another.")],
    ),
    "participants.txt": (
        "Participants: Kim (interviewer), Robin (candidate), Lee (interviewer)\n\n"
        "Kim: Tell us about a bug.\nRobin: A race.\n\n[Interview continues…]\n\n"
        "Lee: What is your strength?\nRobin: Patience.\n",
        [
            (None, "Tell us about a bug.", "A race."),
            (None, "What is your strength?", "Patience."),
        ],
    ),
    "chat.txt": (
        "[2026-11-02 10:03] HR小张: 你为什么想换工作？\n[2026-11-02 10:05] 我: 想做推荐\n"
        "[2026-11-02 10:06] HR小张: 期望薪资是多少？\n[2026-11-02 10:07] 我: 面议\n",
        [(None, "你为什么想换工作？", "想做推荐"), (None, "期望薪资是多少？", "面议")],
    ),
    "closing.txt": (
        "Q: What is x?\nA: A letter.\nQ: And y?\nA: Another.\nQ: Thank you for your time.\n",
        [(None, "What is x?", "A letter."), (None, "And y?", "Another.")],
    ),
    "turns.jsonl": (
        '{"speaker": "Interviewer", "text": "What is x?"}\n'
        '{"speaker": "Candidate", "text": "A."}\n',
        [(None, "What is x?", "A.")],
    ),
    "whole.jsonl": (
        '{"id": "z", "items": [{"number": 2, "question": "What is x?", "answer": null}]}\n',
        [(2, "What is x?", None)],
    ),
    "excel.csv": ("sep=;\nquestion;answer\nWhat is x?;A, b\n", [(None, "What is x?", "A, b")]),
    "mail.txt": (
        "Hi, my answers:\n\n> What is your notice period?\nTwo months.\n\n"
        "> Why do you want to leave?\nTo learn.\n",
        [
            (None, "What is your notice period?", "Two months."),
            (None, "Why do you want to leave?", "To learn."),
        ],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_odd_files_give_the_right_items(read: Read, name: str) -> None:
    text, expected = CASES[name]
    assert items(read(text, name)) == expected


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        (
            "shifted.txt",
            "回答：互斥\n问题：锁？\n回答：互等\n问题：死锁？\n",
            "before the first question",
        ),
        (
            "speech.txt",
            "so the first question was about me and then the question on stress",
            "running",
        ),
        (
            "two.txt",
            "岗位：甲\n问题1：锁？\n回答：互斥\n问题2：栈？\n回答：后进\n岗位：乙\n问题1：锁？\n回答：无\n",
            "second interview",
        ),
        ("page.html", "<p>问题1：锁？</p>", "suffix that is not read"),
        ("plan.yaml", "- question: x", "suffix that is not read"),
        ("pairs.json", '{"What is x?": "A letter"}', "no column"),
        ("list.csv", "questions,answers\n\"['a?', 'b?']\",\"['one']\"\n", "not as many answers"),
        (
            "readme.md",
            "# Tool\n\n## Install\n\nRun it.\n\n## Use\n\nCall it.\n",
            "without any question",
        ),
        ("empty.json", "[]", "holds no"),
        (
            "bank.txt",
            "1. 什么是锁？\n考察点：概念\n\n2. 什么是死锁？\n考察点：概念\n",
            "question bank",
        ),
    ],
)
def test_odd_files_that_are_refused(tmp_path: Path, name: str, text: str, reason: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    reading = read_all([tmp_path])
    assert reading.interviews == ()
    assert reason in reading.errors[0].problem


def test_fields_of_odd_files(tmp_path: Path) -> None:
    for name in ("shown_only.md", "numbered_labels.md", "participants.txt"):
        (tmp_path / name).write_text(CASES[name][0], encoding="utf-8")
    read = {i.id: i for i in read_interviews(tmp_path)}
    assert read["shown_only"].candidate == "Sam"
    assert read["shown_only"].warnings == ("1 hidden comments were left out",)
    assert read["numbered_labels"].candidate == "李四"
    assert "整体不错" not in read["numbered_labels"].model_dump_json()
    assert read["participants"].candidate == "Robin"
    assert any("was cut" in warning for warning in read["participants"].warnings)
