"""A scorer on public sets: an even sample, no leak from the question that is left out."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import evals.public_cli
from evals.cli import app
from evals.public import read_public
from evals.public_answers import public_answers
from evals.public_sample import even_sample
from evals.public_shipped import shipped_points
from evals.public_worth import (
    SCORER,
    gains,
    kappas,
    left_out_points,
    length_held,
)
from evals.study import formula_of
from pipeline.endpoint.base import EndpointInfo, FunctionEndpoint
from pipeline.prompt import load_prompts
from pipeline.question_type import question_type
from pipeline.records import Messages, Reply
from tests.conftest import ROOT

SIZE = 30
INFO = EndpointInfo(
    kind="embedded", host="127.0.0.1", model="small", score_mode="expected", reads=True
)


def planted(
    sets: int = 2, questions: int = 12, answers: int = 6
) -> tuple[pd.DataFrame, np.ndarray]:
    """Items whose states say the label along one direction, each question a little apart."""
    random = np.random.default_rng(4)
    direction = random.normal(size=SIZE)
    rows, states = [], []
    for one in range(sets):
        for question in range(questions):
            place = random.normal(size=SIZE)
            for _ in range(answers):
                points = float(random.integers(0, 11))
                rows.append(
                    {
                        "set": f"s{one}",
                        "cluster": f"s{one} q{question}",
                        "question": f"why {question}?",
                        "objective": "",
                        "answer": "word " * int(random.integers(3, 30)),
                        "points": points,
                    }
                )
                states.append(points * direction + place + 4 * random.normal(size=SIZE) + 50 * one)
    items = pd.DataFrame(rows)
    return items.assign(read=items["answer"]), np.array(states)


def test_a_scorer_that_knows_leads_the_baselines() -> None:
    items, states = planted()
    points = left_out_points(items, states)
    pooled, lead = (found(items, points, 400, 0) for found in (kappas, gains))
    assert (pooled[SCORER].value or 0) > 0.8
    assert pooled[SCORER].clusters == 24
    for name in ("length", "tf-idf", "length + tf-idf", "plain features alone"):
        assert (lead[name].low or 0) > 0.2
    assert abs(lead["states alone"].value or 0) < 0.1
    assert abs(length_held(items, points[SCORER])["score with length"]) < 0.2


def test_labels_that_states_do_not_know_give_no_agreement() -> None:
    items, states = planted()
    shuffled = items.assign(points=np.random.default_rng(5).permutation(items["points"]))
    found = kappas(shuffled, left_out_points(shuffled, states), 50, 0)[SCORER]
    assert abs(found.value or 0) < 0.3


def test_the_labels_of_a_question_do_not_touch_its_points() -> None:
    items, states = planted()
    mask = (items["cluster"] == "s0 q3").to_numpy()
    changed = items.assign(points=np.where(mask, 10 - items["points"], items["points"]))
    before, after = (left_out_points(one, states) for one in (items, changed))
    assert before[mask].equals(after[mask])
    assert not before[~mask].equals(after[~mask])


def test_sets_that_score_otherwise_keep_their_mean() -> None:
    items, states = planted()
    strict = items.assign(
        points=np.where(items["set"] == "s1", items["points"] / 4, items["points"])
    )
    points = left_out_points(strict, states)[SCORER]
    means = points.groupby(strict["set"]).mean()
    given = strict.groupby("set")["points"].mean()
    assert np.allclose(means, given, atol=0.5)


def lines(count: int) -> list[dict[str, object]]:
    return [
        {
            "dataset": "made_up",
            "id": f"a{number}",
            "question": f"What does number {number % 12} mean?",
            "reference": f"It means {number % 12} times something",
            "answer": f"answer {number} says something " * (1 + number % 3),
            "score": (number * 7 % 11) / 10,
            "score_min": 0,
            "score_max": 1,
            "annotators": [],
            "question_id": f"q{number % 12}",
            "lang": "en",
        }
        for number in range(count)
    ]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    rows = [*lines(96), {**lines(1)[0], "id": "blank", "answer": ""}]
    path = tmp_path / "set.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_a_sample_is_even_and_grows(file: Path) -> None:
    scored = read_public(file)
    small, large = (even_sample(scored, size) for size in (24, 50))
    assert large[:24] == small
    assert set(pd.Series([row.question_id for row in small]).value_counts()) == {2}
    assert even_sample(list(reversed(scored)), 24) == small
    assert even_sample(scored, 24, seed=1) != small
    assert len(even_sample(scored, 999)) == len(scored)


def test_answers_go_the_way_of_a_grader(file: Path) -> None:
    prompts = load_prompts(ROOT / "prompts" / "compact", with_scorer=False)
    found = public_answers([file], prompts, 200)
    assert found.stopped == 1
    assert len(found.readings) == len(found.items) == 96
    assert set(found.items["points"]) <= set(range(11))
    assert set(found.items["language"]) == {"en"}
    for reading, answer in zip(found.readings, found.items["answer"], strict=True):
        assert reading.answer in answer
        assert "Key points: (1) It means" in reading.before


def test_the_scorer_as_it_came_is_put_on_the_same_scale(file: Path) -> None:
    prompts = load_prompts(ROOT / "prompts" / "compact")
    assert prompts.scorer is not None
    items = public_answers([file], prompts, 3).items
    zeros, plain = np.zeros((3, prompts.scorer.size)), np.zeros((3, 3))
    points = shipped_points(items, zeros, plain, prompts)
    given = {
        key: float(score)
        for key, score in prompts.scorer.scores([0.0] * prompts.scorer.size, "en").items()
    }
    kind = question_type(items["question"].iloc[0], items["objective"].iloc[0])
    assert points[0] == pytest.approx(2 * formula_of(given, kind, prompts.rubric))
    with pytest.raises(ValueError, match="no scorer"):
        shipped_points(items, zeros, plain, load_prompts(prompts.folder, with_scorer=False))


def test_the_command_says_whose_labels_and_how_many(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scores = {str(row["answer"]).split()[1]: float(str(row["score"])) for row in lines(96)}
    random = np.random.default_rng(6)
    direction = random.normal(size=SIZE)

    def read(messages: Messages) -> Reply:
        assert messages.reading is not None
        [number] = re.findall(r"answer (\d+)", messages.reading.answer)[:1]
        state = scores[number] * 10 * direction + random.normal(size=SIZE)
        return Reply(text="", state=tuple(map(float, state)))

    monkeypatch.setattr(
        evals.public_cli, "open_endpoint", lambda model_file: FunctionEndpoint(read, INFO)
    )
    arguments = ["fit-public", str(file), "--answers", "60", "--states", str(tmp_path / "s.jsonl")]
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, done.output
    assert "60 answers to 12 questions" in done.output
    assert "HUMAN" in done.output
    assert "made_up" in done.output
    # The scorer that lies there is of another model.
    assert "\nas it came" not in done.output
    assert len((tmp_path / "s.jsonl").read_text("utf-8").splitlines()) == 60
