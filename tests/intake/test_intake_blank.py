"""Blank is "", unavailable is None, and a true `无` stays an answer: in every layout."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from pipeline.intake import read_all, read_interviews
from pipeline.intake.blank import settle
from pipeline.records import Interview

Read = Callable[..., Interview]

BLANK = [
    "",
    "  \n\u3000",
    "无",
    "无。",
    "无答案",
    "(空)",
    "（未作答）",
    "未回答",
    "暂无",
    "NO ANSWER",
    "No answer given.",
    "N/A",
    "n / a".replace(" ", ""),
    "YOUR ANSWER HERE",
    "（知识漏洞，未答出）",
    "...",
    "……",
    "----",
    "**无**",
    "\u200b\u200b",
    "无\u200b",
    "\U000e0041\U000e0042",
    "\ufeff",
    "Empty submission.",
    "[no response]",
    "Not answered",
    "（沉默）",
]
MISSING = [
    ("[inaudible]", "unavailable"),
    ("[inaudible 00:12:31]", "unavailable"),
    ("录音缺失", "unavailable"),
    ("（录音缺失）", "unavailable"),
    ("【听不清】", "unavailable"),
    ("未提问", "not_asked"),
    ("Not asked", "not_asked"),
    ("（候选人回答了概念，没有给出数字）", "described"),
]
ANSWERS = [
    "C++",
    "没有",
    "不知道",
    "I don't know.",
    "∑",
    "42",
    "无锁队列",
    "空指针",
    "[inaudible] we used Redis",
    "YES",
    "A/B",
    "是",
    "（我想一下）先看日志",
]


@pytest.mark.parametrize("marker", BLANK)
def test_blank_markers_are_alike(marker: str) -> None:
    assert settle(marker, "什么是锁？").answer == ""


@pytest.mark.parametrize(("marker", "reason"), MISSING)
def test_unavailable_is_none_with_a_reason(marker: str, reason: str) -> None:
    settled = settle(marker, "什么是锁？")
    assert (settled.answer, settled.missing_reason) == (None, reason)


@pytest.mark.parametrize("text", ANSWERS)
def test_short_answers_are_answers(text: str) -> None:
    assert settle(text, "什么是锁？").answer == text


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("你还有什么想问的吗？", "无"),
        ("还有什么要补充的吗", "没有"),
        ("Do you have any questions for us?", "None"),
        ("Anything else?", "No."),
        ("有没有其他想问的问题？", "无。"),
    ],
)
def test_nothing_is_a_true_answer_to_a_closing_question(question: str, answer: str) -> None:
    assert settle(answer, question).answer == answer


def test_placeholder_before_a_real_answer_is_taken_off() -> None:
    settled = settle("YOUR ANSWER HERE\nThey are trees.", "How do indexes work?")
    assert settled.answer == "They are trees."


LAYOUTS: dict[str, Callable[[str], str]] = {
    "a.txt": lambda a: (
        f"问题1：什么是锁？\n考察目标：概念\n回答：{a}\n问题2：什么是队列？\n回答：先进先出"
    ),
    "a.md": lambda a: (
        f"### Q1: What is a lock?\n\n**Answer:**\n\n{a}\n\n### Q2: Why?\n\n**Answer:** x"
    ),
    "b.txt": lambda a: f"面试官：什么是锁？\n候选人：{a}\n面试官：什么是队列？\n候选人：先进先出",
    "c.md": lambda a: f"## 什么是锁？\n\n{a}\n\n## 什么是队列？\n\n先进先出\n",
    "a.jsonl": lambda a: json.dumps({"question": "什么是锁？", "answer": a}),
    "a.json": lambda a: json.dumps({"items": [{"question": "什么是锁？", "answer": a}]}),
    "a.csv": lambda a: f'question,answer\n什么是锁？,"{a}"\n什么是队列？,先进先出\n',
    "a.tsv": lambda a: f"question\tanswer\n什么是锁？\t{a}\n什么是队列？\t先进先出\n",
}


@pytest.mark.parametrize("name", LAYOUTS)
@pytest.mark.parametrize(
    ("marker", "answer"),
    [("", ""), ("（未作答）", ""), ("\u200b", ""), ("[inaudible]", None), ("互斥", "互斥")],
)
def test_present_but_empty_and_unavailable_in_every_layout(
    read: Read, name: str, marker: str, answer: str | None
) -> None:
    assert read(LAYOUTS[name](marker), name).items[0].answer == answer


def test_absent_answer_label_is_none(read: Read) -> None:
    interview = read("问题1：什么是锁？\n考察目标：概念\n问题2：什么是队列？\n回答：先进先出")
    assert [item.answer for item in interview.items] == [None, "先进先出"]
    assert interview.items[0].missing_reason == "absent"
    assert "has no answer" in " ".join(interview.warnings)


@pytest.mark.parametrize("name", ["a.jsonl", "a.json"])
def test_null_and_absent_key_are_none(read: Read, name: str) -> None:
    items: list[dict[str, str | None]] = [
        {"question": "什么是锁？", "answer": None},
        {"question": "什么是队列？"},
        {"question": "什么是栈？", "answer": "后进先出"},
    ]
    text = "\n".join(map(json.dumps, items)) if name == "a.jsonl" else json.dumps(items)
    interview = read(text, name)
    assert [item.answer for item in interview.items] == [None, None, "后进先出"]
    assert [item.missing_reason for item in interview.items] == ["absent", "absent", None]


def test_a_file_without_any_answer_key_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"question": "What is x?"}\n', encoding="utf-8")
    [error] = read_all([path]).errors
    assert "no column for answer" in error.problem


@pytest.mark.parametrize("choice", ["blank", "missing"])
@pytest.mark.parametrize("name", ["a.csv", "wide.csv", "a.xlsx", "a.parquet"])
def test_an_empty_cell_is_as_the_user_says(tmp_path: Path, name: str, choice: str) -> None:
    path = tmp_path / name
    rows = [
        {"question": "什么是锁？", "answer": ""},
        {"question": "什么是队列？", "answer": "先进"},
    ]
    if name == "a.csv":
        path.write_text("question,answer\n什么是锁？,\n什么是队列？,先进\n", encoding="utf-8")
    elif name == "wide.csv":
        path.write_text("姓名,什么是锁？,什么是队列？\n李,,先进\n", encoding="utf-8")
    elif name == "a.xlsx":
        openpyxl = pytest.importorskip("openpyxl")
        book = openpyxl.Workbook()
        book.active.append(["question", "answer"])
        for row in rows:
            book.active.append([row["question"], row["answer"] or None])
        book.save(path)
    else:
        pa = pytest.importorskip("pyarrow")
        parquet = pytest.importorskip("pyarrow.parquet")
        parquet.write_table(pa.Table.from_pylist([*rows]), path)
    [interview] = read_interviews(path, empty_cell=choice)  # type: ignore[arg-type]
    assert interview.items[0].answer == ("" if choice == "blank" else None)
    assert any("empty" in warning for warning in interview.warnings)


def test_a_row_without_a_question_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("question,answer\n,先进先出\n", encoding="utf-8")
    [error] = read_all([path]).errors
    assert (error.line, error.problem) == (2, "has an answer without a question.")
