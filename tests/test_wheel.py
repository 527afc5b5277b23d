"""The wheel: it carries the prompt sets, and grades where nothing of the checkout is near."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.loopback import always, serve

INTERVIEW = "岗位： 甲 从业年限： 3年\n问题1：为什么？\n考察目标：基础。\n回答： 因为快。\n"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from the checkout with the build backend that is installed."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps"]
    command += ["--no-build-isolation", "--no-index", "--wheel-dir", str(folder), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True, text=True)
    [path] = folder.glob("interview_grader-*.whl")
    return path


def test_wheel_holds_packages_and_prompt_sets_and_nothing_private(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    for wanted in (
        "pipeline/prompts/interview/rubric.yaml",
        "pipeline/prompts/interview/system.zh.j2",
        "pipeline/py.typed",
        "pipeline/report/templates/report.html.j2",
        "evals/cli.py",
    ):
        assert wanted in names
    assert not [name for name in names if name.startswith(("tests", "seeds", "runs"))]


def test_installed_wheel_grades_in_an_empty_folder(wheel: Path, tmp_path: Path) -> None:
    site, empty = tmp_path / "site", tmp_path / "empty"
    empty.mkdir()
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"]
    subprocess.run(
        [*command, "--target", str(site), str(wheel)], check=True, capture_output=True, text=True
    )
    (empty / "one.txt").write_text(INTERVIEW, encoding="utf-8")
    # The installed copy must win over the checkout's editable install.
    script = (
        f"import sys; sys.path.insert(0, {str(site)!r}); import evals.cli, pipeline; "
        f"assert pipeline.__file__.startswith({str(site)!r}), pipeline.__file__; evals.cli.main()"
    )
    with serve(always(3)) as server:
        done = subprocess.run(
            [sys.executable, "-c", script, "grade", "one.txt", "--out", "run", "--base-url",
             server.base_url, "--model", "m"],
            cwd=empty, capture_output=True, text=True, check=False,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "1 items: 1 scored." in done.stdout
    assert (empty / "run" / "report.html").exists()
