"""Dialogues: who asks, who answers, what is small talk, what is a follow-up."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from pipeline.intake import read_all
from pipeline.intake.talk import follow_up, is_filler
from pipeline.records import Interview

Read = Callable[..., Interview]


def pairs(interview: Interview) -> list[tuple[str, str | None]]:
    return [(item.question, item.answer) for item in interview.items]


def test_small_talk_praise_and_closing_are_no_items(read: Read) -> None:
    interview = read(
        "面试官：你好，能听到我说话吗？\n候选人：能听到。\n"
        "面试官：好的，那先做个自我介绍吧。\n候选人：我做了五年后端。\n面试官：嗯嗯\n"
        "候选人：主要是支付。\n面试官：很好。\n面试官：怎么保证幂等？\n候选人：唯一索引。\n"
        "面试官：好的，今天就到这里。\n候选人：谢谢面试官。\n"
    )
    assert pairs(interview) == [
        ("好的，那先做个自我介绍吧。", "我做了五年后端。\n主要是支付。"),
        ("怎么保证幂等？", "唯一索引。"),
    ]


def test_names_with_times_on_their_own_lines_are_told_by_who_asks(read: Read) -> None:
    interview = read(
        "张伟 00:00:10\n先做个自我介绍吧。\n\n李雷 00:00:15\n我叫李雷。\n做支付。\n\n"
        "王芳 00:01:10\n怎么保证幂等？\n\n李雷 00:01:20\n唯一业务号。\n"
    )
    assert pairs(interview) == [
        ("先做个自我介绍吧。", "我叫李雷。\n做支付。"),
        ("怎么保证幂等？", "唯一业务号。"),
    ]
    assert "does not name the roles" in interview.warnings[0]


def test_roles_in_brackets_and_in_the_header(read: Read) -> None:
    bracketed = read(
        "Kim (Interviewer): How?\nRobin (Candidate): So.\nLee: How long?\nRobin: Cost.\n"
    )
    assert pairs(bracketed) == [("How?", "So."), ("How long?", "Cost.")]
    declared = read(
        "Candidate: Robin Vale\nInterviewers: Kim, Lee\n\nKim: Tell us about a failure.\n"
        "Robin: I missed a date.\n\nLee: What changed since?\nRobin: I plan buffers.\n"
    )
    assert declared.candidate == "Robin Vale"
    assert pairs(declared) == [
        ("Tell us about a failure.", "I missed a date."),
        ("What changed since?", "I plan buffers."),
    ]


def test_colons_inside_a_turn_start_no_turn(read: Read) -> None:
    interview = read(
        "面试官：讲讲项目。\n候选人：项目名称：支付网关\n项目背景：老系统太慢\n我做了：拆分\n"
        "面试官：结果呢？\n候选人：快了。面试官：这几个字是我打错的。\n"
    )
    assert interview.items[0].answer == "项目名称：支付网关\n项目背景：老系统太慢\n我做了：拆分"
    assert interview.items[1].answer == "快了。面试官：这几个字是我打错的。"


def test_remarks_between_turns_are_left_out_with_a_warning(read: Read) -> None:
    interview = read(
        "面试官：什么是锁？\n候选人：互斥。\n面试官点评：太短。\n面试官：还有呢？\n候选人：信号量。\n"
    )
    assert interview.items[0].answer == "互斥。\n\n信号量。"
    assert "太短" not in interview.model_dump_json()
    assert any("remark from line 3" in warning for warning in interview.warnings)


def test_follow_ups_keep_their_turns(read: Read) -> None:
    interview = read(
        "面试官：你用过缓存吗？\n候选人：用过。\n面试官：追问：怎么淘汰？\n候选人：按最近使用。\n"
        "面试官：你刚才提到最近使用，怎么实现？\n候选人：链表加哈希。\n面试官：下一个问题，什么是锁？\n候选人：互斥。\n"
    )
    first, second = interview.items
    assert (
        first.question == "你用过缓存吗？\n追问：怎么淘汰？\n追问：你刚才提到最近使用，怎么实现？"
    )
    assert first.answer == "用过。\n\n按最近使用。\n\n链表加哈希。"
    assert [turn.line for turn in first.turns] == [1, 2, 3, 4, 5, 6]
    assert second.answer == "互斥。"


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("追问：为什么？", True),
        ("Can you quantify the impact?", True),
        ("What would you do differently?", True),
        ("如果让你重做一次呢？", True),
        ("举个例子？", True),
        ("怎么证明是它带来的？", True),
        ("What is a deadlock?", False),
        ("接下来，你刚才说的先放一放，什么是锁？", False),
        ("为什么要做微服务？", False),
        ("Why did you choose our clinic?", False),
    ],
)
def test_what_counts_as_a_follow_up(text: str, is_one: bool) -> None:
    assert (follow_up(text) is not None) is is_one


@pytest.mark.parametrize(
    ("text", "filler"),
    [
        ("嗯嗯，好的。", True),
        ("OK, great!", True),
        ("谢谢面试官", True),
        ("不是", False),
        ("好的，我用过 Redis。", False),
        ("", True),
    ],
)
def test_fillers(text: str, filler: bool) -> None:
    assert is_filler(text) is filler


def test_an_unanswered_question_at_the_end_is_absent(read: Read) -> None:
    interview = read("面试官：什么是锁？\n候选人：互斥。\n面试官：什么是死锁？\n")
    assert pairs(interview) == [("什么是锁？", "互斥。"), ("什么是死锁？", None)]


def test_the_candidate_asking_back_stays_in_the_answer(read: Read) -> None:
    interview = read(
        "Interviewer: Do you have questions for us?\nCandidate: How big is the team?\n"
        "Interviewer: Ten people.\nCandidate: And who leads it?\nInterviewer: Kim does.\n"
        "Candidate: Thank you.\n"
    )
    assert pairs(interview) == [
        ("Do you have questions for us?", "How big is the team?\n\nAnd who leads it?")
    ]


def test_a_short_yes_to_a_question_is_an_answer(read: Read) -> None:
    interview = read("面试官：你愿意出差吗？\n候选人：可以。\n面试官：你会英语吗？\n候选人：嗯。\n")
    assert [item.answer for item in interview.items] == ["可以。", "嗯。"]


@pytest.mark.parametrize(
    "text",
    [
        "00:01 甲：早上好\n00:02 乙：早上好\n00:03 甲：走吧\n00:05 乙：走\n",
        "甲 00:01\n什么是锁？\n乙 00:02\n什么是锁？\n丙 00:03\n你们说呢？\n",
    ],
)
def test_dialogues_that_do_not_show_who_asks_are_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.txt").write_text(text, encoding="utf-8")
    [error] = read_all([tmp_path]).errors
    assert "does not show who asks" in error.problem


VTT = """WEBVTT

