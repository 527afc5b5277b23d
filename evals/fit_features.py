"""Plain features beside the states: what they are, and whether they help on left-out candidates."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from evals.bootstrap import DRAWS, Estimate, bootstrap_difference
from evals.labels import OVERALL
from evals.metrics.arrays import Floats
from evals.ridge import left_out_scores
from evals.study import GRADER, Study
from pipeline.answer_features import features_of
from pipeline.prompt import PromptSet

if TYPE_CHECKING:
    from evals.fit import Fitted


def plain_features(items: pd.DataFrame, read: Iterable[str]) -> Floats:
    """answers x features (see `pipeline.answer_features`), of what is read of the answers."""
    asked = zip(items["question"], items["objective"], read, strict=True)
    return np.array([features_of(question, aim, answer) for question, aim, answer in asked])


def gain_of_features(
    result: Fitted, prompts: PromptSet, *, draws: int = DRAWS, seed: int = 0
) -> Estimate:
    """Kappa of the overall with the features less that without, both on left-out candidates."""
    having, lacking = (
        _left_out(result, columns, own, prompts).scores[OVERALL]
        for columns, own in (
            (np.hstack([result.states, result.plain]), result.plain.shape[1]),
            (result.states, 0),
        )
    )
    study = result.study
    return bootstrap_difference(
        having[GRADER], lacking[GRADER], having[study.reference], study.items["cluster"],
        scale=study.scale, draws=draws, seed=seed,
    )["qwk"]  # fmt: skip


def _left_out(result: Fitted, columns: Floats, own: int, prompts: PromptSet) -> Study:
    from evals.fit import with_scores

    study, rubric = result.study, prompts.rubric
    given = pd.DataFrame({key: study.scores[key][study.reference] for key in rubric.keys})
    items, points = study.items, given.to_numpy(dtype="float64")
    spoken, clusters = list(items["language"]), items["cluster"].to_numpy()
    seen = left_out_scores(columns, spoken, points, clusters, own)
    return with_scores(study, np.clip(seen, *rubric.scale), prompts)
