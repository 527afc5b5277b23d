"""A run held against labels: what the figures are about, and which verdict comes of them."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from typer.testing import CliRunner

from evals import agreement
from evals.cli import app
from evals.measure import Agreement
from evals.metrics import quadratic_weighted_kappa
from pipeline.errors import ConfigError
from pipeline.prompt import PromptSet
from pipeline.results import Run
from tests.evals.worlds import CONCEPT, make_world, run_world, write_csv, write_labels

BLANK = "c000#1"


@pytest.fixture(scope="module")
def world() -> pd.DataFrame:
    return make_world(40, 4, seed=3)


@pytest.fixture(scope="module")
def run(world: pd.DataFrame, prompts: PromptSet, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A good grader; one answer is blank."""
    return run_world(world, tmp_path_factory.mktemp("runs") / "good", prompts, blank=[BLANK])


@pytest.fixture
def labels(world: pd.DataFrame, tmp_path: Path) -> Path:
    return write_labels(world, tmp_path / "seeds")


@pytest.fixture
def measure(run: Run, labels: Path, prompts: PromptSet) -> Callable[..., Agreement]:
    def measured(**options: object) -> Agreement:
        return agreement(run, labels, prompts=prompts, draws=200, **options)  # type: ignore[arg-type]

    return measured


def test_good_grader_passes_on_labels_by_people(measure: Callable[..., Agreement]) -> None:
    result = measure()
    assert (result.verdict, result.exit_code) == ("PASS", 0), result.reasons
    assert result.facts["kind"] == "human"
    assert (result.facts["n"], result.facts["clusters"]) == (159, 40)


def test_figures_are_about_graded_answers_only(
    measure: Callable[..., Agreement], run: Run, world: pd.DataFrame
) -> None:
    result = measure()
    graded = run.grades[run.grades["status"] == "scored"].set_index("item_id")["overall"]
    points = (graded.astype(float) + 0.5).astype(int)
    expected = quadratic_weighted_kappa(points, world.loc[points.index, "a"])
    assert result.value("qwk") == pytest.approx(expected)
    assert dict(result.coverage) == {"scored": 159, "blank": 1}
    blank = result.blanks.set_index("status").loc["blank"]
    assert (blank["items"], blank["labelled"]) == (1, 1)


def test_table_holds_every_pair_and_every_part(measure: Callable[..., Agreement]) -> None:
    frame = measure().figures
    pooled = frame[(frame["scope"] == "pooled") & (frame["metric"] == "qwk")]
    assert set(zip(pooled["first"], pooled["second"], strict=True)) == {
        ("grader", "a"), ("grader", "b"), ("a", "b")
    }  # fmt: skip
    assert set(pooled["criterion"]) == {
        "relevance", "correctness", "depth", "evidence", "clarity", "overall"
    }  # fmt: skip
    assert set(frame["scope"]) == {
        "pooled", "candidates", "formula", "baseline", "language", "question_type", "question",
        "band",
    }  # fmt: skip
    assert set(frame.loc[frame["scope"] == "language", "group"]) == {"zh", "en"}
    assert (frame["n"] > 0).all()
    missing = frame["value"].isna() | frame["low"].isna()
    assert (frame.loc[missing, "why"] != "").all()


def test_baselines_are_held_to_the_same_labels(measure: Callable[..., Agreement]) -> None:
    result = measure()
    grader = result.value("qwk") or 0
    for name in ("length", "tf-idf", "shuffled"):
        value = result.value("qwk", first=name)
        assert value is not None
        assert abs(value) < 0.3 < grader
        assert result.value("qwk difference", first=f"grader less {name}") == pytest.approx(
            grader - value
        )


