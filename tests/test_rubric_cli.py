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
    assert "5 criteria, 0 doubts" in done.output


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
