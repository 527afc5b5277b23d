"""Another model file, end to end: refused with a remedy, fitted, then graded with its own scorer.

The file is a language model of 115 KB with weights by chance, served by the real server.
"""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from evals import fit_cli
from evals.cli import app
from evals.fit_labels import Inconclusive
from pipeline.cli.speed import speed_line
from pipeline.config import default_prompt_set, fitted_set_folder, open_endpoint
from pipeline.errors import ConfigError
from tests.conftest import ROOT
from tests.tiny_model import write_tiny_model

KEYS = ("relevance", "correctness", "depth", "evidence", "clarity")


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    pytest.importorskip("xllamacpp", reason="the extra `local` is not installed")
    return write_tiny_model(tmp_path / "tiny.gguf")


SCORES = [[(one + 2 * at) % 6 for at in range(3)] for one in range(20)]
"""Of twenty candidates' three answers each."""


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    """Answers of one length, whose words say what they are worth."""
    path = tmp_path / "answers.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["interview_id", "number", "question", "objective", "answer"])
        for one, scores in enumerate(SCORES):
            for at, score in enumerate(scores, start=1):
                said = " ".join(["aaaaaa"] * score + ["zzzzzz"] * (5 - score) + [f"{one:02}"])
                writer.writerow([f"c{one}", at, f"How does {at} work?", "", said])
    return path


def label(path: Path, scores: list[list[int]], keys: tuple[str, ...] = (*KEYS, "overall")) -> Path:
    """The same score for each criterion of an answer, by one person."""
    rows = [
        f"c{one}#{at},{key},me,{score},"
        for one, row in enumerate(scores)
        for at, score in enumerate(row, start=1)
        for key in keys
    ]
    path.write_text("\n".join(["item_id,criterion,rater,score,note", *rows]) + "\n", "utf-8")
    path.with_name("raters.csv").write_text("rater,kind,how\nme,human,alone\n", "utf-8")
    return path


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    return label(tmp_path / "labels.csv", SCORES)


def grader(*words: str | Path) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


def fit(answers: Path, labels: Path, tiny: Path, *more: str | Path) -> Result:
    states = labels.with_name("states.jsonl")
    return grader(
        "fit", answers, "--labels", labels, "--model-file", tiny, "--states", states, *more
    )


def test_a_scorer_is_fitted_in_one_command_and_then_taken(
    tiny: Path, answers: Path, labels: Path, tmp_path: Path
) -> None:
    shipped = (ROOT / "prompts" / "compact" / "scorer.json").read_bytes()
    fitted = fit(answers, labels, tiny)
    model = open_endpoint(model_file=tiny).info.model
    # One rater leaves a rule undefined: whatever the figures, that settles nothing.
    assert fitted.exit_code == 3, fitted.output
    assert "`grader grade` takes it from now on" in fitted.output
    assert "Too little to say whether it is fit for use (INCONCLUSIVE): QWK" in fitted.output
    assert "degradation is undefined" in fitted.output
    own = fitted_set_folder(model)
    assert json.loads((own / "scorer.json").read_text("utf-8"))["model"] == model
    assert (ROOT / "prompts" / "compact" / "scorer.json").read_bytes() == shipped

    out = tmp_path / "run"
    graded = grader(
        "grade", answers, "--out", out, "--model-file", tiny, "--no-explanations", "--no-cache",
        "--limit", "4",
    )  # fmt: skip
    assert graded.exit_code == 0, graded.output
    assert f"{model} on this machine (the file that was named)" in graded.output
    manifest = json.loads((out / "manifest.json").read_text("utf-8"))
    assert manifest["model"] == model
    assert manifest["models_answered"] == [model]
    assert manifest["status"]["scored"] == 4
    assert "60 answers of 20 candidates" in manifest["measured"]
    assert str(tmp_path) not in json.dumps(manifest)

    called = manifest["called"]
    assert called["items"] == 4
    assert called["input_tokens"] == manifest["tokens"]["input_tokens"] > 0
    per_minute = f"{60 * 4 / manifest['wall_seconds']:.1f} answers a minute, start included"
    assert (
        f"Speed: {per_minute}; per answer {called['input_tokens'] / 4:,.0f} tokens" in graded.output
    )


def test_without_a_scorer_of_its_own_a_model_gets_expected_values_and_says_so(
    tiny: Path, answers: Path, tmp_path: Path
) -> None:
    planned = grader("grade", answers, "--out", tmp_path / "r", "--model-file", tiny, "--dry-run")
    assert planned.exit_code == 0, planned.output
    assert "No scorer is fitted to tiny" in planned.output
    assert "`grader fit ANSWERS --labels labels.csv --model-file FILE`" in planned.output
    assert default_prompt_set(open_endpoint(model_file=tiny).info).name == "interview"


def test_the_scorer_of_another_model_is_refused_with_the_command_that_fits_one(
    tiny: Path, answers: Path, tmp_path: Path
) -> None:
    compact = ROOT / "prompts" / "compact"
    refused = grader(
        "grade", answers, "--out", tmp_path / "r", "--model-file", tiny, "--prompts", compact
    )
    assert isinstance(refused.exception, ConfigError)
    assert "`grader fit ANSWERS --labels labels.csv --model-file FILE`" in str(refused.exception)


