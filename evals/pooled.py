"""Agreement over all items: grader with raters, raters with each other, formula and baselines."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from evals.baselines import baseline_scores
from evals.bootstrap import bootstrap_degradation, bootstrap_difference
from evals.candidates import candidate_means, decisions, ranking
from evals.figures import Figure, Setting, Tag, alpha, pair_figures
from evals.labels import OVERALL
from evals.study import GRADER, GRADERS, Study, formula_scores, rater_pairs, to_scale
from pipeline.records import Rubric
from pipeline.table.columns import CALIBRATED


def pooled_figures(study: Study, setting: Setting) -> Iterator[Figure]:
    """Per criterion: grader with each rater, raters with each other, degradation, alpha of all.

    A calibrated grader is held against the same raters, and against the raw one.
    """
    for criterion, table in study.scores.items():
        clusters = study.items["cluster"]
        others = [name for name in table.columns if name not in GRADERS]
        pairs = [(grader, name) for grader in study.graders for name in others]
        pairs += rater_pairs(study.raters)
        for first, second in pairs:
            tag = _tag(study, criterion, first, second)
            yield from pair_figures(tag, table[first], table[second], clusters, setting)
        yield from _degradations(study, criterion, setting)
        yield from _calibrated_less_raw(study, criterion, setting)
        yield from _alpha_of_all(study, criterion, setting)


def _degradations(study: Study, criterion: str, setting: Setting) -> Iterator[Figure]:
    table = study.scores[criterion]
    for a, b in rater_pairs(study.raters):
        estimate = bootstrap_degradation(
            table[GRADER],
            table[a],
            table[b],
            study.items["cluster"],
            scale=setting.scale,
            draws=setting.draws,
            seed=setting.seed,
        )
        tag = _tag(study, criterion, f"{a}-{b}", f"{GRADER}-{a}, {GRADER}-{b}", a, b)
        yield Figure(tag=tag, metric="degradation", estimate=estimate)


def _calibrated_less_raw(study: Study, criterion: str, setting: Setting) -> Iterator[Figure]:
    if CALIBRATED in study.graders:
        table = study.scores[criterion]
        after, before = ((name, table[name]) for name in (CALIBRATED, GRADER))
        yield _less(study, criterion, after, before, setting, scope="pooled")


def _less(
    study: Study,
    criterion: str,
    one: tuple[str, pd.Series],
    other: tuple[str, pd.Series],
    setting: Setting,
    *,
    scope: str = "baseline",
) -> Figure:
    """Kappa of one less kappa of the other with the reference, paired, by candidate."""
    found = bootstrap_difference(
        one[1],
        other[1],
        study.scores[criterion][study.reference],
        study.items["cluster"],
        scale=setting.scale,
        draws=setting.draws,
        seed=setting.seed,
    )
    first, reference = f"{one[0]} less {other[0]}", study.reference
    tag = _tag(study, criterion, first, reference, reference, scope=scope)
    return Figure(tag=tag, metric="qwk difference", estimate=found["qwk"])


def _alpha_of_all(study: Study, criterion: str, setting: Setting) -> Iterator[Figure]:
    if len(study.raters) < 2:
        return
    table = study.scores[criterion][list(study.raters)]
    counted = table.notna().sum(axis=1) > 1
    clusters = study.items.loc[counted, "cluster"].nunique()
    columns = [table[name] for name in study.raters]
    estimate = alpha(columns, setting.scale, int(counted.sum()), clusters)
    tag = _tag(study, criterion, "all raters", "each other", *study.raters)
    yield Figure(tag=tag, metric="alpha", estimate=estimate)


def formula_figures(study: Study, rubric: Rubric, setting: Setting) -> Iterator[Figure]:
    """The rubric's formula on the raters' criteria, held against their own overall.

    How well the weights and caps say what raters mean; the grader cannot do better than this.
    """
    if study.scale != rubric.scale:
        return
    table = study.scores[OVERALL]
    for rater in [name for name in table.columns if name not in GRADERS]:
        formula = formula_scores(study, rater, rubric)
        if formula.notna().any():
            tag = _tag(study, OVERALL, f"formula of {rater}", rater, rater, scope="formula")
            yield from pair_figures(tag, formula, table[rater], study.items["cluster"], setting)


def baseline_figures(study: Study, setting: Setting) -> Iterator[Figure]:
    """Each baseline against the reference, and how much better the grader's kappa is."""
    table, clusters = study.scores[OVERALL], study.items["cluster"]
    reference = table[study.reference].where(table[GRADER].notna())
    scores = baseline_scores(study.items, reference, setting.scale, seed=setting.seed)
    for name, baseline in scores.items():
        tag = _tag(study, OVERALL, str(name), study.reference, study.reference, scope="baseline")
        yield from pair_figures(tag, baseline, reference, clusters, setting)
    for grader in study.graders:
        for name, baseline in scores.items():
            yield _less(study, OVERALL, (grader, table[grader]), (str(name), baseline), setting)


def candidate_figures(study: Study, rubric: Rubric, setting: Setting) -> Iterator[Figure]:
    """Order of the candidates, and which side of the YES cut they fall on."""
    table = study.scores[OVERALL][[GRADER, study.reference]]
    means = candidate_means(study.items, table)
    tag = _tag(study, OVERALL, GRADER, study.reference, scope="candidates")
    yield Figure(tag=tag, metric="kendall tau-b", estimate=ranking(means, setting))
    for cut in rubric.cuts:
        if cut.recommendation == "YES":
            at = pd.Series([float(cut.at_least)])
            point = float(to_scale(at, rubric.scale, study.scale)[0])
            estimate = decisions(means, point, setting)
            yield Figure(tag=tag, metric=f"balanced accuracy at {point:g}", estimate=estimate)


def _tag(
    study: Study, criterion: str, first: str, second: str, *raters: str, scope: str = "pooled"
) -> Tag:
    named = raters or tuple(name for name in (first, second) if name not in GRADERS)
    return Tag(
        scope=scope,
        group="all",
        criterion=criterion,
        first=first,
        second=second,
        kind=study.kind(*named),
    )
