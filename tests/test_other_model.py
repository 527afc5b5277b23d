"""Another model file, end to end: refused with a remedy, fitted, then graded with its own scorer.

The file is a language model of 115 KB with weights by chance, served by the real server.
"""

from __future__ import annotations

import csv
import json
import random
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from evals.cli import app
from pipeline.config import default_prompt_set, fitted_set_folder, open_endpoint
from pipeline.errors import ConfigError
from tests.conftest import ROOT
from tests.tiny_model import write_tiny_model

KEYS = ("relevance", "correctness", "depth", "evidence", "clarity")
WORDS = "index cache queue table lock thread query page commit retry".split()


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    pytest.importorskip("xllamacpp", reason="the extra `local` is not installed")
    return write_tiny_model(tmp_path / "tiny.gguf")


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    """Twelve candidates with three answers each."""
    chance, path = random.Random(5), tmp_path / "answers.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["interview_id", "number", "question", "objective", "answer"])
        for one in range(12):
            for number in (1, 2, 3):
                said = " ".join(chance.choices(WORDS, k=8))
                writer.writerow([f"c{one}", number, f"How does {number} work?", "", said])
    return path


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    """A score for each criterion and overall of each answer, by chance."""
    chance, path = random.Random(6), tmp_path / "labels.csv"
    rows = [
        f"c{one}#{at},{key},me,{chance.randint(0, 5)},"
        for one in range(12)
        for at in (1, 2, 3)
        for key in (*KEYS, "overall")
    ]
    path.write_text("\n".join(["item_id,criterion,rater,score,note", *rows]) + "\n", "utf-8")
    (tmp_path / "raters.csv").write_text("rater,kind,how\nme,human,alone\n", "utf-8")
    return path


def grader(*words: str | Path) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


def test_a_scorer_is_fitted_in_one_command_and_then_taken(
    tiny: Path, answers: Path, labels: Path, tmp_path: Path
) -> None:
    shipped = (ROOT / "prompts" / "compact" / "scorer.json").read_bytes()
    states = tmp_path / "states.jsonl"
    fitted = grader("fit", answers, "--labels", labels, "--model-file", tiny, "--states", states)
    model = open_endpoint(model_file=tiny).info.model
    assert fitted.exception is None or isinstance(fitted.exception, SystemExit), fitted.exception
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
    assert "36 answers of 12 candidates" in manifest["measured"]
    assert str(tmp_path) not in json.dumps(manifest)


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
