"""The fixture with which a team asserts on agreement in its own suite."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from evals import Agreement
from evals.pytest_plugin import grader_agreement  # noqa: F401 (a fixture)
from pipeline.prompt import PromptSet
from tests.evals.worlds import make_world, run_world, write_labels


def test_pass_lets_the_test_go_on_and_anything_else_fails_it(
    grader_agreement: Callable[..., Agreement],  # noqa: F811
    prompts: PromptSet,
    tmp_path: Path,
) -> None:
    world = make_world(30, 4, seed=3)
    run = run_world(world, tmp_path / "run", prompts)
    human = write_labels(world, tmp_path / "human")
    assert (grader_agreement(run, human, draws=200).value("qwk") or 0) > 0.7
    model = write_labels(world, tmp_path / "model", kind="model")
    with pytest.raises(pytest.fail.Exception, match="INCONCLUSIVE on 120 answers"):
        grader_agreement(run, model, draws=200)
    result = grader_agreement(run, model, draws=200, expect=("PASS", "INCONCLUSIVE"))
    assert result.verdict == "INCONCLUSIVE"
