"""Public sets with human scores: each on its own scale."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from evals.cli import app
from evals.labels import by_rater, kind_of, read_labels, read_raters
from evals.public import key_points, label_scale, read_public, write_public
from evals.public_answers import public_answers
from pipeline import read_interviews
from pipeline.errors import ConfigError
from pipeline.gates import check
from pipeline.prompt import load_prompts
from pipeline.records import Item
from tests.conftest import ROOT


def line(number: int, **changes: object) -> dict[str, object]:
    return {
        "dataset": "made_up",
        "id": f"q{number % 2}-{number}",
        "question": f"Why {number % 2}?",
        "reference": "because",
        "answer": f"answer {number}",
        "score": 0.5,
        "score_min": 0,
        "score_max": 1,
        "annotators": [],
        "question_id": f"q{number % 2}",
        "lang": "en",
        **changes,
    }


def write(path: Path, lines: list[dict[str, object]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in lines), encoding="utf-8")
    return path


def test_set_becomes_interviews_and_labels(tmp_path: Path) -> None:
    scored = read_public(write(tmp_path / "s.jsonl", [line(0), line(1), line(2, answer="")]))
    assert label_scale(scored) == (0, 10)
    write_public(scored, tmp_path / "out")
    interviews = read_interviews(tmp_path / "out" / "interviews.jsonl")
    assert [interview.id for interview in interviews] == ["q0-0", "q0-2", "q1-1"]
    assert interviews[0].items[0].objective == "Key points: (1) because"
    assert interviews[1].items[0].answer == ""
    labels = read_labels(tmp_path / "out" / "labels.csv", scale=(0, 10))
    assert dict(by_rater(labels, "overall")["published"]) == {
        "q0-0#1": 5, "q0-2#1": 5, "q1-1#1": 5
    }  # fmt: skip
    kinds = read_raters(tmp_path / "out" / "raters.csv")
    assert kind_of(["published"], kinds) == "human"


def test_answers_can_be_grouped_by_question(tmp_path: Path) -> None:
    scored = read_public(write(tmp_path / "s.jsonl", [line(n) for n in range(4)]))
    write_public(scored, tmp_path / "out", group="question")
    interviews = read_interviews(tmp_path / "out" / "interviews.jsonl")
    assert [(interview.id, len(interview.items)) for interview in interviews] == [
        ("q-q0", 2),
        ("q-q1", 2),
    ]
    labels = read_labels(tmp_path / "out" / "labels.csv", scale=(0, 10))
    items = {item.item_id for interview in interviews for item in interview.items}
    assert set(labels["item_id"]) == items


def test_right_answer_in_the_words_of_the_reference_is_no_copy() -> None:
    reference = "配送的种类按专业化程度分类，分为综合配送和专业配送。"
    points = key_points(reference, "zh")
    assert points == "参考要点：(1) 配送的种类按专业化程度分类 (2) 分为综合配送和专业配送"
    item = Item(item_id="x#1", question="配送有哪些种类？", objective=points, answer=reference)
    assert check(item) is None
    assert key_points("It is fast, e.g. 3.5 ms. And small.", "en").count("(") == 1


def test_two_annotators_are_two_raters(tmp_path: Path) -> None:
    row = line(0, score=4, score_max=5, annotators=[3, 5])
    write_public(read_public(write(tmp_path / "s.jsonl", [row])), tmp_path / "out")
    labels = read_labels(tmp_path / "out" / "labels.csv")
    assert dict(zip(labels["rater"], labels["score"], strict=True)) == {
        "annotator1": 3,
        "annotator2": 5,
    }


def test_faults_are_named_by_line(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="line 2: score"):
        read_public(write(tmp_path / "s.jsonl", [line(0), line(1, score="good")]))
    with pytest.raises(ConfigError, match="more than one scale"):
        read_public(write(tmp_path / "s.jsonl", [line(0), line(1, score_max=5)]))
    with pytest.raises(ConfigError, match="holds no answers"):
        read_public(write(tmp_path / "s.jsonl", []))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"id": "q0-0"}, "the id stands in line 1 already"),
        ({"id": " "}, "id is empty"),
        ({"question": ""}, "question is empty"),
        ({"score_min": 1}, "score_min 1 is not below"),
        ({"score_min": 2}, "score_min 2 is not below"),
        ({"score": 7}, "score 7 is not on its scale"),
        ({"annotators": [0, -1]}, "score -1 is not on its scale"),
        ({"score": float("nan")}, "score: "),
        ({"score_max": float("inf")}, "score_max: "),
    ],
)
def test_a_row_that_cannot_be_used_is_named(
    changes: dict[str, object], said: str, tmp_path: Path
) -> None:
    path = write(tmp_path / "s.jsonl", [line(0), line(1, **changes)])
    with pytest.raises(ConfigError, match=rf"s\.jsonl, line 2: {said}"):
        read_public(path)


@pytest.mark.parametrize(
    ("lines", "code", "said"),
    [
        ([line(0, answer=""), line(1, answer=" ")], 2, "every answer is blank or copied"),
        ([line(0)], 3, "1 answers to 1 questions"),
        ([line(0), line(2), line(4)], 3, "3 answers to 1 questions"),
    ],
)
def test_sets_that_say_nothing_are_refused(
    lines: list[dict[str, object]], code: int, said: str, tmp_path: Path
) -> None:
    prompts = load_prompts(ROOT / "prompts" / "compact", with_scorer=False)
    with pytest.raises(ConfigError, match=said) as refused:
        public_answers([write(tmp_path / "s.jsonl", lines)], prompts, 10)
    assert refused.value.exit_code == code


@pytest.mark.parametrize(
    ("name", "scale"),
    [("sas_ads_zh", "0-10"), ("sas_le_zh", "0-10"), ("saf_en", "0-10"), ("digiklausur_nn", "0-2")],
)
def test_sets_beside_the_checkout_can_be_taken(name: str, scale: str, tmp_path: Path) -> None:
    path = ROOT.parent / "shared" / "data" / f"{name}.jsonl"
    if not path.exists():
        pytest.skip("the public sets are not beside this checkout")
    arguments = ["label", "from-public", str(path), "--out", str(tmp_path), "--limit", "40"]
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, done.output
    assert f"--label-scale {scale}" in done.output
    low, high = map(int, scale.split("-"))
    assert len(read_labels(tmp_path / "labels.csv", scale=(low, high))) == 40
    assert len(read_interviews(tmp_path / "interviews.jsonl")) == 40
