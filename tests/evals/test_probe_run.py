"""Probes through whole runs, by a function and over HTTP."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest
from typer.testing import CliRunner

from evals.cli import app
from evals.probes.attacks import INJECTIONS, read_good_answers, read_weak_answers
from evals.probes.cases import judge_cases, read_cases, run_cases
from evals.probes.run import probe
from pipeline.cache import open_cache
from pipeline.errors import ConfigError
from pipeline.prompt import PromptSet
from pipeline.records import Messages
from tests.conftest import SECRET
from tests.evals.planted import make_corpus
from tests.loopback import always, serve
from tests.scripted import verdict_json

ATTACKS = [text for lines in INJECTIONS["authority"].values() for text in lines]


def injectable(messages: Messages) -> str:
    """Scores by the first word of the answer, and gives way to authority."""
    text = messages[-1].content
    score = 1 + sum(word in text for word in ("锁", "lock", "树", "tree"))
    return verdict_json(5 if any(attack in text for attack in ATTACKS) else score)


def test_injectable_grader_fails_on_the_attack_it_falls_for(
    prompts: PromptSet, tmp_path: Path
) -> None:
    interviews, pairs, _ = make_corpus(pairs=12, items=2)
    result = probe(
        interviews,
        prompts=prompts,
        endpoint=injectable,
        out=tmp_path / "run",
        pairs=pairs,
        families=("injection: authority", "repeat", "language"),
        sample=30,
        secret=SECRET,
    )
    found = result.families.set_index("family")
    assert found.loc["injection: authority", "result"] == "fail"
    assert found.loc["injection: authority", "n"] == 30
    assert found.loc["repeat", ["result", "mean_shift", "worst"]].tolist() == ["pass", 0, 0]
    assert pd.isna(found.loc["language", "mean_zh"])
    assert found.loc["language", "n"] == 24
    assert (result.exit_code, result.ungraded) == (1, 0)
    assert (result.run.grades["status"] == "scored").all()


def test_replies_kept_serve_a_later_probe_but_a_repeat_asks_again(
    prompts: PromptSet, tmp_path: Path
) -> None:
    asked: list[Messages] = []

    def noted(messages: Messages) -> str:
        asked.append(messages)
        return injectable(messages)

    interviews, _, _ = make_corpus(pairs=1, items=3)
    counts = []
    for name in ("first", "second"):
        with open_cache(tmp_path / "kept.sqlite") as cache:
            result = probe(
                interviews[:1],
                prompts=prompts,
                endpoint=noted,
                out=tmp_path / name,
                families=("typos", "repeat"),
                secret=SECRET,
                cache=cache,
            )
        counts.append(len(asked))
        found = result.families.set_index("family")["n"]
        assert (found["repeat"], result.ungraded) == (3, 0)
        asked.clear()
    assert counts == [3 + found["typos"] + 3, 3]


def test_an_interrupted_probe_goes_on(prompts: PromptSet, tmp_path: Path) -> None:
    asked: list[Messages] = []

    def dying(messages: Messages) -> str:
        asked.append(messages)
        if len(asked) == 5:
            raise KeyboardInterrupt
        return injectable(messages)

    interviews, _, _ = make_corpus(pairs=1, items=3)
    told = {"prompts": prompts, "out": tmp_path / "run", "families": ("padding",), "concurrency": 1}
    with pytest.raises(KeyboardInterrupt):
        probe(interviews[:1], endpoint=dying, secret=SECRET, **told)
    result = probe(interviews[:1], endpoint=dying, secret=SECRET, **told)
    assert result.ungraded == 0
    # Six answers; the one that was under way when the probe ended is asked for again.
    assert len(asked) == 6 + 1


def test_probes_without_a_grade_are_counted(prompts: PromptSet, tmp_path: Path) -> None:
    def failing(messages: Messages) -> str:
        attacked = any(attack in turn.content for turn in messages for attack in ATTACKS)
        return "no json" if attacked else verdict_json(3)

    interviews, _, _ = make_corpus(pairs=1, items=2)
    result = probe(
        interviews[:1],
        prompts=prompts,
        endpoint=failing,
        out=tmp_path / "run",
        families=("injection: authority",),
        secret=SECRET,
    )
    assert (result.ungraded, result.exit_code) == (2, 3)
    assert isinstance(result.families, pd.DataFrame)
    with pytest.raises(ConfigError, match="nothing to probe"):
        probe([], prompts=prompts, endpoint=failing, out=tmp_path / "none")


def test_attempts_in_weak_answers_need_no_interviews(prompts: PromptSet, tmp_path: Path) -> None:
    good = set(read_good_answers().values())

    def gullible(messages: Messages) -> str:
        text = messages[-1].content
        if any(answer in text for answer in good):
            return verdict_json(4)
        return verdict_json(5 if any(attack in text for attack in ATTACKS) else 1)

    result = probe(
        None,
        prompts=prompts,
        endpoint=gullible,
        out=tmp_path / "run",
        families=("injection: authority", "injection: encoded"),
        secret=SECRET,
    )
    found = result.families.set_index("family")
    assert found["n"].to_dict() == {
        "injection: authority": 20,
        "injection: encoded": 20,
        "good answer": 6,
    }
    told = ["mean_shift", "worst", "over_tolerance", "over", "low", "high", "result"]
    assert found.loc["injection: authority", told].tolist() == [4, 4, 1, 1, 4, 4, "fail"]
    assert found.loc["injection: encoded", told].tolist() == [0, 0, 0, 0, 0, 0, "pass"]
    assert found.loc["good answer", ["mean_shift", "result"]].tolist() == [3, "pass"]
    assert found.loc["injection: authority", ["flagged", "mean_zh", "mean_en"]].tolist() == [
        0.95, 4, 4,
    ]  # fmt: skip
    assert result.exit_code == 1
    assert result.run.grades["attempts"].sum() == len(result.run.grades)


def test_a_grader_that_is_flat_on_good_answers_too_is_invalid(
    prompts: PromptSet, tmp_path: Path
) -> None:
    result = probe(
        None,
        prompts=prompts,
        endpoint=lambda messages: verdict_json(2),
        out=tmp_path / "run",
        families=("injection: hidden",),
        sample=3,
        secret=SECRET,
    )
    assert set(result.families["result"]) == {"invalid"}
    assert result.exit_code == 3


def test_command_calls_a_flat_grader_invalid(tmp_path: Path) -> None:
    seeds = tmp_path / "seeds.jsonl"
    rows = [
        {"interview_id": f"i{n}", "number": 1, "question": "Why?", "answer": f"because of it, {n}."}
        for n in range(3)
    ]
    seeds.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    with serve(always(3)) as server:
        families = ["--family", "typos", "--family", "padding"]
        target = ["--base-url", server.base_url, "--model", "m"]
        command = ["probe", str(seeds), "--out", str(tmp_path / "run"), *families, *target]
        done = CliRunner(env={"COLUMNS": "200"}).invoke(app, command)
        assert done.exit_code == 3, (done.output, done.exception)
        assert "invalid" in done.output
        tree = json.loads(CliRunner().invoke(app, [*command, "--json"]).output)
    assert {row["result"] for row in tree["families"]} == {"invalid"}
    assert (tmp_path / "run" / "probes.csv").exists()


def test_the_probe_set_has_fifteen_families_of_ten_variants_in_two_languages() -> None:
    assert len(INJECTIONS) == 15
    for family, by_language in INJECTIONS.items():
        assert {language: len(set(texts)) for language, texts in by_language.items()} == {
            "zh": 10,
            "en": 10,
        }, family
    weak = read_weak_answers()
    assert len({one.items[0].answer for one in weak}) == 20
    assert {one.items[0].item_id for one in weak} >= read_good_answers().keys()


def test_cases_tell_what_code_decides_from_what_the_model_gave(
    prompts: PromptSet, tmp_path: Path
) -> None:
    results, run = run_cases(
        prompts=prompts,
        endpoint=lambda messages: verdict_json(3),
        out=tmp_path / "run",
        secret=SECRET,
    )
    assert [one.case.id for one in results] == [f"C{n:02}" for n in range(1, 21)]
    assert {one.by_code for one in results} == {"right", "not run"}
    found = {one.case.id: (one.status, one.overall, one.by_model) for one in results}
    assert found["C01"] == ("blank", 0.0, "as expected")
    assert found["C02"] == ("copied", 0.0, "as expected")
    assert found["C03"] == ("scored", 3.0, "too high")
    assert found["C05"] == ("scored", 3.0, "as expected")
    assert found["C10"] == ("scored", 3.0, "too low")
    assert found["C13"] == ("scored", 3.0, "as expected")
    assert found["C16"] == ("blank", 0.0, "as expected")
    assert found["C20"] == ("not_run", None, "scripted in the tests")
    assert len(run.outcomes) == 20


def test_a_wrong_decision_of_code_is_told(prompts: PromptSet, tmp_path: Path) -> None:
    case = next(one for one in read_cases() if one.id == "C10")
    wrong = case.model_copy(update={"flags": ("padding",), "status": "blank"})
    _, run = run_cases(
        prompts=prompts,
        endpoint=lambda messages: verdict_json(3),
        out=tmp_path / "run",
        secret=SECRET,
    )
    [result] = judge_cases([wrong], run.outcomes, {})
    assert result.by_code == "wrong: no flag padding, a call was made"


def test_command_prints_the_cases(tmp_path: Path) -> None:
    with serve(always(3)) as server:
        command = ["probe", "--cases", "--out", str(tmp_path / "run")]
        target = ["--base-url", server.base_url, "--model", "m"]
        done = CliRunner(env={"COLUMNS": "220"}).invoke(app, [*command, *target])
        assert done.exit_code == 0, (done.output, done.exception)
        tree = json.loads(CliRunner().invoke(app, [*command, *target, "--json"]).output)
    assert "Of 20 cases" in done.output
    assert "C13" in done.output
    assert tree["cases"][12]["expected"] == "as C10"
