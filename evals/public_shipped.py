"""The scorer of a prompt set as it is, on public sets: nothing is fitted to their scores."""

from __future__ import annotations

import numpy as np
import pandas as pd

from evals.metrics.arrays import Floats
from evals.public_answers import TOP
from evals.study import formula_of
from pipeline.prompt import PromptSet
from pipeline.question_type import question_type


def shipped_points(
    items: pd.DataFrame, states: Floats, plain: Floats, prompts: PromptSet
) -> Floats:
    """The overall by the rubric's formula, its scale put on 0 to 10. The set must have a scorer."""
    scorer, rubric = prompts.scorer, prompts.rubric
    if scorer is None:
        raise ValueError("this prompt set has no scorer")
    low, high = rubric.scale
    rows = zip(items["question"], items["objective"], items["language"], states, plain, strict=True)
    points = []
    for question, objective, language, state, counted in rows:
        beside = tuple(map(float, counted)) if scorer.features else ()
        scores = scorer.scores(tuple(map(float, state)), language, beside)
        given = {key: float(score) for key, score in scores.items()}
        overall = formula_of(given, question_type(question, objective or None), rubric)
        points.append(np.nan if overall is None else TOP * (overall - low) / (high - low))
    return np.array(points)