def test_length_baseline_finds_labels_that_are_length(
    world: pd.DataFrame, prompts: PromptSet, tmp_path: Path
) -> None:
    """Where raters pay for length alone, the baseline must be good and the grader must fail."""
    long = world.copy()
    lengths = long["answer"].str.len()
    ranks = (lengths.rank(method="first", pct=True) * 5.99).astype(int)
    long["a"] = long["b"] = ranks.astype(float)
    path = write_labels(long, tmp_path / "seeds")
    run = run_world(long, tmp_path / "run", prompts)
    result = agreement(run, path, prompts=prompts, draws=200)
    assert (result.value("qwk", first="length") or 0) > 0.85
    assert result.verdict == "FAIL"
    assert any("qwk above length" in reason for reason in result.reasons)


def test_constant_grader_fails_and_is_not_saved_by_adjacent(
    world: pd.DataFrame, labels: Path, prompts: PromptSet, tmp_path: Path
) -> None:
    run = run_world(world, tmp_path / "run", prompts, grader=lambda answer, true: 3)
    result = agreement(run, labels, prompts=prompts, draws=200)
    assert result.value("qwk") == pytest.approx(0, abs=1e-9)
    assert result.value("kendall tau-b") is None
    assert result.verdict == "FAIL"


def test_lenient_grader_fails_on_bias(
    world: pd.DataFrame, labels: Path, prompts: PromptSet, tmp_path: Path
) -> None:
    run = run_world(
        world,
        tmp_path / "run",
        prompts,
        grader=lambda answer, true: min(5, max(0, round(true) + 1)),
    )
    result = agreement(run, labels, prompts=prompts, draws=200)
    assert (result.value("bias") or 0) > 0.5
    assert any(reason.startswith("bias") for reason in result.reasons)


def test_model_labels_pass_only_where_accepted(
    run: Run, world: pd.DataFrame, prompts: PromptSet, tmp_path: Path
) -> None:
    path = write_labels(world, tmp_path / "model", kind="model")
    result = agreement(run, path, prompts=prompts, draws=200)
    assert (result.verdict, result.exit_code) == ("INCONCLUSIVE", 3)
    assert "--accept-model-labels" in result.reasons[0]
    accepted = agreement(run, path, prompts=prompts, draws=200, accept_model_labels=True)
    assert accepted.verdict == "PASS"
    assert "not all by human raters" in accepted.reasons[0]
    (path.parent / "raters.csv").unlink()
    unknown = agreement(run, path, prompts=prompts, draws=200)
    assert (unknown.verdict, unknown.facts["kind"]) == ("INCONCLUSIVE", "unknown")


def test_criterion_that_is_not_asked_for_is_neither_judged_nor_weighed(
    world: pd.DataFrame, prompts: PromptSet, tmp_path: Path
) -> None:
    """Raters who give evidence all the same must not move the formula by it."""
    run = run_world(world, tmp_path / "run", prompts, asks=CONCEPT)
    path = write_labels(world, tmp_path / "seeds")
    rows = list(csv.reader(path.read_text(encoding="utf-8").splitlines()))
    for row in rows:
        row[3] = "0" if row[1] == "evidence" else row[3]
    write_csv(path, rows[0], rows[1:])
    result = agreement(run, path, prompts=prompts, draws=200)
    assert result.value("qwk", first="formula of a", second="a") == 1
    for row in rows:
        row[3] = "" if row[1] == "evidence" else row[3]
    write_csv(path, rows[0], rows[1:])
    result = agreement(run, path, prompts=prompts, draws=200)
    assert result.value("qwk", criterion="evidence") is None
    assert "qwk of evidence" not in [check.name for check in result.checks]
    assert "qwk of depth" in [check.name for check in result.checks]


def test_few_labels_settle_nothing(
    run: Run, world: pd.DataFrame, prompts: PromptSet, tmp_path: Path
) -> None:
    path = write_labels(world.iloc[:49], tmp_path / "few")
    result = agreement(run, path, prompts=prompts, draws=200)
    assert result.verdict == "INCONCLUSIVE"
    assert "at least 50 are needed" in result.reasons[0]


