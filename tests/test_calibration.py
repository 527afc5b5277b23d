"""A calibration file applied: beside the raw scores, monotone, bounded, for its own run only."""

from __future__ import annotations

import json
import shutil
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from pipeline import grade
from pipeline.calibration import Calibration, along, calibrate_grade, choose_calibration
from pipeline.cli import app
from pipeline.errors import ConfigError
from pipeline.prompt import CALIBRATION, PromptSet, load_prompts
from pipeline.records import Interview, Item, Messages, Rubric
from pipeline.results import Run, read_results
from pipeline.scoring import grade_verdict, zero_grade
from pipeline.verdict import parse_verdict
from tests.conftest import ROOT, SECRET
from tests.scripted import KEYS, verdict_json

ANSWER = "索引是一种有序的数据结构，用来加快查找。"
POINTS = st.integers(0, 500).map(lambda cents: Decimal(cents) / 100)
UNHURRIED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
"""A busy machine is no fault of what is tested."""
CURVES = st.lists(POINTS, min_size=1, max_size=6, unique=True).flatmap(
    lambda raw: st.lists(POINTS, min_size=len(raw), max_size=len(raw)).map(
        lambda levels: tuple(zip(sorted(raw), sorted(levels), strict=True))
    )
)


@pytest.fixture
def own_set(tmp_path: Path) -> PromptSet:
    """A copy of the prompt set, to put a calibration into."""
    folder = tmp_path / "interview"
    shutil.copytree(ROOT / "prompts" / "interview", folder)
    return load_prompts(folder)


def tree_for(prompts: PromptSet, **changed: Any) -> dict[str, Any]:
    """A file that takes a point off everything but 0, for runs by the function endpoint."""
    curve = [[0, 0], [1, 0], [5, 4]]
    tree: dict[str, Any] = {
        "format": 1, "kind": "curves", "model": "function", "prompt_version": prompts.version,
        "score_mode": "verdict", "scale": [0, 5], "n": 50, "labels_sha256": "0" * 64,
        "rater_kind": "model", "measured": "QWK .50", "curves": dict.fromkeys(KEYS, curve),
    }  # fmt: skip
    return tree | changed


def write(prompts: PromptSet, **changed: Any) -> Path:
    path = prompts.folder / CALIBRATION
    path.write_text(json.dumps(tree_for(prompts, **changed)), encoding="utf-8")
    return path


def run_once(prompts: PromptSet, out: Path, **options: Any) -> Run:
    """One answer that gets 4 on every criterion, and a blank one."""
    items = (
        Item(
            item_id="a#1", question="什么是索引", answer="索引是一种有序的数据结构，用来加快查找。"
        ),
        Item(item_id="a#2", question="什么是事务", answer=""),
    )
    interview = Interview(id="a", source="made up", language="zh", items=items)

    def function(messages: Messages) -> str:
        return verdict_json(4, quote=ANSWER)

    return grade(
        [interview], prompts=prompts, endpoint=function, out=out, secret=SECRET,
        **options,
    )  # fmt: skip


@UNHURRIED
@given(curve=CURVES, raw=st.lists(POINTS, min_size=2, max_size=8))
def test_curves_are_bounded_monotone_and_those_that_were_fitted(
    curve: tuple[tuple[Decimal, Decimal], ...], raw: list[Decimal]
) -> None:
    bent = [along(curve, value) for value in sorted(raw)]
    assert all(curve[0][1] <= value <= curve[-1][1] for value in bent)
    assert all(low <= high for low, high in pairwise(bent))
    x, y = (np.array([float(point[place]) for point in curve]) for place in (0, 1))
    theirs = np.interp([float(value) for value in sorted(raw)], x, y)
    assert [float(value) for value in bent] == pytest.approx(theirs, abs=1e-9)


@pytest.mark.parametrize(
    ("changed", "fault"),
    [
        ({"kind": "ordinal"}, "kind: Input should be 'curves'"),
        ({"format": 2}, "format"),
        ({"measured": None}, "measured"),
        ({"curves": {"depth": []}}, r"curves\.depth"),
        ({"curves": {"depth": [[0, 0], [0, 1]]}}, "the curve of depth does not rise"),
        ({"curves": {"depth": [[0, 2], [3, 1]]}}, "the curve of depth does not rise"),
        ({"curves": {"depth": [[0, 0], [5, 6]]}}, "the curve of depth leaves the scale, 0 to 5"),
        ({"curves": {"depth": [[0, "NaN"]]}}, r"curves\.depth"),
        ({"curves": {"charm": [[0, 0]]}}, "a curve for charm, which is no criterion"),
        ({"scale": [0, 10]}, "is for a scale of 0 to 10"),
        ({"model": "another"}, "was fitted for model 'another', and this run is by 'function'"),
        ({"score_mode": "expected"}, "score mode 'expected', and this run is by 'verdict'"),
        ({"prompt_version": "interview-00000000"}, "prompt version 'interview-00000000'"),
    ],
)
def test_a_named_file_that_does_not_fit_is_refused(
    own_set: PromptSet, tmp_path: Path, changed: dict[str, Any], fault: str
) -> None:
    path = write(own_set, **changed)
    with pytest.raises(ConfigError, match=fault):
        run_once(own_set, tmp_path / "run", calibration=path)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "3", '{"curves": ' + "[" * 5000])
