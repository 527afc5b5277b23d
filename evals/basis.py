"""What the figures rest on: facts, blanks, items, and what a reader has to know."""

from __future__ import annotations

import hashlib
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
        **facts_of_study(labels, known, study, prompts, seed),
    }


def facts_of_study(
    labels: Path, known: LabelSet, study: Study, prompts: PromptSet, seed: int
) -> dict[str, str | int]:
    """The same but for what is known of the grader."""
    return {
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


def blank_table(frame: pd.DataFrame, study: Study) -> pd.DataFrame:
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


def calibration_notes(run: Run, known: LabelSet, labels: Path) -> list[str]:
    """Whether the calibrated rows may be believed: not where the curves saw these very labels."""
    bent = run.manifest.get("calibration")
    if not bent:
        return []
    seen = hashlib.sha256(labels.read_bytes()).hexdigest() == bent["labels_sha256"]
    if not seen or known.split == "test":
        return [f"calibrated rows: curves of {bent['n']} answers; rules are held to raw scores."]
    return [
        "calibrated rows: the curves were fitted to labels of this file, so these rows flatter "
        f"them; rules are held to raw scores. On left-out candidates: {bent['measured']}."
    ]


def notes_of(
    study: Study, run: Run, prompts: PromptSet, known: LabelSet, labels: Path
) -> list[str]:
    """What a reader has to know beside the figures."""
    notes = []
    if absent := int((study.labelled == "absent").sum()):
        notes.append(f"{absent} labelled answers are not in this run.")
    if run.manifest.get("prompt_version") != prompts.version:
        notes.append("the prompt set has changed since the run; cuts and formula are today's.")
    notes += calibration_notes(run, known, labels)
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
