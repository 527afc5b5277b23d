"""Another model in the reply than was asked for is said at the end."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pipeline.answered import answered_note, other_models
from pipeline.cli import app
from tests.loopback import Response, completion, serve
from tests.scripted import verdict_json


@pytest.mark.parametrize(
    ("asked", "answered", "others"),
    [
        ("gpt-4o", ["gpt-4o"], []),
        ("gpt-4o", ["gpt-4o-2024-08-06"], []),
        ("qwen-max", ["qwen-max-latest"], []),
        ("Qwen/Qwen3-8B", ["qwen3-8b"], []),
        ("qwen3-8b", ["Qwen/Qwen3-8B"], []),
        ("gpt-4o", ["gpt-4o-mini"], ["gpt-4o-mini"]),
        ("gpt-4o-mini", ["gpt-4o"], ["gpt-4o"]),
        ("gpt-4", ["gpt-41"], ["gpt-41"]),
        ("m", ["m", "other"], ["other"]),
        ("m", [], []),
        ("a,b", ["a|b"], []),
        ("a,b", ["a-2025-01-01|b", "a|c"], ["c"]),
        ("m@h:1,m@h:2", ["m"], []),
    ],
)
def test_only_another_name_is_another_model(
    asked: str, answered: list[str], others: list[str]
) -> None:
    manifest = {"endpoint": "url h", "model": asked, "models_answered": answered}
    assert other_models(manifest) == others
    assert bool(answered_note(manifest)) == bool(others)
    assert other_models({**manifest, "endpoint": "embedded h"}) == []


def test_the_command_and_its_summary_say_so(tmp_path: Path) -> None:
    (tmp_path / "p.txt").write_text("问题1：什么是索引？\n回答：一棵树。\n", "utf-8")
    reply = completion(verdict_json(3), model="[b]cheap-1[/b]")
    with serve(lambda request: Response(reply)) as served:
        command = ["grade", str(tmp_path / "p.txt"), "--out", str(tmp_path / "run"), "--no-cache"]
        command += ["--model", "dear-1", "--base-url", served.base_url]
        first = CliRunner().invoke(app, command)
        again = CliRunner().invoke(app, [*command, "--json", "--quiet"])
    assert "Another model answered than was asked for: [b]cheap-1[/b], not dear-1" in first.output
    said = json.loads(again.stdout.splitlines()[-1])
    assert said["other_models"] == ["[b]cheap-1[/b]"]
    shown = CliRunner().invoke(app, ["show", str(tmp_path / "run")])
    assert "[b]cheap-1[/b]" in shown.output
