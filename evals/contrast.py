"""Two runs on the same labels: what changed, and whether it is more than chance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pandas as pd

from evals.bootstrap import DRAWS
from evals.changes import changed_items
from evals.grades import grader_frame, open_run
from evals.label_set import LabelSet, read_label_set
from evals.labels import OVERALL
from evals.ledger import look_warning, record_look, rubric_version
from evals.paired import exact_matches, graded_by_one, paired_differences, row_of
from evals.power import power_note
from evals.prompt_diff import diff_prompts
from evals.splits import Choice
from evals.study import Study, make_study
from pipeline.config import prompt_set_folder
from pipeline.errors import ConfigError
from pipeline.prompt import PromptSet, load_prompts
from pipeline.results import Run

Outcome = Literal["B is better", "B is worse", "no difference shown", "inconclusive"]
EXIT_CODES: Mapping[Outcome, int] = {
    "B is better": 0,
    "no difference shown": 0,
    "B is worse": 1,
    "inconclusive": 3,
}


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """The result of `compare`: run A, run B, and B less A."""

    facts: Mapping[str, str | int]
    """Runs, models, prompt versions, labels, split, reference and its kind, n."""
    outcome: Outcome
    """What the interval of the difference in kappa of the overall says."""
    differences: pd.DataFrame
    """Criterion, metric, a, b, difference (b less a), low, high, n, clusters, why."""
    mcnemar: Mapping[str, float | int | None]
    """Exact matches of one run only: `only_a`, `only_b`, `n`, two-sided exact `p`."""
    changed: pd.DataFrame
    """Items whose overall differs, what the label says, and the verdicts of both runs."""
    power: str
    """How many labelled answers would settle it."""
    prompt_diff: str
    """What changed in the prompts, or only their versions."""
    notes: tuple[str, ...]

    @property
    def exit_code(self) -> int:
        """0 unless B is shown to be worse (1) or nothing can be said (3)."""
        return EXIT_CODES[self.outcome]


def compare(
    run_a: Run | str | Path,
    run_b: Run | str | Path,
    labels: str | Path,
    *,
    prompts: PromptSet | None = None,
    prompts_a: Path | None = None,
    prompts_b: Path | None = None,
    split: Choice | None = None,
    test: bool = False,
    against: str | None = None,
    label_scale: tuple[int, int] | None = None,
    draws: int = DRAWS,
    seed: int = 0,
) -> Comparison:
    """Hold two runs against a label file, on the items that both graded.

    `prompts` gives the rubric; `prompts_a` and `prompts_b` are the folders of the two prompt sets,
    for the diff. Splits and ledger as in `agreement`. Raises ConfigError.
    """
    prompts = prompts or load_prompts(prompt_set_folder())
    rubric = prompts.rubric
    scale = label_scale or rubric.scale
    known = read_label_set(Path(labels), scale=scale, criteria=rubric.keys, split=split, test=test)
    runs = [open_run(run, rubric) for run in (run_a, run_b)]
    frames = [grader_frame(run, rubric.keys) for run in runs]
    both = _graded_by_both(frames)
    studies = [
        make_study(frame.loc[both], known, rubric, scale=scale, against=against) for frame in frames
    ]
    differences = pd.concat(
        [paired_differences(studies, criterion, draws, seed) for criterion in studies[0].scores],
        ignore_index=True,
    )
    qwk = row_of(differences, OVERALL, "qwk")
    result = Comparison(
        facts=_facts(runs, Path(labels), known, studies[0], int(qwk["n"])),
        outcome=_outcome(qwk),
        differences=differences,
        mcnemar=exact_matches(studies),
        changed=changed_items(runs, studies),
        power=power_note(qwk),
        prompt_diff=diff_prompts(runs, prompts_a, prompts_b),
        notes=(*known.notes, *graded_by_one(frames)),
    )
    return _recorded(result, known, prompts, qwk) if known.reads_test else result


def _graded_by_both(frames: list[pd.DataFrame]) -> pd.Index:
    a, b = frames
    both = a.index[a["status"] == "scored"].intersection(b.index[b["status"] == "scored"])
    if both.empty:
        raise ConfigError("the two runs have no item that both graded.")
    return both


def _outcome(qwk: pd.Series) -> Outcome:
    """Never a winner without an interval that leaves 0 out."""
    if pd.isna(qwk["low"]):
        return "inconclusive"
    if qwk["low"] > 0:
        return "B is better"
    return "B is worse" if qwk["high"] < 0 else "no difference shown"


def _facts(
    runs: list[Run], labels: Path, known: LabelSet, study: Study, n: int
) -> dict[str, str | int]:
    facts: dict[str, str | int] = {}
    for name, run in zip("ab", runs, strict=True):
        facts[f"run_{name}"] = run.folder.name
        facts[f"model_{name}"] = str(run.manifest.get("model", ""))
        facts[f"prompt_version_{name}"] = str(run.manifest.get("prompt_version", ""))
    return {
        **facts,
        "labels": labels.name,
        "split": known.split,
        "reference": study.reference,
        "kind": study.kind(study.reference),
        "n": n,
        "clusters": int(study.items["cluster"].nunique()),
    }


def _recorded(
    result: Comparison, known: LabelSet, prompts: PromptSet, qwk: pd.Series
) -> Comparison:
    rubric = rubric_version(prompts.rubric)
    versions = [str(result.facts[f"prompt_version_{name}"]) for name in "ab"]
    count = record_look(
        known.ledger,
        rubric=rubric,
        prompt_version=" / ".join(versions),
        metric="qwk difference",
        result=None if pd.isna(qwk["difference"]) else float(qwk["difference"]),
        n=int(qwk["n"]),
    )
    look = f"look {count} at the test labels under {rubric}, written to {known.ledger.name}."
    notes = (*result.notes, look_warning(count, rubric) or look)
    return Comparison(**{**vars(result), "notes": notes})
