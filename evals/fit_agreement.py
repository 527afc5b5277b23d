"""The left-out scores of a fit as `grader eval` would show a run: every figure, every baseline."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from evals.basis import count_compared, item_table, risk_curve
from evals.bootstrap import DRAWS
from evals.figures import Setting, figure_table
from evals.fit import Fitted
from evals.label_set import read_label_set
from evals.measure import Agreement, figures_of
from evals.rules import make_checks
from evals.splits import Choice
from evals.study import Study
from evals.thresholds import verdict
from pipeline.prompt import PromptSet

NOTE = "each candidate was scored by lines that were fitted without that candidate"


def left_out_agreement(
    result: Fitted,
    labels: Path,
    prompts: PromptSet,
    *,
    split: Choice = "fit",
    label_scale: tuple[int, int] | None = None,
    draws: int = DRAWS,
    seed: int = 0,
) -> Agreement:
    """Agreement on `split`, which must be part of what was fitted. Raises ConfigError."""
    rubric = prompts.rubric
    scale = label_scale or rubric.scale
    known = read_label_set(labels, scale=scale, criteria=rubric.keys, split=split)
    study = narrowed(result.study, known.labels["item_id"])
    setting = Setting(scale=study.scale, draws=draws, seed=seed)
    figures = figures_of(study, rubric, setting)
    checks = tuple(make_checks(figures, study, known.thresholds))
    found, reasons = verdict(
        checks,
        n=count_compared(study),
        min_items=known.thresholds.min_items,
        human=study.kind_of_all == "human",
        accept_model_labels=False,
    )
    return Agreement(
        facts={
            "run": "left out of the fit",
            "model": str(result.about["model"]),
            "prompt_version": prompts.version,
            "labels": labels.name,
            "split": known.split,
            "raters": ", ".join(study.raters),
            "reference": study.reference,
            "kind": study.kind_of_all,
            "n": count_compared(study),
            "clusters": int(study.items["cluster"].nunique()),
            "scale": f"{study.scale[0]}-{study.scale[1]}",
            "seed": seed,
        },
        figures=figure_table(figures),
        limits=known.thresholds,
        checks=checks,
        verdict=found,
        reasons=tuple(reasons),
        coverage=study.labelled.value_counts(),
        blanks=pd.DataFrame(),
        items=item_table(study),
        risk=risk_curve(study),
        notes=(*known.notes, NOTE),
    )


def narrowed(study: Study, item_ids: pd.Series) -> Study:
    """The study with these items alone."""
    kept = study.items.index[study.items.index.isin(item_ids)]
    tables = {key: table.loc[kept] for key, table in study.scores.items()}
    labelled = study.labelled[study.labelled.index.isin(item_ids)]
    return Study(
        **{**vars(study), "items": study.items.loc[kept], "scores": tables, "labelled": labelled}
    )
