"""`grader rubric check` from the command line."""

from __future__ import annotations

import shutil
from pathlib import Path

from typer.testing import CliRunner

from pipeline.cli import app
from tests.conftest import ROOT

DEFAULT = ROOT / "prompts" / "interview"


def test_the_default_set_passes() -> None:
    done = CliRunner().invoke(app, ["rubric", "check", "--prompts", str(DEFAULT)])
    assert done.exit_code == 0, done.output
    assert "5 criteria, key points for 7 questions, 0 doubts" in done.output


def test_a_doubtful_anchor_is_named_and_exits_with_1(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    shutil.copytree(DEFAULT, folder)
    rubric = folder / "rubric.yaml"
    text = rubric.read_text(encoding="utf-8")
    rubric.write_text(
        text.replace("4: 条理清楚，偶有冗余", "4: 篇幅充分，条理清楚"), encoding="utf-8"
    )
    done = CliRunner().invoke(app, ["rubric", "check", "--prompts", str(folder)])
    assert done.exit_code == 1
    assert "clarity (zh): anchor 4 invites score by length or polish: '篇幅'" in done.output


def test_doubtful_key_points_are_named(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(DEFAULT, tmp_path / "mine"))
    (folder / "questions" / "own.yaml").write_text(
        "questions:\n- id: q\n  question: 什么是锁？\n"
        "  key_points: {zh: [对, 锁保护共享数据]}\n  wrong_claims: {zh: [锁保护共享数据。]}\n"
        "- id: other\n  question: What is a lock?\n  key_points: {zh: [锁保护共享数据]}\n",
        encoding="utf-8",
    )
    done = CliRunner().invoke(app, ["rubric", "check", "--prompts", str(folder)])
    assert done.exit_code == 1
    assert "own.yaml: q: a line says next to nothing: '对'" in done.output
    assert "own.yaml: q: a key point and a wrong claim say the same" in done.output
    assert "own.yaml: other: the question is in en, and its key points are not" in done.output
