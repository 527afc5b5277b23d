"""The left-out scores of a fit as `grader eval` would show a run: every figure, every baseline."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from evals.basis import facts_of_study
from evals.bootstrap import DRAWS
from evals.fit import Fitted
from evals.fit_uncertainty import FEWEST, errors_of, left_out_widths
from evals.label_set import read_label_set
from evals.labels import OVERALL
from evals.measure import Agreement, judged
from evals.splits import Choice
from evals.study import Study
from pipeline.prompt import PromptSet

NOTE = (
    "each candidate was scored by lines that were fitted without that candidate; doubt is the "
    "width around the points, fitted likewise."
)


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
    study = narrowed(with_doubt(result.study), known.labels["item_id"])
    facts = {
        "run": "left out of the fit",
        "model": str(result.about["model"]),
        "prompt_version": prompts.version,
        **facts_of_study(labels, known, study, prompts, seed),
    }
    found = judged(study, known, rubric, facts=facts, blanks=pd.DataFrame(), draws=draws, seed=seed)
    return replace(found, notes=(*found.notes, NOTE))


def with_doubt(study: Study) -> Study:
    """The width around each overall, fitted without its candidate, as doubt; NaN where unknown."""
    table = errors_of(study, OVERALL)
    doubt = pd.Series(np.nan, study.items.index)
    if len(table) >= FEWEST:
        doubt[table.index] = left_out_widths(table, study.scale).round(1)
    return Study(**{**vars(study), "items": study.items.assign(doubt=doubt)})


def narrowed(study: Study, item_ids: pd.Series) -> Study:
    """The study with these items alone."""
    kept = study.items.index[study.items.index.isin(item_ids)]
    tables = {key: table.loc[kept] for key, table in study.scores.items()}
    labelled = study.labelled[study.labelled.index.isin(item_ids)]
    return Study(
        **{**vars(study), "items": study.items.loc[kept], "scores": tables, "labelled": labelled}
    )
