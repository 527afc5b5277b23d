"""Two runs on the same labels."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from evals import compare
from evals.cli import app
from evals.contrast import Comparison
from evals.paired import mcnemar_exact
from evals.power import power_note
from pipeline.errors import ConfigError
from pipeline.prompt import PromptSet, load_prompts
from pipeline.results import Run
from tests.conftest import ROOT
from tests.evals.worlds import make_world, run_world, write_csv, write_labels


@pytest.fixture(scope="module")
def world() -> pd.DataFrame:
    return make_world(40, 4, seed=5)


@pytest.fixture(scope="module")
def runs(
    world: pd.DataFrame, prompts: PromptSet, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Run]:
    """The same grader twice, and one with more noise."""
    folder = tmp_path_factory.mktemp("runs")
    noise = np.random.default_rng(0).normal(0, 1, len(world))
    noisy = world.assign(grader=np.clip(world["grader"] + noise, 0, 5))
    return {
        "good": run_world(world, folder / "good", prompts),
        "same": run_world(world, folder / "same", prompts),
        "noisy": run_world(noisy, folder / "noisy", prompts),
        "part": run_world(world[world["interview_id"] < "c010"], folder / "part", prompts),
    }


@pytest.fixture
def labels(world: pd.DataFrame, tmp_path: Path) -> Path:
    return write_labels(world, tmp_path / "seeds")


def qwk_of(result: Comparison) -> pd.Series:
    frame = result.differences
    return frame[(frame["criterion"] == "overall") & (frame["metric"] == "qwk")].iloc[0]


def test_more_noise_is_worse_and_less_is_better(runs: dict[str, Run], labels: Path) -> None:
    down = compare(runs["good"], runs["noisy"], labels)
    up = compare(runs["noisy"].folder, runs["good"].folder, labels)
    assert (down.outcome, down.exit_code) == ("B is worse", 1)
    assert (up.outcome, up.exit_code) == ("B is better", 0)
    assert qwk_of(down)["difference"] == pytest.approx(-qwk_of(up)["difference"])
    assert qwk_of(down)["high"] < 0 < qwk_of(up)["low"]


def test_same_grader_twice_differs_in_nothing(runs: dict[str, Run], labels: Path) -> None:
    result = compare(runs["good"], runs["same"], labels)
    assert (result.outcome, result.exit_code) == ("no difference shown", 0)
    assert result.changed.empty
    assert result.mcnemar["p"] is None
    assert "do not differ" in result.power


def test_no_winner_without_an_interval(runs: dict[str, Run], labels: Path) -> None:
    result = compare(runs["part"], runs["noisy"], labels)
    assert (result.outcome, result.exit_code) == ("inconclusive", 3)
    assert qwk_of(result)["why"] == "insufficient clusters (10 < 20)"
    assert result.facts["n"] == 40
    assert "0 by A, 120 by B" in result.notes[0]


def test_changed_items_show_both_verdicts(runs: dict[str, Run], labels: Path) -> None:
    changed = compare(runs["good"], runs["noisy"], labels).changed
    one = changed[changed["item_id"] == changed["item_id"].iloc[0]]
    assert list(one["criterion"]) == ["relevance", "correctness", "depth", "evidence", "clarity"]
    row = one.iloc[0]
    distance = abs(row["overall_a"] - row["label"]) - abs(row["overall_b"] - row["label"])
    assert row["gain"] == pytest.approx(distance)
    assert row["change"] == ("better" if distance > 0 else "worse" if distance < 0 else "same")
    assert row["rationale_a"] == row["rationale_b"] == "because"
    assert changed["gain"].abs().is_monotonic_decreasing


@pytest.mark.parametrize(
    ("only_a", "only_b", "p"),
    [(0, 0, None), (1, 0, 1.0), (0, 6, 0.03125), (5, 5, 1.0), (3, 12, 0.03515625)],
)
def test_mcnemar_is_the_exact_binomial(only_a: int, only_b: int, p: float | None) -> None:
    assert mcnemar_exact(only_a, only_b) == p


def test_mcnemar_equals_scipy() -> None:
    stats = pytest.importorskip("scipy.stats")
    for a, b in [(3, 9), (40, 22), (700, 640)]:
        assert mcnemar_exact(a, b) == pytest.approx(stats.binomtest(a, a + b, 0.5).pvalue, abs=1e-9)


def test_power_grows_with_the_root_of_n() -> None:
    row = pd.Series({"difference": 0.05, "low": -0.05, "high": 0.15, "n": 100, "why": ""})
    assert power_note(row) == (
        "100 answers show a difference of 0.14 in 80% of cases; the one found, +0.050, "
        "would take about 818."
    )


def test_prompt_diff_is_of_the_prompts_that_were_run(
    runs: dict[str, Run], labels: Path, world: pd.DataFrame, tmp_path: Path
) -> None:
    folders = [ROOT / "prompts" / "interview", tmp_path / "p" / "interview"]
    shutil.copytree(*folders)
    rubric = folders[1] / "rubric.yaml"
    rubric.write_text(rubric.read_text("utf-8").replace("min_coverage: 0.70", "min_coverage: 0.80"))
    other = run_world(world, tmp_path / "other", load_prompts(folders[1]))
    both = {"prompts_a": folders[0], "prompts_b": folders[1]}
    diff = compare(runs["good"], other, labels, **both).prompt_diff  # type: ignore[arg-type]
    assert "-min_coverage: 0.70\n+min_coverage: 0.80" in diff
    assert "give both prompt folders" in compare(runs["good"], other, labels).prompt_diff
    stale = compare(runs["good"], runs["same"], labels, **both).prompt_diff  # type: ignore[arg-type]
    assert "no diff: interview is now" in stale


def test_runs_without_a_common_item_are_refused(
    runs: dict[str, Run], labels: Path, world: pd.DataFrame, prompts: PromptSet, tmp_path: Path
) -> None:
    rest = run_world(world[world["interview_id"] >= "c030"], tmp_path / "rest", prompts)
    with pytest.raises(ConfigError, match="no item that both graded"):
        compare(runs["part"], rest, labels)


def test_test_labels_are_locked_here_too(
    runs: dict[str, Run], labels: Path, world: pd.DataFrame
) -> None:
    names = sorted(world["interview_id"].unique())
    rows = [(name, "test") for name in names]
    write_csv(labels.with_name("splits.csv"), ("interview_id", "split"), rows)
    with pytest.raises(ConfigError, match="--test"):
        compare(runs["good"], runs["noisy"], labels, split="test")
    compare(runs["good"], runs["noisy"], labels, split="test", test=True)
    entry = json.loads(labels.with_name("ledger.jsonl").read_text(encoding="utf-8"))
    assert (entry["metric"], entry["count"]) == ("qwk difference", 1)


def test_command_prints_the_interval_with_the_winner(
    runs: dict[str, Run], labels: Path, tmp_path: Path
) -> None:
    folders = [str(runs[name].folder) for name in ("good", "noisy")]
    page = tmp_path / "compare.md"
    command = ["compare", *folders, "--labels", str(labels), "--markdown", str(page)]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 1
    assert done.output.startswith("B is worse: QWK with a (human raters) 0.")
    assert page.read_text(encoding="utf-8").startswith("# good and noisy: B is worse")
    tree = json.loads(CliRunner().invoke(app, [*command, "--json"]).output)
    assert (tree["outcome"], tree["exit_code"]) == ("B is worse", 1)
