"""What a start of the program reads in: one command, and nothing of the others."""

from __future__ import annotations

import subprocess
import sys

import pytest
from typer.testing import CliRunner

import pipeline
from evals.cli import MEASURING, app
from pipeline.cli import COMMANDS

OTHERS = ("evals.probe_cli", "pipeline.erase", "pipeline.review_cli", "pipeline.show_cli")


@pytest.mark.parametrize("arguments", [["parse", "--help"], ["grade", "--help"]])
def test_a_command_does_not_read_in_the_others_nor_the_client(arguments: list[str]) -> None:
    code = (
        f"import sys; sys.argv[1:] = {arguments}\n"
        "from evals.cli import main\n"
        "try:\n    main()\n"
        f"finally:\n    print([m for m in {(*OTHERS, 'openai', 'pandas')} if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("name", [*COMMANDS, *MEASURING])
def test_every_command_stands_where_the_list_says(name: str) -> None:
    shown = CliRunner().invoke(app, [name, "--help"])
    assert shown.exit_code == 0, shown.output
    assert f"{name} [OPTIONS]" in shown.output


def test_a_mistyped_command_is_refused_with_the_likely_one() -> None:
    refused = CliRunner().invoke(app, ["grad"])
    assert refused.exit_code == 2
    assert "Did you mean 'grade'?" in refused.output


def test_public_names_are_there_when_asked_for() -> None:
    assert all(getattr(pipeline, name) is not None for name in pipeline.__all__)
    with pytest.raises(AttributeError, match="nothing"):
        pipeline.nothing  # noqa: B018