00:00:01.000 --> 00:00:04.000
<v Anna Smith>Could you tell me about your last job?</v>

00:00:05.000 --> 00:00:09.000
<v Ben>I built a billing service</v>

00:00:09.000 --> 00:00:12.000
<v Ben>for a small bank.</v>
"""
SRT = """1
00:00:01,000 --> 00:00:04,000
Anna (Interviewer): Could you tell me about your last job?

2
00:00:05,000 --> 00:00:09,000
Ben: I built a billing service
for a small bank.
"""


@pytest.mark.parametrize(("name", "text"), [("a.vtt", VTT), ("a.srt", SRT), ("a.txt", VTT)])
def test_subtitles(read: Read, name: str, text: str) -> None:
    assert pairs(read(text, name)) == [
        ("Could you tell me about your last job?", "I built a billing service\nfor a small bank.")
    ]


def test_subtitles_without_speakers_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.srt").write_text("1\n00:00:01,000 --> 00:00:04,000\nWhat is x?\n")
    [error] = read_all([tmp_path]).errors
    assert "no speakers" in error.problem


@pytest.mark.parametrize(
    "turns",
    [
        [("interviewer", "What is x?"), ("candidate", "A letter."), ("interviewer", "And y?")],
        [("assistant", "What is x?"), ("user", "A letter."), ("assistant", "And y?")],
        [("system", "Be nice."), ("assistant", "What is x?"), ("user", "A letter.")],
    ],
)
def test_json_turns(read: Read, turns: list[tuple[str, str]]) -> None:
    text = json.dumps([{"role": role, "content": content} for role, content in turns])
    assert pairs(read(text, "a.json"))[0] == ("What is x?", "A letter.")
