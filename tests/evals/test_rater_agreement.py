"""Raters with each other, without any run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from evals.cli import app
from evals.metrics import quadratic_weighted_kappa
from evals.rater_agreement import rater_agreement
from pipeline.errors import ConfigError
from tests.evals.worlds import make_world, write_csv, write_labels
from tests.scripted import KEYS


def test_raters_are_held_against_each_other_by_criterion(tmp_path: Path) -> None:
    world = make_world(30, 3, seed=2)
    labels = write_labels(world, tmp_path, kind="model")
    header = ("pair", "zh_interview", "en_interview")
    write_csv(tmp_path / "pairs.csv", header, [("p", "c000", "c001")])
    figures = rater_agreement(labels, criteria=KEYS, scale=(0, 5), draws=200)
    kappas = figures[figures["metric"] == "qwk"]
    assert set(kappas["criterion"]) == {*KEYS, "overall"}
    assert (kappas["kind"] == "model").all()
    assert (kappas["clusters"] == 29).all()
    expected = quadratic_weighted_kappa(world["a"], world["b"])
    assert kappas["value"].tolist() == pytest.approx([expected] * 6)


def test_command_prints_the_kind_of_raters(tmp_path: Path) -> None:
    labels = write_labels(make_world(24, 3), tmp_path, kind="model")
    command = ["label", "agreement", "--labels", str(labels)]
    done = CliRunner().invoke(app, command)
    assert "Raters with each other (MODEL labels, not people)" in done.output
    assert len(json.loads(CliRunner().invoke(app, [*command, "--json"]).output)) == 6 * 10
    one = write_labels(make_world(3, 3), tmp_path / "one", raters="a")
    done = CliRunner().invoke(app, ["label", "agreement", "--labels", str(one)])
    assert isinstance(done.exception, ConfigError)
