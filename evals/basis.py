"""What the figures rest on: facts, blanks, items, and what a reader has to know."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from evals.canary import find_leak
from evals.label_set import LabelSet
from evals.labels import OVERALL
from evals.ledger import rubric_version
from evals.risk import risk_coverage
from evals.study import GRADER, Study
from pipeline.prompt import PromptSet
from pipeline.results import Run


def count_compared(study: Study) -> int:
    """Items that both the grader and the reference scored."""
    return int(study.scores[OVERALL][[GRADER, study.reference]].notna().all(axis=1).sum())


def facts_of(
    run: Run, labels: Path, known: LabelSet, study: Study, prompts: PromptSet, seed: int
) -> dict[str, str | int]:
    """What was compared with what."""
    return {
        "run": run.folder.name,
        "model": str(run.manifest.get("model", "")),
        "prompt_version": str(run.manifest.get("prompt_version", "")),
        "rubric": rubric_version(prompts.rubric),
        "labels": labels.name,
        "split": known.split,
        "raters": ", ".join(study.raters),
        "kind": study.kind_of_all,
        "reference": study.reference,
        "reference_kind": study.kind(study.reference),
        "scale": f"{study.scale[0]}-{study.scale[1]}",
        "labelled": len(study.labelled),
        "n": count_compared(study),
        "candidates": int(study.items["interview_id"].nunique()),
        "clusters": int(study.items["cluster"].nunique()),
        "seed": seed,
    }


def blank_table(frame: pd.DataFrame, known: LabelSet, study: Study) -> pd.DataFrame:
    """By status blank and copied: items, labelled ones, mean of the reference, how many above 0."""
    table = study.canaries.reindex(columns=[study.reference])
    reference = table[study.reference].reindex(frame.index)
    rows = []
    for status in ("blank", "copied"):
        given = reference[frame["status"] == status]
        labelled = given.dropna()
        rows.append(
            {
                "status": status,
                "items": len(given),
                "labelled": len(labelled),
                "mean_label": labelled.mean() if len(labelled) else None,
                "labels_above_0": int((labelled > study.scale[0]).sum()),
            }
        )
    return pd.DataFrame(rows)


def item_table(study: Study) -> pd.DataFrame:
    """One row per item that the LLM graded, with all scores as `<criterion>:<rater>`."""
    parts = [study.items[["interview_id", "cluster", "language", "question"]]]
    parts += [table.add_prefix(f"{key}:") for key, table in study.scores.items()]
    return pd.concat(parts, axis=1)


def risk_curve(study: Study) -> pd.DataFrame:
    """Error by share of answers left to the grader, least doubtful first."""
    table = study.scores[OVERALL]
    doubt = study.items["doubt"]
    return risk_coverage(doubt, table[GRADER], table[study.reference], scale=study.scale)


def notes_of(study: Study, run: Run, prompts: PromptSet) -> list[str]:
    """What a reader has to know beside the figures."""
    notes = []
    if absent := int((study.labelled == "absent").sum()):
        notes.append(f"{absent} labelled answers are not in this run.")
    if run.manifest.get("prompt_version") != prompts.version:
        notes.append("the prompt set has changed since the run; cuts and formula are today's.")
    if unknown := [rater for rater in study.raters if study.kinds.get(rater) is None]:
        notes.append(
            f"no raters.csv says what {', '.join(unknown)} is; nobody unlisted counts as human."
        )
    table = study.scores[OVERALL]
    leak = find_leak(table[GRADER], table[study.reference], study.canaries)
    if leak.leaked:
        notes.append(
            f"LEAK: on {leak.closer} of {leak.n} canaries the grader repeats labels that are "
            "false on purpose. It has seen the label file; its figures are worthless."
        )
    return notes