def test_what_is_no_calibration_is_refused(own_set: PromptSet, text: str) -> None:
    (own_set.folder / CALIBRATION).write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match="is no calibration"):
        choose_calibration(None, own_set, "verdict", "function")
    with pytest.raises(ConfigError, match="cannot be read"):
        choose_calibration("nowhere.json", own_set, "verdict", "function")


def test_the_file_of_the_set_is_left_out_with_the_reason_where_it_does_not_fit(
    own_set: PromptSet, tmp_path: Path
) -> None:
    write(own_set, model="another")
    run = run_once(own_set, tmp_path / "run")
    assert not [name for name in run.grades if "calibrated" in name]
    assert run.manifest["calibration"] is None
    assert "was fitted for model 'another'" in run.manifest["calibration_left_out"]
    shown = CliRunner().invoke(app, ["show", str(run.folder)])
    assert "No calibrated columns: calibration.json of the prompt set was fitted" in shown.output


def test_columns_stand_beside_the_raw_scores_and_come_and_go(
    own_set: PromptSet, tmp_path: Path
) -> None:
    """The same command on a run adds the columns, and takes them away with the file."""
    raw = run_once(own_set, tmp_path / "run").grades
    path = write(own_set)
    assert load_prompts(own_set.folder).version == own_set.version
    run = run_once(own_set, tmp_path / "run")
    both = run.grades
    pd.testing.assert_frame_equal(both[raw.columns], raw)
    names = list(both.columns)
    assert names.index("calibrated") == names.index("spread") + 1
    assert names[-5:] == [f"calibrated_{key}" for key in KEYS]
    first, blank = (both.iloc[place] for place in (0, 1))
    assert (first["overall"], first["calibrated"], first["calibrated_depth"]) == (4, 3, 3)
    assert first["calibrated_evidence"] is pd.NA  # a concept question does not ask for it
    assert (blank["status"], blank["calibrated"]) == ("blank", 0)
    assert run.manifest["calibration"]["measured"] == "QWK .50"
    assert len(run.manifest["calibration"]["sha256"]) == 64
    csv = (run.folder / "grades.csv").read_text(encoding="utf-8-sig")
    assert ",calibrated," in csv.splitlines()[0]
    again = read_results(run.folder, own_set.rubric)
    pd.testing.assert_frame_equal(again.grades, both)
    off = run_once(own_set, tmp_path / "run", calibration="off")
    pd.testing.assert_frame_equal(off.grades, raw)
    path.unlink()
    assert "calibrated" not in run_once(own_set, tmp_path / "run").grades


def test_command_line_refuses_a_named_file_with_2(own_set: PromptSet, tmp_path: Path) -> None:
    path = write(own_set)
    source = tmp_path / "a.txt"
    source.write_text("问题1：什么是索引\n回答：有序的结构\n", encoding="utf-8")
    command = [
        "grade", str(source), "--out", str(tmp_path / "run"), "--model", "m", "--prompts",
        str(own_set.folder), "--base-url", "http://127.0.0.1:9/v1", "--calibration", str(path),
    ]  # fmt: skip
    done = CliRunner().invoke(app, command)
    assert isinstance(done.exception, ConfigError), (done.output, done.exception)
    assert done.exception.exit_code == 2
    assert "was fitted for model 'function'" in str(done.exception)


def grade_of(scores: dict[str, int], rubric: Rubric) -> Any:
    verdict = parse_verdict(verdict_json(scores, quote=ANSWER), rubric)
    return grade_verdict(verdict, ANSWER, rubric, mode="verdict")


def test_overall_is_the_formula_with_its_caps(own_set: PromptSet) -> None:
    rubric = own_set.rubric
    whole = grade_of(dict.fromkeys(KEYS, 4), rubric)
    low = {"correctness": [[0, 0], [5, 2]]}
    bent = calibrate_grade(Calibration(**tree_for(own_set, curves=low)), whole, rubric)
    assert bent.criteria["correctness"] == Decimal("1.6")
    assert bent.criteria["depth"] == 4
    assert bent.overall == 3  # 1.6 counts as 2 for the caps, and 2 caps at 3
    alone = Calibration(**tree_for(own_set, curves={"overall": [[0, 1], [5, 3]]}))
    assert calibrate_grade(alone, whole, rubric).overall == Decimal("2.6")
    assert calibrate_grade(alone, zero_grade(rubric), rubric).overall == 0


@UNHURRIED
@given(
    curves=st.fixed_dictionaries(dict.fromkeys(KEYS, CURVES)),
    low=st.lists(st.integers(0, 5), min_size=5, max_size=5),
    more=st.lists(st.integers(0, 5), min_size=5, max_size=5),
)
def test_a_better_verdict_is_never_worse_after_calibration(
    prompts: PromptSet, curves: dict[str, Any], low: list[int], more: list[int]
) -> None:
    calibration = Calibration(**tree_for(prompts, curves=curves))
    high = [min(5, a + b) for a, b in zip(low, more, strict=True)]
    overalls = [
        calibrate_grade(
            calibration, grade_of(dict(zip(KEYS, scores, strict=True)), prompts.rubric),
            prompts.rubric,
        ).overall
        for scores in (low, high)
    ]  # fmt: skip
    assert 0 <= overalls[0] <= overalls[1] <= 5
