"""Tables that would be read wrongly in silence are refused with the way out."""

from __future__ import annotations

from pathlib import Path

import openpyxl
import pytest

from pipeline.errors import UnreadableInputs
from pipeline.intake import read_interviews


@pytest.mark.parametrize("name", ["answer", "question"])
def test_two_columns_of_one_name_are_refused_and_told_apart_by_position(
    tmp_path: Path, name: str
) -> None:
    path = tmp_path / "t.csv"
    path.write_text(f"question,answer,{name}\nWhy?,first,second\n", encoding="utf-8")
    with pytest.raises(UnreadableInputs, match=rf"several columns named `{name}`.*--map {name}="):
        read_interviews(path)
    [interview] = read_interviews(path, mapping={name: "3"})
    assert getattr(interview.items[0], name) == "second"


def test_formula_without_a_stored_value_is_not_an_empty_answer(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    for row in (["question", "answer"], ["Why?", "because"], ["How?", '="slow"&"ly"']):
        book.active.append(row)
    book.save(tmp_path / "t.xlsx")
    with pytest.raises(UnreadableInputs, match=r"line 3: has a formula without a stored value"):
        read_interviews(tmp_path / "t.xlsx")


def test_empty_id_in_json_lines_does_not_join_the_person_above(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text(
        '{"interview_id": "alice", "question": "Why?", "answer": "because"}\n'
        '{"interview_id": "", "question": "Why?", "answer": "no idea"}\n',
        encoding="utf-8",
    )
    with pytest.raises(UnreadableInputs, match="line 2: has an empty interview_id"):
        read_interviews(path)
