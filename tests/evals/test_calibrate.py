"""Calibration: monotone, worth measured on who was left out, never on test."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from evals import agreement
from evals.calibrate import calibrate, write_calibration
from evals.cli import app
from evals.curves import apply_curve, fit_curve, pool_adjacent
from evals.fitting import calibrated_table, fit_curves, left_out_table
from evals.grades import grader_frame
from evals.label_set import read_label_set
from evals.printing import agreement_markdown
from evals.study import make_study
from pipeline.calibration import read_calibration
from pipeline.errors import ConfigError
from pipeline.prompt import CALIBRATION, PromptSet, load_prompts
from tests.conftest import ROOT
from tests.evals.worlds import make_world, run_world, write_csv, write_labels
from tests.scripted import KEYS


def test_pooling_equals_scikit_learn() -> None:
    isotonic = pytest.importorskip("sklearn.isotonic")
    rng = np.random.default_rng(0)
    for _ in range(20):
        values, weights = rng.normal(0, 1, 9), rng.integers(1, 9, 9).astype(float)
        theirs = isotonic.isotonic_regression(values, sample_weight=weights)
        assert pool_adjacent(values, weights) == pytest.approx(theirs)


def test_curve_rises_and_mends_a_lenient_squeezed_grader() -> None:
    rng = np.random.default_rng(1)
    labels = rng.integers(0, 6, 300).astype(float)
    raw = 3 + 0.4 * labels + rng.normal(0, 0.2, 300)
    curve = fit_curve(raw, labels)
    assert curve is not None
    assert len(curve) <= 5
    assert list(curve) == sorted(curve)
    assert all(a[1] <= b[1] for a, b in pairwise(curve))
    mended = apply_curve(curve, raw)
    assert abs(mended - labels).mean() < 0.5 < abs(raw - labels).mean()
    assert np.isnan(apply_curve(curve, np.array([np.nan]))[0])


def test_too_few_answers_and_constant_scores_give_no_curve() -> None:
    few = np.arange(10, dtype=float)
    assert fit_curve(few, few) is None
    assert fit_curve(np.full(50, 3.0), np.arange(50, dtype=float)) is None


@pytest.fixture
def own_set(tmp_path: Path) -> PromptSet:
    """A copy of the prompt set, to write a calibration into."""
    folder = tmp_path / "interview"
    shutil.copytree(ROOT / "prompts" / "interview", folder)
    return load_prompts(folder)


def lenient(answer: str, true: float) -> int:
    """A grader that squeezes all it sees into the upper half."""
    return int(np.clip(round(2.5 + 0.5 * true), 0, 5))


def blind(answer: str, true: float) -> int:
    """A grader that counts letters."""
    return sum(map(ord, answer)) % 6


def with_splits(world: pd.DataFrame, labels: Path) -> None:
    """Of five candidates one is in train, one in test, three are in dev."""
    names = sorted(world["interview_id"].unique())
    splits = ["train", "dev", "dev", "test", "dev"] * (len(names) // 5)
    rows = zip(names, splits, strict=True)
    write_csv(labels.with_name("splits.csv"), ("interview_id", "split"), rows)


def test_nobody_is_scored_by_a_curve_that_saw_them(prompts: PromptSet, tmp_path: Path) -> None:
    """Labels that are noise: in the fit they look learnt, left out they do not."""
    world = make_world(30, 2, seed=2)
    rng = np.random.default_rng(2)
    noise = world.assign(a=rng.integers(0, 6, 60).astype(float))
    run = run_world(world, tmp_path / "run", prompts)
    known = read_label_set(
        write_labels(noise, tmp_path / "seeds", raters="a"), scale=(0, 5), criteria=KEYS
    )
    study = make_study(grader_frame(run, prompts.rubric), known, prompts.rubric, scale=(0, 5))
    everything = np.ones(len(study.items), dtype=bool)
    seen = calibrated_table(study, fit_curves(study), prompts.rubric, everything)
    out = left_out_table(study, prompts.rubric)
    assert out.index.equals(study.items.index)
    labels = study.scores["depth"]["a"]
    inside, outside = (labels.corr(table["depth"]) for table in (seen, out))
    assert outside < inside


def test_fit_and_application_are_the_same_arithmetic(own_set: PromptSet, tmp_path: Path) -> None:
    """What evals measures is what pipeline puts into the table, to the last decimal."""
    world = make_world(40, 4, seed=6)
    run = run_world(world, tmp_path / "run", own_set, grader=lenient)
    labels = write_labels(world, tmp_path / "seeds")
    result = calibrate(run, labels, prompts=own_set, draws=50)
    write_calibration(result, own_set.folder / CALIBRATION)
    table = run_world(world, tmp_path / "run", own_set, grader=lenient).grades
    known = read_label_set(labels, scale=(0, 5), criteria=KEYS)
    study = make_study(grader_frame(run, own_set.rubric), known, own_set.rubric, scale=(0, 5))
    everything = np.ones(len(study.items), dtype=bool)
    bent = calibrated_table(study, dict(result.curves), own_set.rubric, everything)
    applied = table.set_index("item_id").loc[bent.index]
    for key in KEYS:
        column = applied[f"calibrated_{key}"].to_numpy("float64", na_value=np.nan)
        assert bent[key].to_numpy() == pytest.approx(column, abs=1e-9)
    assert bent["overall"].to_numpy() == pytest.approx(applied["calibrated"].to_numpy("float64"))


def test_round_trip_shows_raw_and_calibrated_agreement(own_set: PromptSet, tmp_path: Path) -> None:
    """Fit on train and dev, file into the set, grade, hold against the locked test labels."""
    world = make_world(100, 4, seed=6)
    run = run_world(world, tmp_path / "run", own_set, grader=lenient)
    labels = write_labels(world, tmp_path / "seeds")
    with_splits(world, labels)
    command = ["calibrate", str(run.folder), "--labels", str(labels)]
    done = CliRunner().invoke(app, [*command, "--prompts", str(own_set.folder)])
    assert done.exit_code == 0, (done.output, done.exception)
    assert "Measured: QWK of the overall with a (human raters)" in done.output
    assert "Fit for use on answers like these (PASS): QWK" in done.output
    assert not labels.with_name("ledger.jsonl").exists()
    tree = json.loads((own_set.folder / CALIBRATION).read_text(encoding="utf-8"))
    assert (tree["n"], tree["clusters"], tree["rater_kind"]) == (320, 80, "human")
    assert tree["prompt_version"] == run.manifest["prompt_version"] == own_set.version
    assert set(tree["curves"]) == set(KEYS)
    assert len(tree["labels_sha256"]) == 64
    worth = pd.DataFrame(tree["worth"]).set_index(["criterion", "metric"])
    assert worth.loc[("overall", "mae"), "high"] < 0

    again = run_world(world, tmp_path / "run", own_set, grader=lenient)
    assert len(again.outcomes) == len(run.outcomes)
    result = agreement(again, labels, prompts=own_set, split="test", test=True, draws=200)
    raw, bent = (result.value("mae", first=name) or 0 for name in ("grader", "calibrated"))
    assert bent < raw - 0.2
    assert (result.value("qwk", first="calibrated") or 0) > (result.value("qwk") or 0)
    gain = result.value("qwk difference", first="calibrated less grader")
    assert gain == pytest.approx(
        (result.value("qwk", first="calibrated") or 0) - (result.value("qwk") or 0)
    )
    assert any(note.startswith("calibrated rows: curves of 320 answers") for note in result.notes)
    text = agreement_markdown(result)
    assert "| calibrated – a | 80 |" in text
    assert "| depth, calibrated |" in text

    seen = agreement(again, labels, prompts=own_set, draws=200)
    assert any("these rows flatter them" in note for note in seen.notes)
    assert seen.facts["raters"] == "a, b"


def test_labels_of_the_overall_alone_give_one_curve(own_set: PromptSet, tmp_path: Path) -> None:
    world = make_world(40, 4, seed=6)
    run = run_world(world, tmp_path / "run", own_set, grader=lenient)
    labels = write_labels(world, tmp_path / "seeds")
    rows = labels.read_text(encoding="utf-8").splitlines(keepends=True)
    text = "".join(row for row in rows if ",overall," in row or row.startswith("item_id"))
    labels.write_text(text, encoding="utf-8")
    result = calibrate(run, labels, prompts=own_set, draws=50)
    assert set(result.curves) == {"overall"}
    write_calibration(result, own_set.folder / CALIBRATION)
    table = run_world(world, tmp_path / "run", own_set, grader=lenient).grades
    assert (table["calibrated"] - table["overall"]).mean() < -0.3
    assert (table["calibrated_depth"] == table["depth"]).all()


def test_a_file_for_something_else_is_not_overwritten(own_set: PromptSet, tmp_path: Path) -> None:
    world = make_world(40, 4, seed=6)
    run = run_world(world, tmp_path / "run", own_set, grader=lenient)
    result = calibrate(run, write_labels(world, tmp_path / "seeds"), prompts=own_set, draws=50)
    path = own_set.folder / CALIBRATION
    write_calibration(result, path)
    write_calibration(result, path)
    other = replace(result, about={**result.about, "model": "another"})
    with pytest.raises(ConfigError, match="holds a calibration for endpoint, interview-"):
        write_calibration(other, path)
    write_calibration(other, path, replace=True)
    assert read_calibration(path).model == "another"
    with pytest.raises(ConfigError, match=r"cannot be written .* Give --out"):
        write_calibration(result, tmp_path / "nowhere" / "file.json")


def test_a_run_of_another_version_is_refused(
    own_set: PromptSet, prompts: PromptSet, tmp_path: Path
) -> None:
    world = make_world(40, 4, seed=6)
    run = run_world(world, tmp_path / "run", own_set)
    labels = write_labels(world, tmp_path / "seeds")
    (own_set.folder / "CHANGELOG.md").write_text("changed", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"graded with the prompt set interview-\w+, not with"):
        calibrate(run, labels, prompts=load_prompts(own_set.folder), draws=50)


def test_few_labels_cannot_calibrate(prompts: PromptSet, tmp_path: Path) -> None:
    world = make_world(3, 2, seed=6)
    run = run_world(world, tmp_path / "run", prompts)
    with pytest.raises(ConfigError, match=r"too few.*Label weak and strong") as caught:
        calibrate(run, write_labels(world, tmp_path / "seeds"), prompts=prompts)
    assert caught.value.exit_code == 3


def test_what_a_curve_cannot_mend_is_not_fit_for_use(own_set: PromptSet, tmp_path: Path) -> None:
    """A grader whose scores have nothing to do with the labels."""
    world = make_world(30, 3, seed=6)
    run = run_world(world, tmp_path / "run", own_set, grader=blind)
    labels = write_labels(world, tmp_path / "seeds")
    command = ["calibrate", str(run.folder), "--labels", str(labels)]
    done = CliRunner().invoke(app, [*command, "--prompts", str(own_set.folder)])
    assert done.exit_code == 1, (done.output, done.exception)
    assert "NOT fit for use without a person (FAIL): QWK" in done.output
