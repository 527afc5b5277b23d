"""From interviews to blind sheets to labels, as three raters would do it."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from evals.cli import app
from evals.labels import read_labels
from pipeline.errors import ConfigError

KEYS = ("relevance", "correctness", "depth", "evidence", "clarity")
ALL = (*KEYS, "overall")
Row = dict[str, str]


@pytest.fixture
def seeds(tmp_path: Path) -> Path:
    """Two interviews of three items: one answer blank, one unavailable, one like a formula."""
    path = tmp_path / "answers.jsonl"
    answers: list[str | None] = ["first", "", "=1+1", "third", None, "last"]
    lines = [
        {
            "interview_id": f"SECRET-{n // 3}",
            "number": n % 3 + 1,
            "question": f"question {n}",
            "objective": "aim",
            "answer": answer,
            "role": "ROLE",
            "candidate": "NAME",
        }
        for n, answer in enumerate(answers)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def grader(*arguments: str | Path, code: int = 0) -> str:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    if code == 2:
        assert isinstance(result.exception, ConfigError), result.output
        return str(result.exception)
    assert result.exit_code == code, (result.output, result.exception)
    return result.output


def read(path: Path) -> list[Row]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def fill(path: Path, score: Callable[[Row, str], str]) -> None:
    """Fill in the empty cells of a sheet as a rater would, and save it."""
    rows = read(path)
    for row in rows:
        row.update({key: row[key] or score(row, key) for key in ALL}, note="because, so")
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def make(seeds: Path, tmp_path: Path, rater: str) -> tuple[Path, Path]:
    sheet, key = tmp_path / f"{rater}.csv", tmp_path / "keys" / f"{rater}.csv"
    key.parent.mkdir(exist_ok=True)
    grader("label", "make", seeds, "--out", sheet, "--rater", rater, "--key", key)
    return sheet, key


def test_sheet_is_blind_shuffled_and_without_blanks(seeds: Path, tmp_path: Path) -> None:
    sheet, key = make(seeds, tmp_path, "a")
    rows = read(sheet)
    assert list(rows[0]) == ["row", "question", "objective", "answer", *ALL, "note"]
    assert sorted(row["answer"] for row in rows) == ["'=1+1", "first", "last", "third"]
    text = sheet.read_text(encoding="utf-8")
    assert not [word for word in ("SECRET", "ROLE", "NAME", "#") if word in text]
    assert {row["item_id"] for row in read(key)} == {
        "SECRET-0#1", "SECRET-0#3", "SECRET-1#1", "SECRET-1#3"
    }  # fmt: skip
    other, _ = make(seeds, tmp_path, "b")
    assert {row["row"] for row in rows}.isdisjoint(row["row"] for row in read(other))


def test_same_seed_same_sheet_and_no_sheet_is_overwritten(seeds: Path, tmp_path: Path) -> None:
    sheet, key = make(seeds, tmp_path, "a")
    before = sheet.read_bytes()
    assert "exists already" in grader(
        "label", "make", seeds, "--out", sheet, "--rater", "a", "--key", key, code=2
    )
    sheet.unlink()
    key.unlink()
    make(seeds, tmp_path, "a")
    assert sheet.read_bytes() == before


def test_sample_takes_so_many_and_the_same_for_all(seeds: Path, tmp_path: Path) -> None:
    out = tmp_path / "s.csv"
    grader("label", "make", seeds, "--out", out, "--rater", "a", "--sample", "2")
    assert len(read(out)) == len(read(tmp_path / "s.key.csv")) == 2
    other = tmp_path / "t.csv"
    grader("label", "make", seeds, "--out", other, "--rater", "b", "--sample", "2")
    assert {row["answer"] for row in read(out)} == {row["answer"] for row in read(other)}


def test_two_raters_and_a_third_reading(seeds: Path, tmp_path: Path) -> None:
    labels = tmp_path / "labels.csv"
    for rater, score in (("a", "3"), ("b", "4")):
        sheet, key = make(seeds, tmp_path, rater)
        fill(sheet, lambda row, k, s=score: s if (row["answer"], k) == ("third", "depth") else "2")
        grader("label", "take", sheet, "--key", key, "--labels", labels, "--rater", rater)
    sheet = tmp_path / "third.csv"
    grader("label", "adjudicate", seeds, "--labels", labels, "--out", sheet)
    [row] = read(sheet)
    assert row["answer"] == "third"
    assert {key: row[key] for key in ALL} == {**dict.fromkeys(ALL, "2"), "depth": ""}
    fill(sheet, lambda row, key: "5")
    grader("label", "take", sheet, "--labels", labels, "--rater", "adjudicated")
    taken = read_labels(labels)
    third = taken[taken["rater"] == "adjudicated"]
    assert len(third) == 4 * len(ALL)
    assert dict(third["score"].value_counts()) == {2.0: 4 * len(ALL) - 1, 5.0: 1}
    assert len(taken) == 3 * 4 * len(ALL)


def test_third_reading_may_not_change_what_both_agree_on(seeds: Path, tmp_path: Path) -> None:
    labels = tmp_path / "labels.csv"
    for rater, score in (("a", "3"), ("b", "4")):
        sheet, key = make(seeds, tmp_path, rater)
        fill(sheet, lambda row, k, s=score: s if k == "depth" else "2")
        grader("label", "take", sheet, "--key", key, "--labels", labels, "--rater", rater)
    sheet = tmp_path / "third.csv"
    grader("label", "adjudicate", seeds, "--labels", labels, "--out", sheet)
    fill(sheet, lambda row, key: "5")
    sheet.write_text(sheet.read_text(encoding="utf-8").replace(",2,", ",1,", 1), "utf-8")
    message = grader("label", "take", sheet, "--labels", labels, "--rater", "adjudicated", code=2)
    assert "both raters gave relevance 2; the sheet changes it" in message


@pytest.mark.parametrize("wrong", ["6", "-1", "2.5", "three", "", "²"])
def test_scores_that_are_no_points_are_refused_all_at_once(
    seeds: Path, tmp_path: Path, wrong: str
) -> None:
    sheet, key = make(seeds, tmp_path, "a")
    fill(sheet, lambda row, criterion: wrong if criterion in ("depth", "overall") else "3")
    labels = tmp_path / "labels.csv"
    message = grader(
        "label", "take", sheet, "--key", key, "--labels", labels, "--rater", "a", code=2
    )
    assert message.count("\n") == 7
    assert f"{sheet}, line 2: depth is " in message
    assert not labels.exists()


def test_not_asked_for_is_no_score_and_only_for_criteria(seeds: Path, tmp_path: Path) -> None:
    sheet, key = make(seeds, tmp_path, "a")
    labels = tmp_path / "labels.csv"
    fill(sheet, lambda row, criterion: "N/A" if criterion == "evidence" else "3")
    grader("label", "take", sheet, "--key", key, "--labels", labels, "--rater", "a")
    taken = read_labels(labels)
    assert taken.loc[taken["score"].isna(), "criterion"].unique().tolist() == ["evidence"]


def test_missing_rows_and_wrong_keys_are_named(seeds: Path, tmp_path: Path) -> None:
    sheet, key = make(seeds, tmp_path, "a")
    fill(sheet, lambda row, criterion: "3")
    lines = sheet.read_text(encoding="utf-8").splitlines(keepends=True)
    sheet.write_text("".join(lines[:-1]), encoding="utf-8")
    options = ("--labels", tmp_path / "labels.csv", "--rater", "a")
    assert "1 rows of the key are missing" in grader(
        "label", "take", sheet, "--key", key, *options, code=2
    )
    _, other = make(seeds, tmp_path, "b")
    assert "is not in this key" in grader("label", "take", sheet, "--key", other, *options, code=2)


def test_nobody_overwrites_anybody(seeds: Path, tmp_path: Path) -> None:
    labels = tmp_path / "labels.csv"
    labels.write_text("item_id,criterion,rater,score,note\nz#1,overall,b,1,mine\n", "utf-8")
    sheet, key = make(seeds, tmp_path, "a")
    fill(sheet, lambda row, criterion: "3")
    command = ("label", "take", sheet, "--key", key, "--labels", labels, "--rater", "a")
    grader(*command)
    assert "--replace" in grader(*command, code=2)
    grader(*command, "--replace")
    taken = read_labels(labels)
    assert len(taken) == 1 + 4 * len(ALL)
    assert taken.iloc[0]["note"] == "mine"
