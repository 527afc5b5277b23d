"""Tables: columns by name or mapping, people told apart, cells as exports leave them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pipeline.errors import InputError
from pipeline.intake import iter_interviews, read_all, read_interviews
from pipeline.intake.cells import text_of
from pipeline.intake.columns import match, recognised
from pipeline.records import Interview

Read = Callable[..., Interview]


def write(folder: Path, text: str, name: str = "t.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def refused(path: Path, **options: object) -> InputError:
    reading = read_all([path], **options)  # type: ignore[arg-type]
    assert reading.interviews == ()
    return reading.errors[0]


@pytest.mark.parametrize(
    "header",
    [
        "interview_id,number,question,answer",
        "候选人编号,题号,题目,作答",
        "面试编号,序号,面试问题,候选人回答",
        "Candidate ID,Q No,Question Text,Candidate Answer",
        "student_id;question_no;question;student_answer",
        "考号\t题号\t题干\t考生答案",
        "\ufeffRespondent,Number,Prompt,Response",
    ],
)
def test_columns_are_recognised_in_both_languages(tmp_path: Path, header: str) -> None:
    delimiter = next(mark for mark in ",;\t" if mark in header)
    rows = [["1001", "1", "什么是锁？", "互斥"], ["1001", "2", "什么是队列？", "先进先出"]]
    rows += [["1002", "1", "什么是锁？", "不知道"]]
    text = "\n".join([header, *(delimiter.join(row) for row in rows)])
    interviews = read_interviews(write(tmp_path, text))
    assert [i.id for i in interviews] == ["1001", "1002"]
    assert [item.answer for i in interviews for item in i.items] == ["互斥", "先进先出", "不知道"]
    assert [item.number for item in interviews[0].items] == [1, 2]


def test_mapping_names_columns_by_name_or_position(tmp_path: Path) -> None:
    named = write(tmp_path, "甲,乙,丙\na,什么是锁？,互斥\n", "named.csv")
    [one] = read_interviews(named, mapping={"interview_id": "甲", "question": "乙", "answer": "丙"})
    assert (one.id, one.items[0].answer) == ("a", "互斥")
    bare = write(tmp_path, "a\t什么是锁？\t互斥\nb\t什么是锁？\t互等\n", "bare.csv")
    both = read_interviews(bare, mapping={"interview_id": "1", "question": "2", "answer": "3"})
    assert [i.id for i in both] == ["a", "b"]


@pytest.mark.parametrize(
    ("mapping", "reason"),
    [
        ({"answer": "nowhere"}, "named as --map says"),
        ({"grade": "answer"}, "no column `grade` of ours"),
    ],
)
def test_a_wrong_mapping_is_refused(tmp_path: Path, mapping: dict[str, str], reason: str) -> None:
    path = write(tmp_path, "question,answer\nWhat is x?,A letter\n")
    assert reason in refused(path, mapping=mapping).problem


def test_headless_table_is_told_by_its_contents_with_a_warning(read: Read) -> None:
    text = (
        "1\t什么是互斥锁？\t同一时刻只许一个线程进入\t4\n2\t什么是死锁？\t互等对方手里的资源\t5\n"
    )
    interview = read(text, "t.tsv")
    assert [item.question for item in interview.items] == ["什么是互斥锁？", "什么是死锁？"]
    assert interview.items[0].answer == "同一时刻只许一个线程进入"
    assert "no header" in interview.warnings[0]


def test_scores_are_kept_apart_and_unused_columns_named(read: Read) -> None:
    interview = read(
        "question,answer,score,得分,reference\nWhat is x?,A letter,3,4,secret\n", "t.csv"
    )
    assert interview.items[0].source_scores == {"score": "3", "得分": "4"}
    assert interview.warnings == ("columns not used: reference",)
    assert "secret" not in interview.model_dump_json()


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        ("one<br>two<br/>three", "one\ntwo\nthree"),
        ("<p>one</p><p>two</p>", "one\ntwo"),
        ("a &lt; b &amp;&nbsp;c<br>", "a < b & c"),
        ("List<String> x = a < b;", "List<String> x = a < b;"),
        ("What does <b> do?", "What does <b> do?"),
        ("<b>yes</b>", "yes"),
        ("['one', 'two']", "one\ntwo"),
        ("[1] see above", "[1] see above"),
        ("['broken", "['broken"),
        (1001.0, "1001"),
        (2.5, "2.5"),
        (None, None),
        (float("nan"), None),
        (["one", "two"], "one\ntwo"),
        ("a\r\nb\x00", "a\nb"),
    ],
)
def test_cells(cell: object, text: str | None) -> None:
    assert text_of(cell) == text


def test_survey_exports_have_a_person_a_row(tmp_path: Path) -> None:
    text = (
        "序号,提交答卷时间,姓名,1、请介绍一个你做过的项目,2、你如何处理线上故障？,总分\n"
        '1,2026/1/2,李,"做过支付,很复杂",先回滚,80\n2,2026/1/3,韩,,看日志,60\n'
    )
    one, two = read_interviews(write(tmp_path, text))
    assert (one.id, two.id) == ("李", "韩")
    assert [item.number for item in one.items] == [1, 2]
    assert [item.answer for item in two.items] == ["", "看日志"]
    assert any("each row" in warning for warning in one.warnings)


def test_two_persons_of_one_name_are_two_interviews(tmp_path: Path) -> None:
    text = "Name,Why us?,Why now?\nLi Wei,Close.,Moved.\nLi Wei,Pay.,Bored.\n"
    one, two = read_interviews(write(tmp_path, text))
    assert (one.id, two.id) == ("Li Wei", "Li Wei-2")
    assert [item.answer for item in two.items] == ["Pay.", "Bored."]
    assert any("came before" in warning for warning in two.warnings)
    assert not any("came before" in warning for warning in one.warnings)


def test_numbered_pairs_of_columns(read: Read) -> None:
    interview = read(
        "name,question1,answer1,question2,answer2\nDana,What is x?,A,What is y?,\n", "t.csv"
    )
    assert [(item.question, item.answer) for item in interview.items] == [
        ("What is x?", "A"),
        ("What is y?", ""),
    ]


def test_rows_of_one_interview_must_stand_together(tmp_path: Path) -> None:
    path = write(tmp_path, "interview_id,question,answer\na,x?,1\nb,x?,2\na,y?,3\n")
    error = refused(path)
    assert (error.line, "do not stand together" in error.problem) == (4, True)


def test_an_empty_id_continues_the_one_above(tmp_path: Path) -> None:
    path = write(tmp_path, "interview_id,question,answer\na,x?,1\n,y?,2\nb,x?,3\n")
    assert [(i.id, len(i.items)) for i in read_interviews(path)] == [("a", 2), ("b", 1)]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("interview_id,question,answer\na,What is x?,It is, well, a letter\n", "5 cells where"),
        ("interview_id,question,answer\na,What is x?\n", "2 cells where"),
        ("question,作答,response\nx?,1,2\n", "several columns"),
        ("name,question,score\nDana,x?,3\n", "no column for answer"),
        ("number,answer,score\n1,x,3\n", "no column for question"),
        ("question,answer\n1,x\n2,y\n", "numbers in place of questions"),
        ("question,answer\n", "holds no question"),
        ("just one column\nof text\n", "no table"),
        ("", "is empty"),
    ],
)
def test_tables_that_are_refused(tmp_path: Path, text: str, reason: str) -> None:
    error = refused(write(tmp_path, text))
    assert reason in error.problem
    assert error.remedy


def test_equal_ids_in_two_files_are_told_apart_by_file(tmp_path: Path) -> None:
    for name in ("x.csv", "y.csv"):
        write(tmp_path, "interview_id,question,answer\n1,x?,a\n", name)
    assert [i.id for i in read_interviews(tmp_path)] == ["x/1", "y/1"]
    with pytest.raises(InputError, match="came before"):
        list(iter_interviews(tmp_path))


def test_equal_stems_with_two_suffixes_are_told_apart(tmp_path: Path) -> None:
    write(tmp_path, "问题1：什么是锁？\n回答：互斥\n", "a.txt")
    write(tmp_path, "问题1：什么是锁？\n回答：互等\n", "a.md")
    ids = [i.id for i in read_interviews(tmp_path)]
    assert len(set(ids)) == 2
    assert all("a" in one for one in ids)


def test_a_sheet_title_of_one_file_given_twice_is_read_once(tmp_path: Path) -> None:
    path = write(tmp_path, "问题1：什么是锁？\n回答：互斥\n", "a.txt")
    assert len(read_interviews(path, path, tmp_path)) == 1


def test_streaming_gives_the_same_as_reading(tmp_path: Path) -> None:
    rows = "".join(f"{n // 3},What is {n}?,It is {n}.\n" for n in range(300))
    path = write(tmp_path, "interview_id,question,answer\n" + rows)
    assert list(iter_interviews(path)) == read_interviews(path)


def test_shifted_answers_are_warned_of(read: Read) -> None:
    interview = read(
        "question,answer\n"
        "Explain database indexes and selectivity.,Mutexes and semaphores block other threads.\n"
        "Explain mutexes and semaphores.,Garbage collection frees unreachable memory.\n"
        "Explain garbage collection of memory.,Containers share the kernel of the host.\n"
        "Explain containers and the kernel.,\n",
        "t.csv",
    )
    assert any("look shifted" in warning for warning in interview.warnings)


def test_column_names_are_folded() -> None:
    assert recognised(["  Question Text ", "ANSWER（候选人）"]) == {"question", "answer"}
    assert match(["题目", "answer"], {}, source="t") == {"question": 0, "answer": 1}
