"""The bench: both arms run, nothing is lost under faults, and the table says what it shows."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from evals.bench.arms import Cost
from evals.bench.reading import measure_reading
from evals.bench.rounds import Result, Round, figures
from evals.bench.server import Behaviour
from evals.cli import app


def bench(*options: str) -> dict[str, float]:
    done = CliRunner().invoke(app, ["bench", "--items", "40", "--rounds", "1", "--json", *options])
    assert done.exit_code == 0, done.output
    return json.loads(done.output)  # type: ignore[no-any-return]


def test_both_arms_are_measured_over_the_same_items() -> None:
    said = bench("--latency", "0.01", "--concurrency", "8")
    assert (said["items"], said["ungraded"]) == (40, 0)
    assert said["cpu_ratio"] == pytest.approx(said["grader_cpu_ms"] / said["bare_cpu_ms"])
    assert said["wall_to_ideal"] >= 1
    assert said["whole_cpu_ms"] > said["grader_cpu_ms"]


def test_under_faults_no_item_is_lost() -> None:
    said = bench(
        "--latency", "0.005", "--refused", "0.1", "--malformed", "0.1", "--concurrency", "auto"
    )
    assert said["bare_cpu_ms"] is None
    assert said["ungraded"] <= 40 * 0.05


def test_figures_are_medians_of_paired_rounds() -> None:
    rounds = tuple(
        Round(Cost(10, cpu, 1.0), Cost(10, 3 * cpu, wall, whole_cpu=4 * cpu))
        for cpu, wall in ((1.0, 2.0), (2.0, 3.0), (9.0, 9.0))
    )
    said = figures(Result(Behaviour(latency=0.1), 2, rounds, 100.0))
    assert said["cpu_ratio"] == 3
    assert said["bare_cpu_ms"] == 200
    assert said["wall_to_ideal"] == pytest.approx(3.0 / (10 * 0.1 / 2))


def test_table_names_what_it_shows() -> None:
    options = ["bench", "--items", "20", "--rounds", "1", "--latency", "0.001"]
    done = CliRunner().invoke(app, options)
    assert done.exit_code == 0, done.output
    for words in ("bare client", "CPU ms an item", "times the CPU", "peak memory"):
        assert words in done.output


def test_bench_of_reading_counts_every_item_of_both_forms() -> None:
    figures = measure_reading(400)
    assert [(one.form, one.items) for one in figures] == [("jsonl", 400), ("csv", 400)]
    assert all(one.items_per_cpu_second > 0 for one in figures)


def test_a_whole_command_is_measured_on_a_table() -> None:
    said = bench("--large", "--latency", "0.001", "--concurrency", "8")
    assert said["items"] == 40
    assert said["peak_mib"] > 20
    assert 0 < said["start"] < 120
    assert said["cpu_seconds"] > 0


def test_keeping_an_outcome_is_measured_in_every_way() -> None:
    done = CliRunner().invoke(app, ["bench", "--journal", "--items", "20", "--json"])
    assert done.exit_code == 0, done.output
    said = [json.loads(line) for line in done.output.splitlines()]
    assert [one["items"] for one in said] == [20, 20, 20]
    assert len({one["way"] for one in said}) == 3
    assert all(0 < one["low"] <= one["median"] <= one["high"] <= one["longest"] for one in said)
