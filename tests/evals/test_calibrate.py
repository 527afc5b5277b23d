"""Calibration: monotone, worth measured on who was left out, never on test."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from evals.calibrate import calibrate
from evals.cli import app
from evals.curves import apply_curve, fit_curve, left_out_scores, pool_adjacent
from pipeline.errors import ConfigError
from pipeline.prompt import PromptSet
from tests.evals.worlds import make_world, run_world, write_csv, write_labels


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


def test_nobody_is_scored_by_a_curve_that_saw_them() -> None:
    """Labels that are noise: in the fit they look learnt, left out they do not."""
    rng = np.random.default_rng(2)
    clusters = np.repeat(np.arange(30), 2)
    raw, labels = rng.normal(3, 1, 60), rng.integers(0, 6, 60).astype(float)
    curve = fit_curve(raw, labels)
    assert curve is not None
    inside = np.corrcoef(apply_curve(curve, raw), labels)[0, 1]
    outside = np.corrcoef(left_out_scores(raw, labels, clusters), labels)[0, 1]
    assert outside < inside


def test_lenient_grader_gains_and_test_labels_stay_locked(
    prompts: PromptSet, tmp_path: Path
) -> None:
    world = make_world(45, 4, seed=6)

    def lenient(answer: str, true: float) -> int:
        return int(np.clip(round(2.5 + 0.5 * true), 0, 5))

    run = run_world(world, tmp_path / "run", prompts, grader=lenient)
    labels = write_labels(world, tmp_path / "seeds")
    splits = ["train", "dev", "dev", "test", "dev"] * 9
    names = sorted(world["interview_id"].unique())
    header = ("interview_id", "split")
    write_csv(labels.with_name("splits.csv"), header, zip(names, splits, strict=True))
    result = calibrate(run, labels, prompts=prompts, draws=200)
    assert result.about["n"] == 36 * 4
    worth = result.worth.set_index(["criterion", "metric"])
    assert worth.loc[("overall", "mae"), "high"] < 0
    assert not labels.with_name("ledger.jsonl").exists()
    out = tmp_path / "calibration.json"
    command = ["calibrate", str(run.folder), "--labels", str(labels), "--out", str(out)]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0, (done.output, done.exception)
    tree = json.loads(out.read_text(encoding="utf-8"))
    assert tree["prompt_version"] == run.manifest["prompt_version"]
    assert set(tree["curves"]) >= {"overall", "depth"}
    assert len(tree["labels_sha256"]) == 64


def test_few_labels_cannot_calibrate(prompts: PromptSet, tmp_path: Path) -> None:
    world = make_world(3, 2, seed=6)
    run = run_world(world, tmp_path / "run", prompts)
    with pytest.raises(ConfigError, match="too few"):
        calibrate(run, write_labels(world, tmp_path / "seeds"), prompts=prompts)
