"""The review queue, the sheet, and decisions taken back in beside the outcomes."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pandas as pd
import pytest
from typer.testing import CliRunner

from evals.grades import grader_frame
from pipeline import grade
from pipeline.cache import open_cache
from pipeline.cli import app
from pipeline.erase import erase
from pipeline.errors import ConfigError, EndpointError
from pipeline.prompt import PromptSet
from pipeline.records import Candidate, Interview, Item, Messages, Reply
from pipeline.results import Run, queue_of, read_results, write_review_sheet
from pipeline.review import review_queue
from pipeline.review_apply import apply_sheet
from pipeline.review_rows import read_sheet
from pipeline.verify import verify
from tests.conftest import SECRET
from tests.scripted import verdict_json

WHY = "候选人当场画了图，口述没写进转写。"
SOUND = (
    "缓存放在读多写少的地方，先更新库再删缓存。",
    "我给热点商品加了本地缓存，命中率从六成升到九成。",
    "压测时发现缓存雪崩，于是给过期时间加了随机数。",
    "用布隆过滤器挡住不存在的键，缓存穿透就少了。",
)


def interview(name: str = "a") -> Interview:
    """One answer whose quote is invented, one that fails, and sound ones."""
    answers = ("没有出处的一段话。", "会出错的一段话。", *SOUND)
    return Interview(
        id=name,
        source=name,
        items=tuple(
            Item(item_id=f"{name}#{n}", question=f"{name} 的问题 {n}？", answer=text)
            for n, text in enumerate(answers, start=1)
        ),
    )


def model(messages: Messages) -> Reply:
    text = messages[-1].content
    if "会出错" in text:
        raise EndpointError("HTTP 500")
    return Reply(text=verdict_json(4, quote="并没有说过的话" if "没有出处" in text else "缓存"))


@pytest.fixture
def run(prompts: PromptSet, tmp_path: Path) -> Run:
    return grade(
        [interview()], prompts=prompts, endpoint=model, out=tmp_path / "run", secret=SECRET
    )


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def fill(path: Path, **decisions: dict[str, str]) -> Path:
    """The sheet with cells filled in, by position of the item."""
    rows = rows_of(path)
    for row in rows:
        row.update(decisions.get(f"n{row['item'].partition('#')[2]}", {}))
    filled = path.with_name("filled.csv")
    with filled.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return filled


Taker = Callable[..., Run]


@pytest.fixture
def take(run: Run, prompts: PromptSet) -> Taker:
    """Fill in the run's sheet, take it in, and read the run again."""

    def taker(sheet: str = "review.csv", **decisions: dict[str, str]) -> Run:
        apply_sheet(run.folder, fill(run.folder / sheet, **decisions), prompts)
        return read_results(run.folder, prompts.rubric)

    return taker


def decision(
    overall: str = "", why: str = WHY, reviewer: str = "Wu", clear: str = ""
) -> dict[str, str]:
    cells = {"decision_overall": overall, "why": why, "reviewer": reviewer}
    return {**cells, "clear_flags": clear} if clear else cells


def test_queue_has_failures_and_blocking_flags_first_with_plain_reasons(
    run: Run, prompts: PromptSet
) -> None:
    queue = queue_of(run, prompts.rubric)
    assert [entry.item_id for entry in queue[:2]] == ["a#1", "a#2"]
    assert queue[1].reasons == ("no grade: endpoint_error",)
    assert any(reason.startswith("unsupported_credit: a score of 3") for reason in queue[0].reasons)
    assert (queue[0].overall, queue[1].overall) == (Decimal("4.0"), None)


@pytest.mark.parametrize(
    ("overall", "graded", "near"),
    [("3.4", 5, True), ("3.5", 5, True), ("3.6", 5, True), ("3.7", 5, False), ("3.7", 2, True),
     ("0.1", 5, False), (None, 0, False)],
)  # fmt: skip
def test_nearness_to_a_cut_counts_by_what_half_a_point_on_the_item_moves(
    run: Run, prompts: PromptSet, overall: str | None, graded: int, near: bool
) -> None:
    value = None if overall is None else Decimal(overall)
    one: Candidate = run.ranking[0].model_copy(update={"overall": value, "graded": graded})
    queue = review_queue(run.interviews, run.outcomes, [one], prompts.rubric, {})
    assert ("a#3" in {entry.item_id for entry in queue}) == near


def test_sheet_lies_in_the_run_folder_with_empty_columns(run: Run) -> None:
    first = rows_of(run.folder / "review.csv")[0]
    assert list(first) == ["item", "priority", "reasons", "flags", "overall",
                           "decision_overall", "clear_flags", "reviewer", "why"]  # fmt: skip
    assert (first["item"], first["overall"], first["why"]) == ("a#1", "4.0", "")