def test_one_rater_is_inconclusive_unless_the_rule_is_switched_off(
    run: Run, world: pd.DataFrame, prompts: PromptSet, tmp_path: Path
) -> None:
    path = write_labels(world, tmp_path / "one", raters="a")
    result = agreement(run, path, prompts=prompts, draws=200)
    assert result.verdict == "INCONCLUSIVE"
    assert "degradation is undefined: there is one rater only" in result.reasons[0]
    (path.parent / "thresholds.yaml").write_text("degradation: null\n", encoding="utf-8")
    assert agreement(run, path, prompts=prompts, draws=200).verdict == "PASS"


def test_third_reading_is_the_reference(
    run: Run, world: pd.DataFrame, prompts: PromptSet, tmp_path: Path
) -> None:
    both = world.assign(adjudicated=world["true"].round().clip(0, 5))
    path = write_labels(both, tmp_path / "three", raters="ab")
    lines = path.read_text(encoding="utf-8")
    third = "".join(
        f"{row.item_id},overall,adjudicated,{row.adjudicated:g},\n" for row in both.itertuples()
    )
    path.write_text(lines + third, encoding="utf-8")
    result = agreement(run, path, prompts=prompts, draws=200)
    assert result.facts["reference"] == "adjudicated"
    assert (result.facts["raters"], result.facts["kind"]) == ("a, b", "human")
    assert agreement(run, path, prompts=prompts, against="b").facts["reference"] == "b"
    with pytest.raises(ConfigError, match="no labels by 'c'; there are labels by a, adjudicated"):
        agreement(run, path, prompts=prompts, against="c")


def test_splits_beside_the_labels_are_obeyed(
    measure: Callable[..., Agreement], labels: Path, world: pd.DataFrame
) -> None:
    names = sorted(world["interview_id"].unique())
    rows = [(name, "test" if place % 2 else "dev") for place, name in enumerate(names)]
    write_csv(labels.with_name("splits.csv"), ("interview_id", "split"), rows)
    result = measure()
    assert (result.facts["split"], result.facts["clusters"]) == ("dev", 20)
    for split in ("test", "all"):
        with pytest.raises(ConfigError, match="--test"):
            measure(split=split)
    ledger = labels.with_name("ledger.jsonl")
    assert not ledger.exists()
    looked = measure(test=True)
    assert looked.facts["split"] == "test"
    entry = json.loads(ledger.read_text(encoding="utf-8"))
    assert entry["result"] == looked.value("qwk")
    assert (entry["count"], entry["metric"]) == (1, "qwk")
    assert entry["prompt_version"] == looked.facts["prompt_version"]
    for _ in range(5):
        looked = measure(split="test", test=True)
    assert any("look 6 at the test labels" in note for note in looked.notes)


def test_parity_pair_is_one_cluster(measure: Callable[..., Agreement], labels: Path) -> None:
    header = ("pair", "zh_interview", "en_interview")
    write_csv(labels.with_name("pairs.csv"), header, [("p", "c000", "c001")])
    assert measure().facts["clusters"] == 39


def test_labelled_answers_that_the_run_lacks_are_counted(
    world: pd.DataFrame, labels: Path, prompts: PromptSet, tmp_path: Path
) -> None:
    part = world[world["interview_id"] < "c030"]
    run = run_world(part, tmp_path / "part", prompts)
    result = agreement(run, labels, prompts=prompts, draws=200)
    assert result.coverage["absent"] == 40
    assert "40 labelled answers are not in this run." in result.notes
    assert result.verdict == "FAIL"
    assert any("share without a grade" in reason for reason in result.reasons)


def test_canaries_take_no_part_and_expose_a_leak(
    measure: Callable[..., Agreement], run: Run, labels: Path
) -> None:
    before = measure().value("qwk")
    graded = run.grades[run.grades["status"] == "scored"].head(8)
    with labels.open("a", encoding="utf-8") as file:
        for row in graded.itertuples():
            file.write(f"{row.item_id},overall,canary,{5 if row.overall < 2.5 else 0},\n")
    result = measure()
    assert result.value("qwk") == before
    assert not [note for note in result.notes if "LEAK" in note]
    grades = graded.set_index("item_id")["overall"]
    rows = list(csv.reader(labels.read_text(encoding="utf-8").splitlines()))
    for row in rows:
        if row[0] in grades.index and row[1] == "overall":
            seen = round(grades[row[0]])
            row[3] = str(seen) if row[2] == "canary" else "0" if seen > 2 else "5"
    write_csv(labels, rows[0], rows[1:])
    assert [note for note in measure().notes if "LEAK" in note]


