"""What stands around the items: heads, page margins, marks beside answers, text outside a table."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import docx
import openpyxl  # type: ignore[import-untyped]
import pytest

from pipeline.intake.margins import without_margins
from pipeline.records import Interview

Read = Callable[..., Interview]
ONE = "Question 1: Why us?\nAnswer: Close to home.\n"


def saved(document: Any) -> bytes:
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("line", "field", "expected"),
    [
        ("Profile: Ten years: six as a clerk.", "profile", "Ten years: six as a clerk."),
        ("简介：会计，岗位：出纳也做过", "profile", "会计，岗位：出纳也做过"),
        ("姓名：赵六　班级：高一（3）班", "candidate", "赵六"),
        ("Name: Ann Ray    Date: 2026-11-01", "candidate", "Ann Ray"),
        ("Role: Clerk Years: 5", "years_experience", 5),
        ("role: clerk, years: 5", "years_experience", 5),
        ("應徵職位：客服專員", "role", "客服專員"),
    ],
)
def test_a_field_ends_where_the_next_one_starts(
    read: Read, line: str, field: str, expected: object
) -> None:
    assert getattr(read(f"{line}\n{ONE}"), field) == expected


def test_an_unknown_field_of_the_head_is_kept_in_the_intro(read: Read) -> None:
    assert read(f"姓名：赵六　班级：三班\n{ONE}").intro == "班级：三班"


@pytest.mark.parametrize("mark", ["[Score]", "[Feedback]", "（得分）"])
def test_marks_beside_the_answers_of_a_quiz_are_no_questions(read: Read, mark: str) -> None:
    head = f"Name,Why us?,Why us? {mark},Why now?,Why now? {mark}\n"
    one = read(f"{head}Al,Close.,2.00 / 5,Moved.,1.00 / 5\n", "quiz.csv")
    assert [item.answer for item in one.items] == ["Close.", "Moved."]
    assert any(f"Why us? {mark}" in warning for warning in one.warnings)


def _word() -> Any:
    document = docx.Document()
    for rows in ([("姓名", "王小明")], [("问题", "回答"), ("为什么来？", "离家近。")]):
        table = document.add_table(rows=0, cols=2)
        for row in rows:
            for cell, text in zip(table.add_row().cells, row, strict=True):
                cell.text = text
    return document


def test_the_head_above_a_word_table_is_read(read: Read) -> None:
    one = read(saved(_word()), "one.docx")
    assert one.candidate == "王小明"
    assert one.warnings == ()


def test_text_below_a_word_table_is_not_lost_without_a_word(read: Read) -> None:
    document = _word()
    document.add_paragraph("Question 2: When?")
    assert "1 lines outside the table were left out" in read(saved(document), "one.docx").warnings


def test_word_tables_with_one_header_are_read_together(read: Read) -> None:
    document = _word()
    table = document.add_table(rows=0, cols=2)
    for row in (("问题", "回答"), ("何时到岗？", "五月。")):
        for cell, text in zip(table.add_row().cells, row, strict=True):
            cell.text = text
    one = read(saved(document), "one.docx")
    assert [item.answer for item in one.items] == ["离家近。", "五月。"]


def test_the_head_above_the_header_of_a_sheet_is_read(read: Read) -> None:
    book = openpyxl.Workbook()
    for row in (["面试评分表"], ["候选人", "李四"], ["问题", "回答"], ["为什么来？", "离家近。"]):
        book.active.append(row)
    one = read(saved(book), "one.xlsx")
    assert (one.candidate, one.intro) == ("李四", "面试评分表")


@pytest.mark.parametrize("day", ["12/1/26, 8:59 AM", "2026/12/1 上午8:59 面试"])
def test_what_a_browser_prints_in_the_margins_is_no_text(day: str) -> None:
    page = f"Answer: Yes.\n{day}\nﬁle:///home/x/15.html 1/2"
    assert without_margins([page]) == ["Answer: Yes."]
    assert without_margins([page, f"{day}\nNo.\nhttps://x.org/a 2/2"]) == ["Answer: Yes.", "No."]


def test_a_day_or_an_address_of_an_answer_stays() -> None:
    page = "Answer: On\n12/1/26, 8:59 AM\nsee https://x.org/a 1/2"
    assert without_margins([page]) == [page]
