"""Streams and parts give what lists and wholes give, and hold less."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline import folding, grade, results, run_reader
from pipeline.plan import Tasks
from pipeline.prompt import PromptSet
from pipeline.records import Interview, Item, Messages, Reply
from pipeline.redact import Redaction
from pipeline.report import page
from pipeline.results import Run
from pipeline.spool import Spool, held
from pipeline.streamed import are_large_tables, read_stream
from pipeline.verify import verify
from tests.conftest import SECRET
from tests.scripted import verdict_json

ANSWER = "第{n}次压测以后，延迟回到了四毫秒左右，写入时要多维护一棵树。"
FILES = ("grades.csv", "candidates.csv", "grades.xlsx", "review.csv")


def interviews(number: int, each: int = 4, times: int = 1) -> Iterator[Interview]:
    """Interviews in two languages; every fourth item is blank, every tenth interview has none."""
    for place in range(number):
        name = f"person{place:04}"
        items = tuple(
            Item(
                item_id=f"{name}#{n}",
                question=f"问题之{n}是什么？",
                answer="" if n == 4 else ANSWER.format(n=place * each + n) * times,
            )
            for n in range(1, each + 1)
        )
        language = "en" if place % 3 == 0 else "zh"
        kept = () if place % 10 == 9 else items
        yield Interview(id=name, source="x", language=language, candidate="王小明", items=kept)


def steady(messages: Messages) -> Reply:
    """Always the same verdict."""
    return Reply(text=verdict_json(3, quote="写入时要多维护一棵树"), model="m", seconds=0.5)


def run_it(given_: object, out: Path, prompts: PromptSet, **options: object) -> Run:
    return grade(  # type: ignore[call-overload, no-any-return]
        given_, prompts=prompts, endpoint=steady, out=out, secret=SECRET, concurrency=1, **options
    )


def without_seconds(folder: Path) -> pd.DataFrame:
    return pd.read_parquet(folder / "grades.parquet").drop(columns="seconds")


def test_a_stream_gives_the_tables_of_a_list(prompts: PromptSet, tmp_path: Path) -> None:
    listed = run_it(list(interviews(23)), tmp_path / "list", prompts)
    streamed = run_it(interviews(23), tmp_path / "stream", prompts)
    pd.testing.assert_frame_equal(
        listed.grades, streamed.grades.assign(seconds=listed.grades["seconds"])
    )
    pd.testing.assert_frame_equal(listed.candidates, streamed.candidates)
    pd.testing.assert_frame_equal(listed.criteria, streamed.criteria)
    assert verify(tmp_path / "stream") == ([], len(listed.grades))


def test_parts_make_the_same_files_as_one_whole(
    prompts: PromptSet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = run_it(interviews(23), tmp_path / "run", prompts)
    before = {name: (tmp_path / "run" / name).read_bytes() for name in FILES}
    tables = {
        name: pd.read_parquet(tmp_path / "run" / f"{name}.parquet")
        for name in ("grades", "criteria")
    }
    monkeypatch.setattr(results, "PART", 7)
    monkeypatch.setattr(run_reader, "SMALL", 0)
    again = run_it(interviews(23), tmp_path / "run", prompts)
    assert again.manifest["status"] == whole.manifest["status"]
    assert {name: (tmp_path / "run" / name).read_bytes() for name in FILES} == before
    for name, frame in tables.items():
        path = tmp_path / "run" / f"{name}.parquet"
        pd.testing.assert_frame_equal(pd.read_parquet(path), frame)
        assert pq.ParquetFile(path).num_row_groups > 5
    pd.testing.assert_frame_equal(again.grades, whole.grades)


def test_a_workbook_that_would_be_too_long_is_left_out_and_said(
    prompts: PromptSet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = run_it(interviews(3), tmp_path, prompts)
    assert (tmp_path / "grades.xlsx").exists()
    assert "left_out" not in first.manifest
    monkeypatch.setattr("pipeline.table.files.MOST_SHEET_ROWS", 10)
    run = run_it(interviews(4), tmp_path, prompts)
    assert not (tmp_path / "grades.xlsx").exists()
    assert len(pd.read_csv(tmp_path / "grades.csv")) == 16
    [said] = run.manifest["left_out"]
    assert said.startswith("grades.xlsx: ")
    assert "grades.csv" in said


def test_an_empty_run_has_tables_with_headers(prompts: PromptSet, tmp_path: Path) -> None:
    run = run_it(iter(()), tmp_path, prompts)
    assert list(pd.read_parquet(tmp_path / "grades.parquet").columns) == list(run.grades.columns)
    assert (tmp_path / "grades.csv").read_text(encoding="utf-8-sig").startswith("interview_id,")


def test_placeholders_are_kept_interview_by_interview(prompts: PromptSet, tmp_path: Path) -> None:
    talks = [
        one.model_copy(
            update={
                "items": (Item(item_id=f"{one.id}#1", question="谁？", answer="王小明和我。" * 3),)
            }
        )
        for one in interviews(5)
    ]
    run_it(iter(talks), tmp_path, prompts, redaction=Redaction())
    assert len(list((tmp_path / "redaction").iterdir())) == 5


def test_tasks_come_language_by_language_as_often_as_asked() -> None:
    people = tuple(interviews(6))
    tasks = Tasks(people, {0: (1, 2), 1: (0,), 4: (0, 3)}, "auto")
    once = [item.item_id for _, item in tasks]
    assert once == ["person0001#1", "person0004#1", "person0004#4", "person0000#2", "person0000#3"]
    assert [item.item_id for _, item in tasks] == once
    assert len(tasks) == 5
    assert [item.item_id[6:10] for _, item in Tasks(people, {0: (1,), 1: (0,)}, "en")] == [
        "0000",
        "0001",
    ]


@given(st.lists(st.text(max_size=30), max_size=6))
def test_a_spool_gives_back_what_it_was_given(texts: list[str]) -> None:
    people = [
        Interview(
            id=str(n), source="x", items=(Item(item_id=f"{n}#1", question=text, answer=None),)
        )
        for n, text in enumerate(texts)
    ]
    spool = held(iter(people))
    assert list(spool) == people
    # Two that go through at once do not get into each other's way.
    assert list(zip(spool, spool, strict=True)) == [(one, one) for one in people]
    assert isinstance(spool, Spool)
    assert len(spool) == len(people)


def test_large_tables_are_streamed_and_their_doubts_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = tmp_path / "t.csv"
    table.write_text(
        "interview_id,number,question,answer\na,1,Why?,Because.\na,3,How?,So.\n", "utf-8"
    )
    assert not are_large_tables([str(table)])
    monkeypatch.setattr("pipeline.streamed.LARGE", 10)
    assert are_large_tables([str(table)])
    assert not are_large_tables([str(table), str(tmp_path)])
    told: list[str] = []
    read = read_stream(
        [str(table)], language="auto", mapping={}, empty_cell="blank", warn=told.append
    )
    assert [item.answer for one in read for item in one.items] == ["Because.", "So."]
    assert len(told) == sum(len(one.warnings) for one in read)


def test_memory_does_not_grow_with_the_items(
    prompts: PromptSet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(results, "PART", 40)
    monkeypatch.setattr(run_reader, "SMALL", 0)
    monkeypatch.setattr(page, "DETAIL_LIMIT", 5)
    monkeypatch.setattr(folding, "OFTEN", 0)
    for place in ("pipeline.summary.MOST_QUEUED", "pipeline.review.MOST_QUEUED"):
        monkeypatch.setattr(place, 20)
    run_it(interviews(10), tmp_path / "first", prompts)  # imports and caches
    peaks = []
    for number in (15, 60):
        tracemalloc.start()
        run_it(interviews(number, each=8, times=40), tmp_path / str(number), prompts)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    # The 360 further items have answers of 1 MB in all, and as much again in words and prompts.
    assert peaks[1] - peaks[0] < 700_000, peaks
