"""Two runs on the same labels: what changed, and whether it is more than chance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Unpack

import pandas as pd

from evals.bootstrap import DRAWS
from evals.changes import changed_items
from evals.labels import OVERALL
from evals.opening import Beside, Held, hold, note_look
from evals.paired import exact_matches, graded_by_one, paired_differences, row_of
from evals.power import power_note
from evals.prompt_diff import diff_prompts
from pipeline.config import prompt_set_folder
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
    against: str | None = None,
    label_scale: tuple[int, int] | None = None,
    draws: int = DRAWS,
    seed: int = 0,
    **beside: Unpack[Beside],
) -> Comparison:
    """Hold two runs against a label file, on the items that both graded.

    `prompts` gives the rubric; `prompts_a` and `prompts_b` are the folders of the two prompt sets,
    for the diff. Splits and ledger as in `agreement`. Raises ConfigError.
    """
    prompts = prompts or load_prompts(prompt_set_folder())
    held = hold(
        [run_a, run_b], Path(labels), prompts, against=against, label_scale=label_scale, **beside
    )
    studies = list(held.studies)
    differences = pd.concat(
        [paired_differences(studies, criterion, draws, seed) for criterion in studies[0].scores],
        ignore_index=True,
    )
    qwk = row_of(differences, OVERALL, "qwk")
    facts = _facts(held, Path(labels), int(qwk["n"]))
    look = note_look(
        held.known,
        prompts,
        versions=[str(facts[f"prompt_version_{name}"]) for name in "ab"],
        metric="qwk difference",
        result=None if pd.isna(qwk["difference"]) else float(qwk["difference"]),
        n=int(qwk["n"]),
    )
    return Comparison(
        facts=facts,
        outcome=_outcome(qwk),
        differences=differences,
        mcnemar=exact_matches(studies),
        changed=changed_items(held.runs, studies),
        power=power_note(qwk),
        prompt_diff=diff_prompts(list(held.runs), prompts_a, prompts_b),
        notes=(*held.known.notes, *graded_by_one(list(held.frames)), *look),
    )


def _outcome(qwk: pd.Series) -> Outcome:
    """Never a winner without an interval that leaves 0 out."""
    if pd.isna(qwk["low"]):
        return "inconclusive"
    if qwk["low"] > 0:
        return "B is better"
    return "B is worse" if qwk["high"] < 0 else "no difference shown"


def _facts(held: Held, labels: Path, n: int) -> dict[str, str | int]:
    study = held.studies[0]
    facts: dict[str, str | int] = {}
    for name, run in zip("ab", held.runs, strict=True):
        facts[f"run_{name}"] = run.folder.name
        facts[f"model_{name}"] = str(run.manifest.get("model", ""))
        facts[f"prompt_version_{name}"] = str(run.manifest.get("prompt_version", ""))
    return {
        **facts,
        "labels": labels.name,
        "split": held.known.split,
        "reference": study.reference,
        "kind": study.kind(study.reference),
        "n": n,
        "clusters": int(study.items["cluster"].nunique()),
    }
