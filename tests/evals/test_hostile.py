"""Label files, rules and options that are wrong, or that would say more than is there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from typer.testing import CliRunner

from evals import agreement
from evals.cli import app
from evals.grades import grader_frame
from evals.labels import BASELINES, read_labels
from evals.sections import number
from evals.splits import read_splits
from evals.thresholds import read_thresholds
from pipeline.errors import ConfigError
from pipeline.prompt import PromptSet, load_prompts
from pipeline.results import Run, queue_of
from tests.conftest import ROOT
from tests.evals.worlds import make_world, run_world, write_csv, write_labels

HEAD = "item_id,criterion,rater,score,note\n"
Write = Callable[[str, str], Path]


@pytest.fixture(scope="module")
def world() -> pd.DataFrame:
    return make_world(20, 3, seed=8)


@pytest.fixture(scope="module")
def run(world: pd.DataFrame, prompts: PromptSet, tmp_path_factory: pytest.TempPathFactory) -> Run:
    return run_world(world, tmp_path_factory.mktemp("runs") / "run", prompts)


@pytest.mark.parametrize(
    "score", ["nan", "inf", "1e0", "0x1", "1_0", "٣", "=3", "'3", "n/a", "None", "6", "-1", "3,5"]
)
def test_what_is_no_score_is_refused(write: Write, score: str) -> None:
    path = write("labels.csv", f'{HEAD}a#1,overall,a,"{score}",\n')
    with pytest.raises(ConfigError, match=r"labels\.csv, line 2: .*(no score|not on the scale)"):
        read_labels(path)


@pytest.mark.parametrize("item", ["a", "a#", "a#0", "#1", "a#x", "a#-1", "a#1.0"])
def test_what_is_no_item_is_refused(write: Write, item: str) -> None:
    with pytest.raises(ConfigError, match="an item_id is <interview id>#<position>"):
        read_labels(write("labels.csv", f"{HEAD}{item},overall,a,3,\n"))


@pytest.mark.parametrize("rater", ["grader", "calibrated", "all raters", *BASELINES])
def test_no_rater_takes_a_name_of_the_tables(write: Write, rater: str) -> None:
    with pytest.raises(ConfigError, match="the rater's name is taken"):
        read_labels(write("labels.csv", f"{HEAD}a#1,overall,{rater},3,\n"))


def test_splits_without_a_line_lock_nothing_and_are_refused(write: Write) -> None:
    with pytest.raises(ConfigError, match="names no interview"):
        read_splits(write("splits.csv", "interview_id,split\n"))


@pytest.mark.parametrize(
    "line",
    ["qwk: .nan", "qwk: 7", "qwk_low: .inf", "bias: -.1", "smd: .inf", "adjacent: 95",
     "min_items: 0", "ungraded: -1"],
)  # fmt: skip
def test_a_limit_that_nothing_can_meet_or_miss_is_refused(write: Write, line: str) -> None:
    name = line.split(":")[0]
    with pytest.raises(ConfigError, match=rf"thresholds\.yaml, line 1: {name}: "):
        read_thresholds(write("thresholds.yaml", f"{line}\n"))


@pytest.mark.parametrize(
    "options",
    [("--seed", "-1"), ("--max-doubt", "-1"), ("--max-doubt", "nan"), ("--label-scale", "0-101"),
     ("--label-scale", "5-0"), ("--label-scale", "x"), ("--markdown", "nowhere/page.md"),
     ("--markdown", "."), ("--out", "labels.csv")],
)  # fmt: skip
def test_a_wrong_option_costs_no_look_at_test_labels(
    run: Run, world: pd.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    options: tuple[str, str],
) -> None:  # fmt: skip
    labels = write_labels(world, tmp_path)
    monkeypatch.chdir(tmp_path)
    names = sorted(world["interview_id"].unique())
    write_csv(tmp_path / "splits.csv", ("interview_id", "split"), [(n, "test") for n in names])
    command = ["eval", str(run.folder), "--labels", str(labels), "--split", "test", "--test"]
    done = CliRunner().invoke(app, [*command, *options])
    refused = isinstance(done.exception, ConfigError) or done.exit_code == 2
    assert refused, (done.output, done.exception)
    assert not (tmp_path / "ledger.jsonl").exists()


@pytest.mark.parametrize("command", ["eval", "compare", "calibrate", "probe"])
def test_no_command_takes_a_seed_below_0(command: str) -> None:
    places = ["a", "b"] if command == "compare" else ["a"]
    needed = ["--out", "x"] if command == "probe" else ["--labels", "x"]
    done = CliRunner().invoke(app, [command, *places, *needed, "--seed", "-1"])
    assert done.exit_code == 2
    assert "greater than or equal to 0" in " ".join(done.output.split())


def test_a_run_by_other_criteria_is_refused(run: Run, world: pd.DataFrame, tmp_path: Path) -> None:
    folder = tmp_path / "other"
    folder.mkdir()
    for path in (ROOT / "prompts" / "interview").glob("*.*"):
        text = path.read_text(encoding="utf-8").replace("depth", "insight")
        (folder / path.name).write_text(text, encoding="utf-8")
    labels = write_labels(world, tmp_path)
    labels.write_text(
        labels.read_text(encoding="utf-8").replace(",depth,", ",insight,"), encoding="utf-8"
    )
    with pytest.raises(ConfigError, match="other criteria than other-"):
        agreement(run, labels, prompts=load_prompts(folder))


def test_doubt_is_the_priority_in_the_review_queue(run: Run, prompts: PromptSet) -> None:
    """What `--max-doubt` promises and what a person is shown first are one and the same order."""
    frame = grader_frame(run, prompts.rubric)
    queue = {entry.item_id: entry.priority for entry in queue_of(run, prompts.rubric)}
    assert frame["doubt"].max() == max(queue.values()) > 0
    assert frame["doubt"].to_dict() == {item: queue.get(item, 0) for item in frame.index}


@pytest.mark.parametrize(
    ("value", "text"), [(-0.001, "0.00"), (0.0, "0.00"), (-0.006, "-0.01"), (None, "–")]
)
def test_nothing_is_printed_as_less_than_nothing(value: float | None, text: str) -> None:
    assert number(value) == text
