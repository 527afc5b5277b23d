"""A scorer fitted to planted states: it finds what is there and leaks nothing."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from evals.fit import Fitted, fit_scorer, fitted_on, labelled_items, write_scorer
from evals.fit_agreement import left_out_agreement
from evals.fit_beside import beside
from evals.fit_labels import read_fit_labels
from evals.fit_worth import length_table
from evals.hidden_states import read_kept, states_of
from evals.ridge import fit_lines, left_out_scores
from evals.study import make_study
from evals.uncertainty_worth import uncertainty_section
from pipeline.endpoint.base import EndpointInfo, FunctionEndpoint
from pipeline.errors import ConfigError
from pipeline.prompt import PromptSet, load_prompts
from pipeline.records import Interview, Item, Messages, Reading, Reply
from tests.conftest import ROOT
from tests.scripted import KEYS

SIZE = 40
INFO = EndpointInfo(
    kind="embedded", host="127.0.0.1", model="small", score_mode="expected", reads=True
)
DIRECTION = np.random.default_rng(1).normal(size=SIZE)


def planted(
    n: int = 90, noise: float = 0.5
) -> tuple[np.ndarray, list[str], np.ndarray, np.ndarray]:
    """States that say the label along one direction; languages, labels, clusters of three."""
    random = np.random.default_rng(2)
    labels = random.integers(0, 6, size=n).astype(float)
    states = np.outer(labels, DIRECTION) + noise * random.normal(size=(n, SIZE)) * 10
    return states, ["zh", "en"] * (n // 2), labels[:, None], np.arange(n) // 3


def r(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.corrcoef(a.ravel(), b.ravel())[0, 1])


def test_what_states_say_is_found_on_clusters_left_out() -> None:
    states, languages, labels, clusters = planted()
    assert r(left_out_scores(states, languages, labels, clusters), labels) > 0.8


def test_labels_that_states_do_not_know_are_not_found() -> None:
    states, languages, labels, clusters = planted()
    shuffled = np.random.default_rng(3).permutation(labels)
    assert abs(r(left_out_scores(states, languages, shuffled, clusters), shuffled)) < 0.4


def test_a_cluster_s_own_labels_do_not_touch_its_scores() -> None:
    states, languages, labels, clusters = planted()
    changed = labels.copy()
    changed[clusters == 4] = 5 - changed[clusters == 4]
    before, after = (left_out_scores(states, languages, y, clusters) for y in (labels, changed))
    assert np.array_equal(before[clusters == 4], after[clusters == 4])
    assert not np.array_equal(before[clusters == 5], after[clusters == 5])


def test_scores_have_the_labels_mean_and_spread() -> None:
    states, languages, labels, clusters = planted()
    seen = left_out_scores(states, languages, labels, clusters)
    assert seen.mean() == pytest.approx(labels.mean(), abs=0.2)
    assert seen.std() == pytest.approx(labels.std(), rel=0.15)


def test_lines_for_raw_states_are_those_that_were_fitted() -> None:
    """Weights undo centring: states that a language moves by a constant score alike."""
    states, languages, labels, clusters = planted()
    moved = states + np.where(np.array(languages) == "en", 7.0, 0.0)[:, None]
    plain, shifted = (fit_lines(s, languages, labels, clusters) for s in (states, moved))
    assert np.allclose(plain.scores(states, languages), shifted.scores(moved, languages))


def test_a_missing_label_costs_that_criterion_alone() -> None:
    states, languages, labels, clusters = planted()
    two = np.hstack([labels, labels])
    two[::4, 1] = np.nan
    seen = left_out_scores(states, languages, two, clusters)
    assert np.isfinite(seen).all()
    assert r(seen[:, 0], labels) > 0.8
    assert r(seen[:, 1], labels) > 0.8


def test_too_few_labels_give_no_score() -> None:
    states, languages, labels, clusters = planted(12)
    assert np.isnan(left_out_scores(states, languages, labels, clusters)).all()


def read_from(states: dict[str, np.ndarray], calls: list[str]) -> FunctionEndpoint:
    def read(messages: Messages) -> Reply:
        assert messages.reading is not None
        calls.append(messages.reading.answer)
        return Reply(text="", state=tuple(map(float, states[messages.reading.answer])))

    return FunctionEndpoint(read, INFO)


def test_what_was_read_is_not_read_again_and_a_torn_line_is(tmp_path: Path) -> None:
    readings = [Reading(before="q", answer=name) for name in "abc"]
    states = {name: np.full(4, at + 0.5) for at, name in enumerate("abc")}
    kept, calls = tmp_path / "states.jsonl", list[str]()
    first = states_of(readings, read_from(states, calls), kept)
    assert np.array_equal(first, np.stack(list(states.values())))
    kept.write_text(kept.read_text("utf-8")[:-20], "utf-8")
    assert len(read_kept(kept)) == 2
    again = states_of(readings, read_from(states, calls), kept)
    assert np.array_equal(again, first)
    assert len(calls) == 4


def test_an_endpoint_that_shows_no_states_is_refused(tmp_path: Path) -> None:
    blind = FunctionEndpoint(lambda messages: "x")
    with pytest.raises(ConfigError, match="embedded model"):
        states_of([Reading(before="q", answer="a")], blind, tmp_path / "s")


def test_a_place_that_keeps_no_states_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"\xff")
    endpoint = read_from({"a": np.ones(4)}, [])
    for place in (tmp_path, tmp_path / "file" / "s.jsonl", tmp_path / "file"):
        with pytest.raises(ConfigError, match="states cannot be kept there"):
            states_of([Reading(before="q", answer="a")], endpoint, place)


@pytest.fixture
def prompts(tmp_path: Path) -> PromptSet:
    shutil.copytree(ROOT / "prompts" / "compact", tmp_path / "compact")
    (tmp_path / "compact" / "scorer.json").unlink()
    return load_prompts(tmp_path / "compact")


@pytest.fixture
def fitted(prompts: PromptSet, tmp_path: Path) -> Fitted:
    """Thirty interviews of three answers each, labelled by one model."""
    states, _, labels, _ = planted()
    texts = [f"answer {at} says something of its own, at some length" for at in range(90)]
    interviews = [
        Interview(
            id=f"i{one}", source="x", language="zh" if one % 2 else "en",
            items=tuple(
                Item(item_id=f"i{one}#{at + 1}", question=f"why {one}?", answer=texts[3 * one + at])
                for at in range(3)
            ),
        )
        for one in range(30)
    ]  # fmt: skip
    with (tmp_path / "labels.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["item_id", "criterion", "rater", "score", "note"])
        for at, score in enumerate(labels.ravel()):
            for key in (*KEYS, "overall"):
                writer.writerow([f"i{at // 3}#{at % 3 + 1}", key, "a", int(score), ""])
    (tmp_path / "raters.csv").write_text("rater,kind,how\na,model,made up\n", "utf-8")
    endpoint = read_from(dict(zip(texts, states, strict=True)), [])
    return fit_scorer(
        interviews, tmp_path / "labels.csv", prompts, endpoint, tmp_path / "s.jsonl", draws=200
    )


def test_a_fitted_file_scores_as_the_lines_do(fitted: Fitted, prompts: PromptSet) -> None:
    write_scorer(fitted, prompts)
    scorer = load_prompts(prompts.folder).scorer
    assert scorer is not None
    assert scorer.model == "small"
    assert "MODEL labels, not people" in scorer.measured
    assert "left out of the fit" in scorer.measured
    states, *_ = planted()
    by_file = [scorer.scores(tuple(map(float, state)), "zh") for state in states]
    by_line = np.clip(fitted.lines.scores(states, ["zh"] * len(states)), 0, 5)
    for at, key in enumerate(KEYS):
        found = np.array([float(scores[key]) for scores in by_file])
        assert np.allclose(found, by_line[:, at], atol=0.0051)


def test_a_scorer_is_held_against_answers_it_was_not_fitted_to(
    fitted: Fitted, prompts: PromptSet
) -> None:
    path = write_scorer(fitted, prompts)
    assert beside(fitted, prompts.folder, prompts, draws=50) is None
    tree = json.loads(path.read_text("utf-8"))
    assert len(tree["fitted_on"]) == 90
    forgotten = tree["fitted_on"][:40]
    for known, compared in ((tree["fitted_on"][29:], None), (tree["fitted_on"][40:], 40)):
        path.write_text(json.dumps({**tree, "fitted_on": known}), "utf-8")
        found = beside(fitted, prompts.folder, prompts, draws=50)
        assert (found and found.gain.n) == compared
    assert found is not None
    items = found.study.items
    assert fitted_on(items) == forgotten
    assert len(found.study.labelled) == 40
    del tree["fitted_on"]
    path.write_text(json.dumps(tree), "utf-8")
    assert beside(fitted, prompts.folder, prompts, draws=50) is None


def test_answers_that_a_gate_ends_do_not_lack_a_grade(prompts: PromptSet, tmp_path: Path) -> None:
    question = "why does an index make reading a large table faster?"
    answers = ("an answer of its own", " ", question)
    items = tuple(
        Item(
            item_id=f"a#{at}",
            question=question,
            answer=answer,
        )
        for at, answer in enumerate(answers, 1)
    )
    labels = tmp_path / "labels.csv"
    rows = "".join(f"a#{at},overall,a,3,\n" for at in (1, 2, 3))
    labels.write_text("item_id,criterion,rater,score,note\n" + rows, "utf-8")
    known = read_fit_labels(labels, prompts.rubric)
    interview = Interview(id="a", source="x", language="en", items=items)
    frame, readings = labelled_items([interview], known, prompts)
    study = make_study(frame, known, prompts.rubric, scale=(0, 5))
    assert list(study.labelled) == ["scored", "blank", "copied"]
    assert list(readings) == list(study.items.index) == ["a#1"]


def test_the_worth_of_a_fit_is_that_of_left_out_scores(
    fitted: Fitted, prompts: PromptSet, tmp_path: Path
) -> None:
    found = left_out_agreement(fitted, tmp_path / "labels.csv", prompts, draws=200)
    assert found.facts["n"] == 90
    assert (found.value("qwk") or 0) > 0.6
    assert found.verdict != "PASS"
    assert len(found.risk) > 1
    assert found.risk["n"].iloc[-1] == 90
    told = {row[0]: row for row in uncertainty_section(fitted.study, 200, 0).rows}
    for name in ("not abstained from", "abstained from"):
        assert told[name][3] == told[f"within one point, {name}"][3]
    assert int(told["abstained from"][3]) + int(told["not abstained from"][3]) == 90
    table = length_table(fitted.study)
    assert table["score with label"] > 0.6
    assert list(fitted.curve["candidates"]) == [8, 15, 22, 30]


def test_too_few_labelled_answers_are_refused(prompts: PromptSet, tmp_path: Path) -> None:
    items = (Item(item_id="a#1", question="q?", answer="an answer of its own"),)
    interview = Interview(id="a", source="x", language="en", items=items)
    (tmp_path / "labels.csv").write_text(
        "item_id,criterion,rater,score,note\n" + "".join(f"a#1,{key},a,3,\n" for key in KEYS),
        "utf-8",
    )
    endpoint = read_from({"an answer of its own": np.ones(4)}, [])
    with pytest.raises(ConfigError, match=r"too few labels .*: 1 answers .* and 30 are needed"):
        fit_scorer([interview], tmp_path / "labels.csv", prompts, endpoint, tmp_path / "s")