def test_change_stands_beside_the_grade_and_overwrites_nothing(run: Run, take: Taker) -> None:
    before = (run.folder / "journal.jsonl").read_bytes()
    after = take(n1=decision("2.5"))
    row = after.grades.set_index("item_id").loc["a#1"]
    assert (row["overall"], row["reviewed_overall"], row["reviewer"]) == (4.0, 2.5, "Wu")
    assert pd.isna(after.grades.set_index("item_id").loc["a#3"]["reviewed_overall"])
    journal = (run.folder / "journal.jsonl").read_bytes()
    assert journal.startswith(before)
    line = json.loads(journal.splitlines()[-1])["review"]
    assert (line["reviewer"], line["before"], line["after"]) == ("Wu", "4.0", "2.5")
    assert verify(run.folder) == ([], 7)
    assert after.reviews["a#1"].why == WHY


def test_words_of_the_reason_are_in_texts_and_not_in_the_journal(run: Run, take: Taker) -> None:
    take(n1=decision("2.5"))
    assert WHY not in (run.folder / "journal.jsonl").read_text("utf-8")
    texts = next((run.folder / "texts").iterdir())
    assert WHY in texts.read_text("utf-8")
    texts.write_text(texts.read_text("utf-8").replace(WHY, "别的理由"), "utf-8")
    assert "line 7" in verify(run.folder)[0][0]


def test_agreement_reads_the_graders_own_grade(run: Run, take: Taker, prompts: PromptSet) -> None:
    before = grader_frame(run, prompts.rubric)
    after = grader_frame(take(n1=decision("1"), n2=decision("3")), prompts.rubric)
    pd.testing.assert_frame_equal(before, after)


def test_cleared_flag_no_longer_blocks_and_a_score_by_hand_fills_the_gap(
    run: Run, take: Taker
) -> None:
    assert run.ranking[0].recommendation == "NO_DECISION"
    half = take(n1=decision(clear="unsupported_credit"))
    assert half.ranking[0].recommendation == "NO_DECISION"
    assert half.grades.set_index("item_id").loc["a#1"]["cleared_flags"] == "unsupported_credit"
    assert "unsupported_credit" in half.outcomes["a#1"].flags
    whole = take(n2=decision("4.0"))
    assert whole.ranking[0].recommendation == "YES"
    assert whole.ranking[0].overall == run.ranking[0].overall
    assert whole.outcomes["a#2"].grade is None


def test_recommendation_follows_the_reviewers_scores_and_says_so(take: Taker) -> None:
    after = take(n1=decision("0", clear="all"), n2=decision("0"))
    assert after.ranking[0].recommendation == "NO"
    assert after.ranking[0].reasons == ("overall 2.7 with the reviewers' scores",)


def test_report_shows_the_decision_beside_the_grade(run: Run, take: Taker) -> None:
    blocking = "在复核人解除之前不给出建议。"
    assert blocking in (run.folder / "report.html").read_text("utf-8")
    take(n1=decision("2.5", why="<b>口述</b>", clear="all"))
    page = (run.folder / "report.html").read_text("utf-8")
    assert "总分改为 2.5，原为 4.0; 已解除：unsupported_credit – &lt;b&gt;口述" in page
    assert blocking not in page


def test_decided_items_leave_the_queue_and_the_sheet(run: Run, take: Taker) -> None:
    take(n1=decision(why="", reviewer="Wu"))
    assert [row["item"] for row in rows_of(run.folder / "review.csv")] == ["a#2"]


def test_sheet_taken_in_twice_changes_nothing(run: Run, prompts: PromptSet) -> None:
    sheet = fill(run.folder / "review.csv", n1=decision("2.0"))
    assert apply_sheet(run.folder, sheet, prompts).changed == 1
    journal = (run.folder / "journal.jsonl").read_bytes()
    assert apply_sheet(run.folder, sheet, prompts).known == 1
    assert (run.folder / "journal.jsonl").read_bytes() == journal


FAULTS = {
    "why": ("why is empty", decision("2.0", why="")),
    "why of a cleared flag": ("why is empty", decision(why="", clear="all")),
    "who": ("who decided", decision("2.0", reviewer="")),
    "number": ("no number", decision("four")),
    "scale": ("from 0 to 5", decision("5.1")),
    "not finite": ("from 0 to 5|no number", decision("nan")),
    "places": ("one decimal", decision("3.25")),
    "flag": ("does not carry: spread", decision(clear="spread")),
    "stale": ("graded anew", {**decision("2.0"), "overall": "1.0"}),
    "item": ("no graded item 'b#1'", {**decision("2.0"), "item": "b#1"}),
}


@pytest.mark.parametrize(("message", "cells"), FAULTS.values(), ids=FAULTS)
def test_faulty_row_is_named_and_nothing_is_taken_in(
    run: Run, take: Taker, message: str, cells: dict[str, str]
) -> None:
    journal = (run.folder / "journal.jsonl").read_bytes()
    with pytest.raises(ConfigError, match=rf"line 2: .*({message})") as caught:
        take(n1=cells, n2=decision("3"))
    assert "No decision was taken in" in str(caught.value)
    assert (run.folder / "journal.jsonl").read_bytes() == journal


