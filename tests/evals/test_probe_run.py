"""Probes through whole runs, by a function and over HTTP."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest
from typer.testing import CliRunner

from evals.cli import app
from evals.probes.attacks import INJECTIONS
from evals.probes.run import probe
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
    assert found.loc["language", "n"] == 24
    assert (result.exit_code, result.ungraded) == (1, 0)
    assert (result.run.grades["status"] == "scored").all()


def test_probes_without_a_grade_are_counted(prompts: PromptSet, tmp_path: Path) -> None:
    def failing(messages: Messages) -> str:
        attacked = any(ATTACKS[0] in turn.content for turn in messages)
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
