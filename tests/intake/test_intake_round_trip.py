"""Interviews rendered in each layout and encoding come back with the same items."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.intake import read_all, read_interviews
from pipeline.intake.blank import settle
from pipeline.intake.formats import SUFFIXES
from pipeline.intake.labels import label_of
from pipeline.intake.speakers import spoken

SIMPLIFIED = (
    "的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对成会可主发年动同工也能下过"
)
TRADITIONAL = (
    "的一是在不了有和人這中大為上個國我以要他時來用們生到作地於出就分對成會可主發年動同工也能下過"
)
MARKS = "，。：；、（）「」 12AbC:*#>-+=.,()[]/|`"


class Given(NamedTuple):
    """One generated item."""

    question: str
    answer: str


def lines_of(letters: str) -> st.SearchStrategy[str]:
    """A line of text that is neither blank nor starts like a label or a speaker."""
    text = st.text(alphabet=letters + MARKS, min_size=6, max_size=40).map(
        lambda one: letters[0] + letters[8] + one.strip()
    )
    return text.filter(lambda one: label_of(one) is None and spoken(0, one) is None)


def items_of(letters: str) -> st.SearchStrategy[list[Given]]:
    question = lines_of(letters).map(lambda one: one.replace("|", "") + "？")
    answer = st.lists(lines_of(letters), max_size=4).map(lambda parts: "\n".join(parts).strip())
    return st.lists(st.builds(Given, question, answer), min_size=2, max_size=6, unique=True)


def as_labels(items: list[Given]) -> str:
    out = ["岗位： 测试 从业年限： 5年"]
    for number, item in enumerate(items, 1):
        out += [f"问题{number}：{item.question}", "考察目标：经验", f"回答： {item.answer}"]
    return "\n".join([*out, "点评： 很好。"])


def as_traditional(items: list[Given]) -> str:
    out = ["職位：測試 年限：5年"]
    for number, item in enumerate(items, 1):
        out += [f"問題{number}：{item.question}", "考察目標：經驗", f"回答：{item.answer}"]
    return "\n".join([*out, "點評：很好。"])


def as_english(items: list[Given]) -> str:
    return "\n\n".join(
        f"Q{number}: {item.question}\nA: {item.answer}" for number, item in enumerate(items, 1)
    )


def as_markdown(items: list[Given]) -> str:
    return "\n\n---\n\n".join(
        f"### 问题 {number}：{item.question}\n\n**回答：**\n\n{item.answer}"
        for number, item in enumerate(items, 1)
    )


def as_csv(items: list[Given]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["interview_id", "number", "question", "answer"])
    writer.writerows(["a", n, item.question, item.answer] for n, item in enumerate(items, 1))
    return out.getvalue()


def as_jsonl(items: list[Given]) -> str:
    return "\n".join(
        json.dumps({"question": item.question, "answer": item.answer}, ensure_ascii=False)
        for item in items
    )


def as_json(items: list[Given]) -> str:
    return json.dumps({"items": [item._asdict() for item in items]}, ensure_ascii=False)


CHINESE: list[tuple[str, Callable[[list[Given]], str]]] = [
    (".txt", as_labels),
    (".txt", as_english),
    (".md", as_markdown),
    (".csv", as_csv),
    (".jsonl", as_jsonl),
    (".json", as_json),
]


def back(folder: Path, suffix: str, content: bytes) -> list[Given]:
    path = folder / f"a{suffix}"
    path.write_bytes(content)
    [interview] = read_interviews(path)
    return [Given(item.question, item.answer or "") for item in interview.items]


def expected(items: list[Given]) -> list[Given]:
    return [Given(item.question, settle(item.answer, item.question).answer or "") for item in items]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("round")


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "gb18030"])
@pytest.mark.parametrize(("suffix", "render"), CHINESE)
@settings(max_examples=12, deadline=None)
@given(data=st.data())
def test_round_trip(
    folder: Path,
    suffix: str,
    render: Callable[[list[Given]], str],
    encoding: str,
    ends: str,
    data: st.DataObject,
) -> None:
    items = data.draw(items_of(SIMPLIFIED))
    content = render(items).replace("\n", ends).encode(encoding)
    assert back(folder, suffix, content) == expected(items)


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("suffix", "render"),
    [(".txt", as_traditional), (".txt", as_english), (".csv", as_csv), (".jsonl", as_jsonl)],
)
@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_round_trip_big5(
    folder: Path,
    suffix: str,
    render: Callable[[list[Given]], str],
    ends: str,
    data: st.DataObject,
) -> None:
    items = data.draw(items_of(TRADITIONAL))
    content = render(items).replace("\n", ends).encode("big5")
    assert back(folder, suffix, content) == expected(items)


SPOKEN = st.lists(
    st.builds(
        Given,
        lines_of(SIMPLIFIED).map(lambda one: one + "？"),
        st.lists(lines_of(SIMPLIFIED), min_size=1, max_size=3).map("\n".join),
    ),
    min_size=2,
    max_size=6,
)


@pytest.mark.parametrize(
    "form",
    [
        "{who}：{text}",
        "{who}: {text}",
        "**{who}：** {text}",
        "[00:00:01–00:00:09] {who}：{text}",
        "{who} 00:00:01\n{text}",
        "{who}（00:01）：{text}",
    ],
)
@pytest.mark.parametrize(
    "people", [("面试官", "候选人"), ("Interviewer", "Candidate"), ("面试官A", "应聘者")]
)
@settings(max_examples=15, deadline=None)
@given(items=SPOKEN)
def test_round_trip_of_dialogues(
    folder: Path, form: str, people: tuple[str, str], items: list[Given]
) -> None:
    text = "\n\n".join(
        form.format(who=who, text=text)
        for item in items
        for who, text in zip(people, item, strict=True)
    )
    assert back(folder, ".txt", text.encode()) == expected(items)


@settings(max_examples=150, deadline=None)
@given(content=st.binary(max_size=400), suffix=st.sampled_from(SUFFIXES))
def test_no_bytes_raise_anything_but_our_errors(folder: Path, content: bytes, suffix: str) -> None:
    path = folder / f"fuzz{suffix}"
    path.write_bytes(content)
    reading = read_all([path])
    assert all(interview.items for interview in reading.interviews)
    assert all(error.source.startswith(str(path)) for error in reading.errors)
    assert reading.interviews or reading.errors


FRAGMENTS = st.sampled_from(
    [
        *"问题1： 问题二、 回答： 答： A: Q: Q1: ### ** > - 考察目标： 点评：".split(),
        *"面试官： 候选人： Interviewer: Candidate: 追问： 补充：".split(),
        *"岗位： ``` --- 00:01 参考答案： 得分：".split(),
        *'[00:00:01] 无 ？ ? 介绍一下 | , " { } [ ]'.split(),
        *["\n", "\n\n", " ", "\t", "\u3000", "\u200b"],
    ]
)


@settings(max_examples=300, deadline=None)
@given(parts=st.lists(FRAGMENTS, max_size=60), suffix=st.sampled_from([".txt", ".md", ".csv"]))
def test_no_mix_of_labels_raises_anything_but_our_errors(
    folder: Path, parts: list[str], suffix: str
) -> None:
    path = folder / f"mix{suffix}"
    path.write_text("".join(parts), encoding="utf-8")
    for interview in read_all([path]).interviews:
        assert all(item.question.strip() for item in interview.items)