def test_two_files_of_one_name_are_two_models(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    one = write_tiny_model(tmp_path / "tiny.gguf", seed=1)
    two = write_tiny_model(tmp_path / "other" / "tiny.gguf", seed=2)
    copy = tmp_path / "other" / "copy.gguf"
    copy.write_bytes(one.read_bytes())
    names = [open_endpoint(model_file=path).info.model for path in (one, two, copy)]
    assert names[0] != names[1]
    assert names[0].split()[1] == names[2].split()[1]
    assert [name.split()[0] for name in names] == ["tiny", "tiny", "copy"]


def test_a_model_file_goes_with_no_address(tiny: Path) -> None:
    for more in ({"base_url": "http://127.0.0.1:1/v1"}, {"model": "m"}, {"api_key": "k"}):
        with pytest.raises(ConfigError, match="on this machine"):
            open_endpoint(model_file=tiny, **more)
    assert open_endpoint(model_file=tiny, environ={"OPENAI_API_KEY": "k"}).info.kind == "embedded"


def test_with_every_rule_kept_a_scorer_is_fit_for_use(
    tiny: Path, answers: Path, labels: Path, tmp_path: Path
) -> None:
    labels.with_name("thresholds.yaml").write_text("degradation: null\n", "utf-8")
    fitted = fit(answers, labels, tiny)
    assert fitted.exit_code == 0, fitted.output
    assert "Fit for use on answers like these (PASS): QWK" in fitted.output
    assert "60 answers of 20 candidates" in fitted.output


def test_labels_on_another_scale_give_the_same_verdict(
    tiny: Path, answers: Path, tmp_path: Path
) -> None:
    doubled = label(tmp_path / "labels.csv", [[2 * score for score in row] for row in SCORES])
    assert "labels.csv, line" in str(fit(answers, doubled, tiny).exception)
    assert fit(answers, doubled, tiny, "--label-scale", "0-10", "--tables", "fit").exit_code == 3


def test_what_labels_do_not_say_is_not_taken(tiny: Path, answers: Path, tmp_path: Path) -> None:
    """Labels that turn about with every answer: nothing in an answer tells them."""
    noise = label(
        tmp_path / "labels.csv",
        [[(7 * one + 3 * at * one) % 6 for at in range(3)] for one in range(20)],
    )
    fitted = fit(answers, noise, tiny)
    assert fitted.exit_code == 1, fitted.output
    assert "NOT fit for use without a person (FAIL)" in fitted.output
    assert "Nothing is written" in fitted.output
    assert not list((tmp_path / "data").rglob("scorer.json"))


@pytest.mark.parametrize(
    ("scores", "keys", "said"),
    [
        (SCORES[:6], (*KEYS, "overall"), "18 answers have a score for relevance, and 30"),
        ([[3] * 3] * 20, (*KEYS, "overall"), "every answer has the score 3 for relevance"),
        (SCORES, KEYS, "0 answers have a score for overall"),
        (SCORES, ("overall",), "0 answers have a score for relevance"),
    ],
)
def test_labels_that_settle_nothing_end_with_3_and_what_to_label(
    tiny: Path,
    answers: Path,
    tmp_path: Path,
    scores: list[list[int]],
    keys: tuple[str, ...],
    said: str,
) -> None:
    fitted = fit(answers, label(tmp_path / "labels.csv", scores, keys), tiny)
    assert isinstance(fitted.exception, Inconclusive)
    assert fitted.exception.exit_code == 3
    assert said in str(fitted.exception)
    assert not (tmp_path / "states.jsonl").exists()


def test_labels_of_three_candidates_settle_nothing(
    tiny: Path, tmp_path: Path, answers: Path
) -> None:
    rows = [line.split(",") for line in answers.read_text("utf-8").splitlines()]
    with answers.open("w", newline="", encoding="utf-8") as file:
        ids = [[f"c{at // 12}", 1 + at % 12, *row[2:]] for at, row in enumerate(rows[1:37])]
        csv.writer(file).writerows([rows[0], *ids])
    flat = [score for row in SCORES for score in row]
    scores = [flat[12 * one : 12 * one + 12] for one in range(3)]
    fitted = fit(answers, label(tmp_path / "labels.csv", scores), tiny)
    assert isinstance(fitted.exception, Inconclusive)
    assert "of 3 candidates" in str(fitted.exception)


def test_the_scorer_that_came_stays_where_it_does_better(
    tiny: Path, answers: Path, labels: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The shipped one was fitted to good labels; the new labels turn every second one about."""
    shipped = tmp_path / "compact"
    shutil.copytree(ROOT / "prompts" / "compact", shipped)
    assert fit(answers, labels, tiny, "--prompts", shipped).exit_code == 3
    scorer = shipped / "scorer.json"
    tree = json.loads(scorer.read_text("utf-8"))
    # As if it had been fitted to other answers.
    scorer.write_text(json.dumps({**tree, "fitted_on": ["0" * 12]}), "utf-8")
    monkeypatch.setattr(fit_cli, "prompt_set_folder", lambda name: shipped)
    few = [
        [score if (one + at) % 3 else 5 - score for at, score in enumerate(row)]
        for one, row in enumerate(SCORES)
    ]
    fitted = fit(answers, label(tmp_path / "labels.csv", few), tiny)
    assert "the new one is better by -" in fitted.output
    assert "Nothing is written: the scorer that came with the program does better" in fitted.output
    assert not list((tmp_path / "data").rglob("scorer.json"))


def test_answers_of_the_reply_cache_count_for_no_speed() -> None:
    tokens = {"input_tokens": 3_000, "output_tokens": 90, "cached_tokens": 1_500}
    manifest = {"endpoint": "embedded 127.0.0.1", "wall_seconds": 30.0, "items": 9}
    called = {**manifest, "called": {"items": 3, **tokens}}
    assert speed_line(called) == (
        "Speed: 6.0 answers a minute, start included; per answer 1,000 tokens read "
        "(50% of these from the prompt cache) and 30 written."
    )
    assert speed_line({**manifest, "called": {"items": 0, **dict.fromkeys(tokens, 0)}}) == ""
    assert speed_line({**called, "endpoint": "url host"}) == ""
