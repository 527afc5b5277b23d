"""Agreement by part of the data: language, question type, question, quality band."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from evals.figures import Figure, Setting, Tag, no_interval, pair_figures
from evals.labels import OVERALL
from evals.metrics.arrays import half_up_points
from evals.study import GRADER, Study

QUESTION_MIN = 5
"""A question with fewer answers gets no figures of its own."""
BAND_METRICS = frozenset({"mae", "bias", "exact", "adjacent"})
"""Within a band of the reference kappa is meaningless: the band takes the variation away."""


def breakdown_figures(study: Study, setting: Setting) -> Iterator[Figure]:
    """Grader against the reference on the overall, by part."""
    for scope in ("language", "question_type"):
        if scope in study.items:
            groups = study.items[scope]
            yield from _by_group(study, scope, groups, setting)
            yield from _dsm(study, scope, groups, setting)
    yield from _by_question(study, setting)
    bands = band_of(study.scores[OVERALL][study.reference], setting)
    yield from _by_group(study, "band", bands, setting, BAND_METRICS)


def band_of(reference: pd.Series, setting: Setting) -> pd.Series:
    """low, middle or high third of the scale by the rounded reference; missing stays missing."""
    low, high = setting.scale
    share = (half_up_points(reference) - low) / (high - low + 1)
    names = np.where(share < 1 / 3, "1 low", np.where(share < 2 / 3, "2 middle", "3 high"))
    return pd.Series(names, index=reference.index).where(reference.notna())


def _by_group(
    study: Study,
    scope: str,
    groups: pd.Series,
    setting: Setting,
    metrics: frozenset[str] | None = None,
) -> Iterator[Figure]:
    table = study.scores[OVERALL]
    for group in sorted(groups.dropna().unique()):
        part = groups.index[groups == group]
        yield from pair_figures(
            _tag(study, scope, str(group)),
            table.loc[part, GRADER],
            table.loc[part, study.reference],
            study.items.loc[part, "cluster"],
            setting,
            metrics,
        )


def _by_question(study: Study, setting: Setting) -> Iterator[Figure]:
    """Questions with enough answers, and the mean of their kappas through Fisher's z."""
    counted = study.scores[OVERALL][[GRADER, study.reference]].dropna().index
    questions = study.items.loc[counted, "question"]
    sizes = questions.value_counts()
    kept = questions[questions.isin(sizes.index[sizes >= QUESTION_MIN])]
    figures = list(_by_group(study, "question", kept, setting))
    yield from figures
    kappas = [f.estimate.value for f in figures if f.metric == "qwk"]
    known = [kappa for kappa in kappas if kappa is not None]
    if kappas:
        value = fisher_mean(known)
        why = f"mean over {len(known)} questions; undefined on {len(kappas) - len(known)}"
        clusters = study.items.loc[kept.index, "cluster"].nunique()
        tag = _tag(study, "question", "mean over questions")
        estimate = no_interval(value, len(kept), clusters, why)
        yield Figure(tag=tag, metric="qwk", estimate=estimate)


def fisher_mean(kappas: list[float]) -> float | None:
    """Mean of kappas through Fisher's z, each within +-.999; None without any."""
    if not kappas:
        return None
    return float(np.tanh(np.arctanh(np.clip(kappas, -0.999, 0.999)).mean()))


def _dsm(study: Study, scope: str, groups: pd.Series, setting: Setting) -> Iterator[Figure]:
    """Difference of standardised means by group: who gains by being graded by the LLM.

    Grader and reference are standardised over all items first (RSMTool 7), so that a general
    leniency does not show, only one towards a group. In standard deviations.
    """
    both = study.scores[OVERALL][[GRADER, study.reference]].dropna()
    spread = both.std(ddof=1)
    groups = groups.loc[both.index].dropna()
    if groups.nunique() < 2:
        return
    standard = (both - both.mean()) / spread.where(spread > 0)
    gap = standard[GRADER] - standard[study.reference]
    for group in sorted(groups.unique()):
        part = groups.index[groups == group]
        clusters = study.items.loc[part, "cluster"].nunique()
        why = "no interval computed" if spread.min() > 0 else "undefined: scores do not vary"
        estimate = no_interval(float(gap[part].mean()), len(part), clusters, why)
        yield Figure(tag=_tag(study, scope, str(group)), metric="dsm", estimate=estimate)


def _tag(study: Study, scope: str, group: str) -> Tag:
    return Tag(
        scope=scope,
        group=group,
        criterion=OVERALL,
        first=GRADER,
        second=study.reference,
        kind=study.kind(study.reference),
    )
