"""The layout of the given interviews: intro, 岗位/从业年限, 简介, 问题N, 考察目标, 回答, 点评."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pipeline.errors import InputError, UnreadableInputs
from pipeline.intake import read_all, read_interviews
from pipeline.records import Interview

Read = Callable[..., Interview]

GIVEN = """这位面试者做过三年后端，擅长排查慢查询。
岗位： 后端工程师 从业年限： 3年
简介： 熟悉 PostgreSQL 与消息队列。
问题1：请说明你怎样给一个热点表加索引？
考察目标：考察被面试人对索引的理解。
回答： 先看执行计划，再决定列的顺序。
建好以后我会比较两次的耗时。
问题2：你如何处理重复消息？
考察目标：考察被面试人对幂等的理解。
回答：
点评： 表达清楚。
"""


def test_given_layout_is_read_with_all_its_fields(read: Read) -> None:
    interview = read(GIVEN, "lin.txt")
    assert interview.id == "lin"
    assert (interview.role, interview.years_experience) == ("后端工程师", 3)
    assert interview.profile == "熟悉 PostgreSQL 与消息队列。"
    assert interview.intro == "这位面试者做过三年后端，擅长排查慢查询。"
    assert interview.comment == "表达清楚。"
    assert interview.language == "zh"
    first, second = interview.items
    assert (first.item_id, first.number, first.line) == ("lin#1", 1, 4)
    assert first.question == "请说明你怎样给一个热点表加索引？"
    assert first.objective == "考察被面试人对索引的理解。"
    assert first.answer == "先看执行计划，再决定列的顺序。\n建好以后我会比较两次的耗时。"
    assert second.answer == ""
    assert interview.warnings == ()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "gb18030"])
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
@pytest.mark.parametrize("colon", ["：", ":", " ： "])
@pytest.mark.parametrize("gap", ["\n", "\n\n\n"])
def test_given_layout_survives_encodings_line_ends_colons_and_gaps(
    read: Read, encoding: str, ends: str, colon: str, gap: str
) -> None:
    text = GIVEN.replace("：", colon).replace("\n", gap).replace("\n", ends)
    plain, varied = read(GIVEN), read(text.encode(encoding))
    assert [item.question for item in varied.items] == [item.question for item in plain.items]
    assert [(item.answer or "").replace("\n\n\n", "\n") for item in varied.items] == [
        item.answer for item in plain.items
    ]
    assert (varied.role, varied.profile, varied.comment) == (
        plain.role,
        plain.profile,
        plain.comment,
    )


def test_labels_in_the_middle_of_a_line_are_text(read: Read) -> None:
    text = GIVEN.replace("建好以后", "有人写 问题2：随便 回答：也行，建好以后")
    assert "问题2：随便 回答：也行" in (read(text).items[0].answer or "")
    assert len(read(text).items) == 2


def test_five_given_interviews_have_28_items_and_six_blanks(
    shared: Callable[[str], Path],
) -> None:
    interviews = read_interviews(shared("interviews"))
    assert [len(interview.items) for interview in interviews] == [5, 5, 5, 4, 9]
    blanks = [
        (interview.id[:3], item.number)
        for interview in interviews
        for item in interview.items
        if item.answer == ""
    ]
    assert blanks == [("002", 2), ("002", 3), ("003", 1), ("004", 3), ("004", 6), ("004", 7)]
    assert [interview.years_experience for interview in interviews] == [10, 8, 3, 5, 5]
    assert interviews[3].role == "PS 模型研究者"
    assert all(i.intro and i.profile and i.comment and not i.warnings for i in interviews)
    assert all(item.objective and item.answer is not None for i in interviews for item in i.items)


def test_unreadable_files_are_all_listed_with_a_remedy(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("一段没有任何标签的话。", encoding="utf-8")
    (tmp_path / "b.txt").write_bytes(b"")
    (tmp_path / "c.txt").write_text(GIVEN, encoding="utf-8")
    with pytest.raises(UnreadableInputs) as caught:
        read_interviews(tmp_path)
    assert [Path(error.source).name for error in caught.value.errors] == ["a.txt", "b.txt"]
    assert all(error.remedy for error in caught.value.errors)
    reading = read_all([tmp_path])
    assert len(reading.interviews) == 1
    assert len(reading.errors) == 2
    assert all(isinstance(error, InputError) for error in reading.errors)


def test_equal_stems_are_told_apart_by_folder(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x.txt").write_text(GIVEN, encoding="utf-8")
    forward = {i.source: i.id for i in read_interviews(tmp_path / "a", tmp_path / "b")}
    backward = {i.source: i.id for i in read_interviews(tmp_path / "b", tmp_path / "a")}
    assert sorted(forward.values()) == ["a/x", "b/x"]
    assert forward == backward


def test_json_lines_are_read_by_column_name(read: Read) -> None:
    rows = (
        '{"interview_id": "z1", "number": 1, "question": "什么是缓存？", "objective": "概念", '
        '"answer": "先放在近处。", "role": "工程师", "years_experience": "3-5年"}\n'
        '{"interview_id": "z1", "number": 2, "question": "什么是雪崩？", "answer": ""}\n'
        '{"interview_id": "z1", "number": 3, "question": "什么是穿透？", "answer": null}\n'
    )
    interview = read(rows, "table.jsonl")
    assert interview.id == "z1"
    assert interview.role == "工程师"
    assert interview.years_experience == "3-5年"
    assert [item.answer for item in interview.items] == ["先放在近处。", "", None]
    assert [item.line for item in interview.items] == [1, 2, 3]
