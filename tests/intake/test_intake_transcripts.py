"""Every transcript of the shared folder: what it holds, or why it is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pipeline.errors import InputError
from pipeline.intake import read_all, read_interviews
from pipeline.records import Interview

Shared = Callable[[str], Path]


def only(shared: Shared, name: str) -> Interview:
    [interview] = read_interviews(shared("transcripts") / name)
    return interview


def refused(shared: Shared, name: str, **options: object) -> InputError:
    reading = read_all([shared("transcripts") / name], **options)  # type: ignore[arg-type]
    assert reading.interviews == ()
    [error] = reading.errors
    assert error.remedy
    return error


def blanks(interview: Interview) -> list[int]:
    return [at for at, item in enumerate(interview.items, 1) if item.answer == ""]


def test_01_headings_ask_and_most_sections_are_empty(shared: Shared) -> None:
    interview = only(shared, "01_zh_md_headings_empty_answers.md")
    assert len(interview.items) == 15
    assert blanks(interview) == [6, 7, 10, 11, 12, 13, 14]
    git = interview.items[3]
    assert git.question == "你们 Git 的流程是怎么样的？\n追问：你们项目有几个分支？"
    assert [turn.kind for turn in git.turns] == ["question", "answer", "follow_up", "answer"]
    assert git.turns[3].text.startswith("我们是有一个 dev 开发分支")
    assert "安防管理要配合" in (interview.items[4].answer or "")
    assert interview.items[0].flags == ("truncated_end",)
    assert [item.number for item in interview.items] == [None] * 15
    assert interview.items[14].line == 93


@pytest.mark.parametrize(
    "name", ["02_zh_tsv_named_csv_no_header.csv", "03_zh_tsv_html_br_bracket_ids.csv"]
)
def test_02_and_03_tables_without_header_and_questions_are_refused(
    shared: Shared, name: str
) -> None:
    error = refused(shared, name)
    assert "no column name" in error.problem
    assert "--map" in error.remedy


def test_03_numbers_in_place_of_questions_are_refused(shared: Shared) -> None:
    mapping = {"question": "1", "answer": "4"}
    error = refused(shared, "03_zh_tsv_html_br_bracket_ids.csv", mapping=mapping)
    assert "numbers in place of questions" in error.problem


def test_02_is_read_by_position_where_the_user_says_so(shared: Shared) -> None:
    mapping = {"number": "1", "question": "2", "answer": "3"}
    path = shared("transcripts") / "02_zh_tsv_named_csv_no_header.csv"
    [interview] = read_interviews(path, mapping=mapping)
    assert len(interview.items) == 40
    assert (interview.items[0].number, interview.items[0].answer) == (100, "分配。")


def test_04_json_lines_without_a_person(shared: Shared) -> None:
    interview = only(shared, "04_zh_jsonl_string_scores_trailing_newlines.jsonl")
    assert len(interview.items) == 15
    assert blanks(interview) == [1, 2, 3]
    assert [item.number for item in interview.items[:4]] == [11, 13, 13, 1]
    assert interview.items[3].source_scores == {"score": "8"}
    assert (interview.items[3].answer or "").endswith("但不能随机访问元素")
    assert any("12 times" in warning for warning in interview.warnings)


def test_05_notebook_with_placeholders(shared: Shared) -> None:
    interview = only(shared, "05_en_notebook_placeholder_answers.ipynb")
    assert [item.number for item in interview.items] == [1, 2, 18, 19, 20, 21]
    assert blanks(interview) == [3, 5]
    assert (interview.items[3].answer or "").startswith("Learning rules:")
    assert "another number" in interview.warnings[0]
    assert interview.language == "en"


def test_06_xml_is_one_interview_a_person(shared: Shared) -> None:
    interviews = read_interviews(shared("transcripts") / "06_en_xml_feedback_partial_scores.xml")
    assert [i.id for i in interviews] == [f"TC_10.1.{n}" for n in (5, 10, 11, 17, 31)]
    assert [len(i.items) for i in interviews] == [1] * 5
    assert [i.items[0].answer == "" for i in interviews] == [False, False, True, False, False]
    assert interviews[0].items[0].source_scores == {"score": "0.375"}
    assert "feedback" not in (interviews[0].items[0].answer or "")


def test_08_dialogue_groups_follow_ups_and_drops_the_closing(shared: Shared) -> None:
    interview = only(shared, "08_zh_en_timestamped_dialogue.md")
    assert len(interview.items) == 2
    project = interview.items[1]
    assert [turn.kind for turn in project.turns] == ["question", "answer"] + [
        "follow_up",
        "answer",
    ] * 2
    assert "[停顿]" in (project.answer or "")
    assert "后续 HR 会联系你" not in interview.model_dump_json()


def test_09_review_gives_the_answer_without_the_scores(shared: Shared) -> None:
    interview = only(shared, "09_zh_review_nested_numbers_score_table.md")
    [item] = interview.items
    assert item.number == "02.4.1"
    assert item.question == "D1 上涨就能证明是新手任务带来的吗？实验怎么做的？"
    assert (item.answer or "").endswith("应该没有别的大活动。")
    assert item.source_scores == {"overall score": "3.3 / 10"}
    assert any("edited version" in warning for warning in interview.warnings)


def test_11_gbk_crlf_ideographic_space(shared: Shared) -> None:
    interview = only(shared, "11_zh_gbk_crlf_ideographic_space.txt")
    assert [item.number for item in interview.items] == [1, 2, 3]
    assert blanks(interview) == [3]
    assert interview.items[1].objective is None
    assert (interview.role, interview.years_experience) == ("系统工程师", 4)
    assert (interview.intro or "").startswith("系统工程师面试笔记")
    assert interview.comment


def test_13_label_variants(shared: Shared) -> None:
    interview = only(shared, "13_zh_md_qa_label_variants.md")
    answers = [item.answer for item in interview.items]
    assert [item.number for item in interview.items] == [1, 2, 3, 4, 5]
    assert answers[0] == "大量 key 同一时刻过期，请求一起打到数据库。"
    assert answers[1] is None
    assert interview.items[1].missing_reason == "described"
    assert (answers[2] or "").startswith("| 场景")
    assert answers[3:] == ["", "不明确，只知道是一个参数。"]
    assert "多级缓存" in (interview.items[0].comment or "")
    assert "漏洞 1" not in interview.model_dump_json()


def test_15_quotes_ask(shared: Shared) -> None:
    interview = only(shared, "15_zh_md_blockquote_questions.md")
    assert [item.question for item in interview.items] == [
        "介绍一致性哈希",
        "为什么要虚拟节点",
        "Raft 怎么选主",
        "实时阴影",
    ]
    assert blanks(interview) == [4]
    assert interview.items[2].flags == ("truncated_end",)


def test_16_turns_with_feedback(shared: Shared) -> None:
    interview = only(shared, "16_en_turns_json_feedback.txt")
    assert [item.number for item in interview.items] == [1, 2, 3]
    assert interview.items[1].answer == (
        "I would cache by key with a short TTL.\n\n"
        "I would also publish an invalidation when a row changes."
    )
    assert all("clarity" in (item.comment or "") for item in interview.items)
    assert interview.comment is None


def test_17_paragraphs_and_closing(shared: Shared) -> None:
    interview = only(shared, "17_en_multi_paragraph_double_space.txt")
    [item] = interview.items
    assert [turn.kind for turn in item.turns[:4]] == ["question", "answer", "follow_up", "answer"]
    assert item.turns[1].text.endswith("from 40 s to 6 s.")
    assert "Thank you" not in item.question + (item.answer or "")


def test_19_speakers_by_name_and_by_role(shared: Shared) -> None:
    interview = only(shared, "19_en_caps_sections_role_speakers.txt")
    assert interview.candidate == "Robin Vale"
    assert len(interview.items) == 2
    first, last = interview.items
    assert [turn.speaker for turn in first.turns] == ["Kim", "Robin", "Kim", "Robin"]
    assert (last.question, last.answer) == ("Anything else?", "No.")


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("07_en_rubric_bars_1to4.md", "scoring rubric"),
        ("20_en_bare_answer_no_question.txt", "without any question"),
        ("23_zh_double_spaced_escaped_rubric_no_answers.txt", "question bank"),
        ("25_en_md_rating_report_no_answers.md", "rating report"),
        ("MANIFEST.tsv", "no column name"),
    ],
)
def test_what_is_no_interview_is_refused_with_its_reason(
    shared: Shared, name: str, reason: str
) -> None:
    assert reason in refused(shared, name).problem


def test_the_whole_folder_is_read_or_refused_file_by_file(shared: Shared) -> None:
    folder = shared("transcripts")
    reading = read_all([folder])
    read = {Path(interview.source).name for interview in reading.interviews}
    not_read = {Path(error.source).name for error in reading.errors}
    assert read | not_read == {path.name for path in folder.iterdir()}
    assert not read & not_read
