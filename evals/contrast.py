"""Two runs on the same labels: what changed, and whether it is more than chance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import comb
from pathlib import Path
from typing import Literal

import pandas as pd

from evals.bootstrap import DRAWS, Estimate, bootstrap, bootstrap_difference
from evals.changes import changed_items
from evals.grades import grader_frame, open_run
from evals.label_set import LabelSet, read_label_set
from evals.labels import OVERALL
from evals.ledger import look_warning, record_look, rubric_version
from evals.metrics.arrays import half_up_points
from evals.power import power_note
from evals.prompt_diff import diff_prompts
from evals.splits import Choice
from evals.study import GRADER, Study, make_study
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
        [_differences(studies, criterion, draws, seed) for criterion in studies[0].scores],
        ignore_index=True,
    )
    qwk = row_of(differences, OVERALL, "qwk")
    result = Comparison(
        facts=_facts(runs, Path(labels), known, studies[0], int(qwk["n"])),
        outcome=_outcome(qwk),
        differences=differences,
        mcnemar=_mcnemar(studies),
        changed=changed_items(runs, studies),
        power=power_note(qwk),
        prompt_diff=diff_prompts(runs, prompts_a, prompts_b),
        notes=(*known.notes, *_one_sided(frames)),
    )
    return _recorded(result, known, prompts, qwk) if known.reads_test else result


def mcnemar_exact(only_a: int, only_b: int) -> float | None:
    """Two-sided exact p of McNemar's test (binomial over the discordant items); None without any.

    It takes the items for independent, which answers of one candidate are not: read the interval
    first.
    """
    n = only_a + only_b
    if n == 0:
        return None
    tail = sum(comb(n, k) for k in range(min(only_a, only_b) + 1))
    return min(1.0, float(2 * tail / 2**n))


def _graded_by_both(frames: list[pd.DataFrame]) -> pd.Index:
    a, b = frames
    both = a.index[a["status"] == "scored"].intersection(b.index[b["status"] == "scored"])
    if both.empty:
        raise ConfigError("the two runs have no item that both graded.")
    return both


def _one_sided(frames: list[pd.DataFrame]) -> list[str]:
    """A run that fails on hard answers must not look better for it."""
    graded = [set(frame.index[frame["status"] == "scored"]) for frame in frames]
    only = [len(graded[0] - graded[1]), len(graded[1] - graded[0])]
    if not any(only):
        return []
    return [f"answers graded by one run only are left out: {only[0]} by A, {only[1]} by B."]


def _differences(studies: list[Study], criterion: str, draws: int, seed: int) -> pd.DataFrame:
    tables = [study.scores[criterion] for study in studies]
    reference = tables[0][studies[0].reference]
    a, b = (table[GRADER] for table in tables)
    clusters, scale = studies[0].items["cluster"], studies[0].scale
    both = a.notna() & b.notna()
    single = [
        bootstrap(side.where(both), reference, clusters, scale=scale, draws=1) for side in (a, b)
    ]
    paired = bootstrap_difference(b, a, reference, clusters, scale=scale, draws=draws, seed=seed)
    rows = [
        {
            "criterion": criterion,
            "metric": metric,
            "a": single[0][metric].value,
            "b": single[1][metric].value,
            **_as_columns(estimate),
        }
        for metric, estimate in paired.items()
    ]
    frame = pd.DataFrame(rows)
    numbers = ["a", "b", "difference", "low", "high"]
    return frame.astype(dict.fromkeys(numbers, "float64"))


def _as_columns(estimate: Estimate) -> dict[str, float | int | str | None]:
    columns = dict(vars(estimate))
    return {"difference": columns.pop("value"), **columns}


def row_of(differences: pd.DataFrame, criterion: str, metric: str) -> pd.Series:
    """The row of one criterion and metric."""
    chosen = (differences["criterion"] == criterion) & (differences["metric"] == metric)
    return differences[chosen].iloc[0]


def _outcome(qwk: pd.Series) -> Outcome:
    """Never a winner without an interval that leaves 0 out."""
    if pd.isna(qwk["low"]):
        return "inconclusive"
    if qwk["low"] > 0:
        return "B is better"
    return "B is worse" if qwk["high"] < 0 else "no difference shown"


def _mcnemar(studies: list[Study]) -> dict[str, float | int | None]:
    reference = studies[0].scores[OVERALL][studies[0].reference]
    known = reference.notna().to_numpy()
    target = half_up_points(reference)[known]
    a, b = (half_up_points(study.scores[OVERALL][GRADER])[known] == target for study in studies)
    only_a, only_b = int((a & ~b).sum()), int((b & ~a).sum())
    return {
        "only_a": only_a,
        "only_b": only_b,
        "n": int(known.sum()),
        "p": mcnemar_exact(only_a, only_b),
    }


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