def test_canaries_alone_measure_nothing(run: Run, prompts: PromptSet, tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    header = ("item_id", "criterion", "rater", "score", "note")
    write_csv(path, header, [("c000#1", "overall", "canary", "0", "")])
    with pytest.raises(ConfigError, match="canaries only"):
        agreement(run, path, prompts=prompts)


@pytest.mark.parametrize(
    "rows",
    [
        [("zz#1", "overall", "a", "3", "")],
        [("c001#1", "depth", "a", "3", "")],
        [("c001#1", "overall", "a", "3", "")],
        [("c001#1", "overall", "a", "", "")],
        [("c001#1", "overall", "a", "3", ""), ("c001#2", "overall", "b", "3", "")],
    ],
    ids=["not in the run", "no overall", "one", "not asked for", "never the same answer"],
)
def test_hardly_any_labels_are_inconclusive_and_nothing_breaks(
    run: Run, prompts: PromptSet, tmp_path: Path, rows: list[tuple[str, ...]]
) -> None:
    path = tmp_path / "labels.csv"
    write_csv(path, ("item_id", "criterion", "rater", "score", "note"), rows)
    command = ["eval", str(run.folder), "--labels", str(path), "--out", str(tmp_path / "out")]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 3, (done.output, done.exception)
    assert "at least 50 are needed" in done.output


def test_labels_on_another_scale_are_met_on_it(
    run: Run, world: pd.DataFrame, prompts: PromptSet, tmp_path: Path
) -> None:
    path = tmp_path / "ten" / "labels.csv"
    path.parent.mkdir()
    rows = [(row.item_id, "overall", "a", f"{2 * row.a:g}", "") for row in world.itertuples()]
    write_csv(path, ("item_id", "criterion", "rater", "score", "note"), rows)
    with pytest.raises(ConfigError, match="is not on the scale, 0 to 5"):
        agreement(run, path, prompts=prompts)
    result = agreement(run, path, prompts=prompts, draws=200, label_scale=(0, 10))
    assert (result.value("qwk") or 0) > 0.7
    assert not (result.figures["scope"] == "formula").any()


@pytest.mark.parametrize(("options", "code"), [((), 0), (("--against", "c"), 2)])
def test_command_ends_with_the_code_of_the_verdict(
    run: Run, labels: Path, options: tuple[str, ...], code: int
) -> None:
    done = CliRunner().invoke(app, ["eval", str(run.folder), "--labels", str(labels), *options])
    if code == 2:
        assert isinstance(done.exception, ConfigError)
        return
    assert done.exit_code == code, done.output
    assert done.output.startswith("PASS on 159 answers of 40 candidates (human raters)")


def test_json_and_markdown_hold_the_same_verdict(run: Run, labels: Path, tmp_path: Path) -> None:
    page = tmp_path / "agreement.md"
    done = CliRunner().invoke(
        app, ["eval", str(run.folder), "--labels", str(labels), "--json", "--markdown", str(page)]
    )
    tree = json.loads(done.output)
    assert (tree["verdict"], tree["exit_code"], done.exit_code) == ("PASS", 0, 0)
    assert {"figures", "checks", "coverage", "facts", "notes", "reasons", "blanks"} <= set(tree)
    text = page.read_text(encoding="utf-8")
    assert text.startswith("# Agreement of good: PASS\n")
    assert text.count("(human raters)") > 5


def test_model_labels_are_named_in_every_heading(
    run: Run, world: pd.DataFrame, tmp_path: Path
) -> None:
    path = write_labels(world, tmp_path / "model", kind="model")
    done = CliRunner().invoke(app, ["eval", str(run.folder), "--labels", str(path)])
    assert done.exit_code == 3
    assert "human raters)" not in done.output
    assert done.output.count("MODEL labels, not people") > 5
