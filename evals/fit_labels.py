"""The labels that a scorer is fitted to: on the rubric's scale, enough of them, and not all one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pandas as pd

from evals.label_set import LabelSet, read_label_set
from evals.labels import OVERALL
from evals.study import Study, to_scale
from pipeline.errors import ConfigError
from pipeline.records import Rubric

FEWEST = 30
"""Answers that a scorer is fitted on at least."""
FEWEST_CANDIDATES = 5
"""Candidates at least: each is left out in turn, and the others have to carry a fit."""


class Inconclusive(ConfigError):
    """Labels that settle nothing. `str()` says what to label."""

    exit_code = 3


def read_fit_labels(path: Path, rubric: Rubric, scale: tuple[int, int] | None = None) -> LabelSet:
    """Train and dev labels, or all where there are no splits, on the rubric's scale.

    `scale` is that of the file where it is another. Raises ConfigError.
    """
    given = scale or rubric.scale
    known = read_label_set(path, scale=given, criteria=rubric.keys, split="fit")
    moved = to_scale(known.labels["score"], given, rubric.scale)
    return replace(known, labels=known.labels.assign(score=moved))


def labels_by_criterion(study: Study, rubric: Rubric, path: Path) -> pd.DataFrame:
    """The reference's scores, answers x criteria.

    Raises Inconclusive where a criterion or the overall has too few, or one score throughout.
    """
    given = {key: study.scores[key][study.reference] for key in (*rubric.keys, OVERALL)}
    for key, column in given.items():
        _check(key, column.dropna(), path)
    candidates = study.items["cluster"].nunique()
    if candidates < FEWEST_CANDIDATES:
        raise Inconclusive(
            f"{path}: too few labels to say anything: the answers are of {candidates} candidates, "
            f"and {FEWEST_CANDIDATES} are needed, better 20. Nothing is fitted."
        )
    return pd.DataFrame({key: given[key] for key in rubric.keys})


def _check(key: str, known: pd.Series, path: Path) -> None:
    if len(known) < FEWEST:
        raise Inconclusive(
            f"{path}: too few labels to say anything: {len(known)} answers have a score for {key}, "
            f"and {FEWEST} are needed for each criterion and for {OVERALL}. Nothing is fitted. "
            "(With scores of the overall alone: `grader grade`, then `grader calibrate`.)"
        )
    if known.nunique() < 2:
        raise Inconclusive(
            f"{path}: every answer has the score {known.iloc[0]:g} for {key}: nothing can be "
            "learned from that. Label weak and strong answers too. Nothing is fitted."
        )
