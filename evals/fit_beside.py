"""The scorer that came with the program, held against the labels that a new one is fitted to."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from evals.bootstrap import DRAWS, Estimate, bootstrap_difference
from evals.fit import Fitted, with_scores
from evals.fit_agreement import narrowed
from evals.fit_labels import FEWEST
from evals.labels import OVERALL
from evals.study import GRADER, Study
from evals.worth import qwk_between
from pipeline.errors import ConfigError
from pipeline.prompt import PromptSet
from pipeline.records import Language
from pipeline.scorer import Scorer, digest_of, hash_of_readings, load_scorer


@dataclass(frozen=True, kw_only=True)
class Beside:
    """The shipped scorer on the labelled answers that it was not fitted to."""

    study: Study
    qwk: Estimate
    gain: Estimate
    """Kappa of the new scorer on left-out candidates less that of the shipped one, paired."""

    @property
    def better(self) -> bool:
        """Whether the shipped one agrees better: then nothing is gained by the new one."""
        return self.gain.value is not None and self.gain.value < 0


def beside(
    result: Fitted, folder: Path, prompts: PromptSet, *, draws: int = DRAWS, seed: int = 0
) -> Beside | None:
    """Both on the answers that neither was fitted to.

    None where the scorer in `folder` is of another model or other words, does not say which answers
    it was fitted to, or was fitted to all but a few of these.
    """
    shipped = _scorer_for(result, folder, prompts)
    if shipped is None:
        return None
    unseen = unseen_by(shipped, result.study.items)
    if unseen.sum() < FEWEST:
        return None
    items = result.study.items
    seen = items.index[~unseen]
    new = narrowed(result.study, result.study.labelled.index.difference(seen).to_series())
    languages = list(new.items["language"])
    told = zip(result.states[unseen], result.plain[unseen], languages, strict=True)
    old = with_scores(new, np.array([_row(shipped, *one) for one in told]), prompts)
    table = new.scores[OVERALL]
    gain = bootstrap_difference(
        table[GRADER],
        old.scores[OVERALL][GRADER],
        table[new.reference],
        new.items["cluster"],
        scale=new.scale,
        draws=draws,
        seed=seed,
    )
    qwk = qwk_between(old, GRADER, old.reference, draws, seed)
    return Beside(study=old, qwk=qwk, gain=gain["qwk"])


def _scorer_for(result: Fitted, folder: Path, prompts: PromptSet) -> Scorer | None:
    try:
        scorer = load_scorer(folder, prompts.rubric)
    except ConfigError:
        return None
    if scorer is None or scorer.model != result.about["model"]:
        return None
    other = scorer.reading_sha256 != hash_of_readings(prompts.folder)
    return None if other else scorer


def unseen_by(scorer: Scorer, items: pd.DataFrame) -> np.ndarray:
    """Which answers a scorer was not fitted to; none of them where it does not say."""
    known = frozenset(scorer.fitted_on or ())
    rows = zip(items["question"], items["answer"], strict=True)
    return np.array([bool(known) and digest_of(*row) not in known for row in rows], dtype=bool)


def _row(scorer: Scorer, state: np.ndarray, plain: np.ndarray, language: Language) -> list[float]:
    counted = tuple(map(float, plain)) if scorer.features else ()
    scores = scorer.scores(tuple(map(float, state)), language, counted)
    return [float(score) for score in scores.values()]