def test_failed_item_cannot_be_confirmed_without_a_score(take: Taker) -> None:
    with pytest.raises(ConfigError, match="no number"):
        take(n2=decision(""))


def test_blind_sheet_shows_nothing_of_the_grader_and_needs_score_and_reason(
    run: Run, take: Taker, prompts: PromptSet
) -> None:
    path = write_review_sheet(run, prompts.rubric, blind=True)
    assert list(rows_of(path)[0]) == ["item", "question", "answer",
                                      "decision_overall", "reviewer", "why"]  # fmt: skip
    with pytest.raises(ConfigError, match="no number"):
        take("review-blind.csv", n1=decision(""))
    with pytest.raises(ConfigError, match="why is empty"):
        take("review-blind.csv", n1=decision("4.0", why=""))
    after = take("review-blind.csv", n1=decision("4.0"))
    assert (after.reviews["a#1"].blind, after.reviews["a#1"].changes) == (True, False)
    assert [row["item"] for row in rows_of(path)] == ["a#2"]


def test_item_graded_again_is_no_longer_decided(run: Run, take: Taker, prompts: PromptSet) -> None:
    take(n2=decision("1.0"))

    def works(messages: Messages) -> Reply:
        return Reply(text=verdict_json(4, quote="会出错"))

    works.__name__ = "model"
    again = grade([interview()], prompts=prompts, endpoint=works, out=run.folder, secret=SECRET,
                  retry_errors=True)  # fmt: skip
    assert set(again.reviews) == set()
    assert verify(run.folder) == ([], 8)
    sheet = fill(run.folder / "review.csv", n2=decision("2.0"))
    assert {row["item"] for row in rows_of(sheet)} >= {"a#1"}


def test_what_was_filled_in_survives_when_the_sheet_is_written_anew(
    run: Run, prompts: PromptSet
) -> None:
    sheet = run.folder / "review.csv"
    fill(sheet, n1=decision("2.0", why="=1+1 不算理由")).replace(sheet)
    grade([interview(), interview("b")], prompts=prompts, endpoint=model, out=run.folder,
          secret=SECRET)  # fmt: skip
    rows = {row["item"]: row for row in rows_of(sheet)}
    assert (rows["a#1"]["decision_overall"], rows["a#1"]["why"]) == ("2.0", "'=1+1 不算理由")
    assert {"a#2", "b#1", "b#2"} <= set(rows)
    assert apply_sheet(run.folder, sheet, prompts).changed == 1
    assert read_results(run.folder, prompts.rubric).reviews["a#1"].why == "=1+1 不算理由"


def test_sheet_saved_by_a_spreadsheet_is_read(run: Run) -> None:
    sheet = run.folder / "review.csv"
    text = sheet.read_text("utf-8-sig")
    for encoding, delimiter in (("gb18030", ","), ("utf-16", "\t"), ("utf-8", ";")):
        rows = [dict(row, why=WHY) for row in csv.DictReader(text.splitlines())]
        with sheet.open("w", encoding=encoding, newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]), delimiter=delimiter)
            writer.writeheader()
            writer.writerows(rows)
        read = read_sheet(sheet)
        assert [row.cells["why"] for row in read] == [WHY] * len(rows), encoding


def test_erasing_takes_the_reasons_and_both_sheets_along(
    run: Run, take: Taker, prompts: PromptSet, tmp_path: Path
) -> None:
    write_review_sheet(run, prompts.rubric, blind=True)
    take(n1=decision("2.0"))
    with open_cache(tmp_path / "c.sqlite") as cache:
        erase(run.folder, ["a"], prompts=prompts, cache=cache, secret=SECRET)
    assert verify(run.folder) == ([], 8)
    (run.folder / "filled.csv").unlink()
    for path in (path for path in run.folder.rglob("*.csv") if path.is_file()):
        assert "出处" not in path.read_text("utf-8-sig")
        assert WHY not in path.read_text("utf-8-sig")


def test_commands_show_write_and_take_in(run: Run) -> None:
    shown = CliRunner().invoke(app, ["show", str(run.folder), "--queue"])
    assert "no grade: endpoint_error" in shown.output
    assert "a#1  (overall 4.0)" in shown.output
    as_json = CliRunner().invoke(app, ["show", str(run.folder), "--queue", "--json"])
    assert json.loads(as_json.output)["queue"][0]["item_id"] == "a#1"
    sheet = CliRunner().invoke(app, ["review", "sheet", str(run.folder), "--blind"])
    assert "review-blind.csv" in sheet.output
    filled = fill(run.folder / "review.csv", n1=decision("2.0"))
    done = CliRunner().invoke(app, ["review", "apply", str(run.folder), str(filled)])
    assert "1 changed the overall" in done.output, done.output
