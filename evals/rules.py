"""Figures and thresholds -> checks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from evals.bootstrap import Estimate
from evals.figures import Figure
from evals.labels import OVERALL
from evals.study import GRADER, Study
from evals.thresholds import Check, Thresholds, at_least, at_most, within

SUBGROUP_MIN = 100
"""A language with fewer answers is shown, but chance alone would break the rule too often."""
Rule = Callable[[str, float | None, float, int, str], Check]


def make_checks(figures: Sequence[Figure], study: Study, rules: Thresholds) -> Iterator[Check]:
    """Every rule that is switched on, applied to grader against reference."""
    yield from _overall_checks(figures, study, rules)
    yield from _criterion_checks(figures, study, rules)
    yield from _degradation_checks(figures, study, rules)
    yield from _subgroup_checks(figures, rules)
    if rules.beats_baselines:
        yield from _baseline_checks(figures)
    if rules.ungraded is not None:
        yield _ungraded_check(study, rules.ungraded)


def _overall_checks(figures: Sequence[Figure], study: Study, rules: Thresholds) -> Iterator[Check]:
    mine = _pooled(figures, study, OVERALL)
    wanted: list[tuple[str, Rule, float | None]] = [
        ("qwk", at_least, rules.qwk),
        ("smd", within, rules.smd),
        ("bias", within, rules.bias),
        ("adjacent", at_least, rules.adjacent),
    ]
    for metric, rule, limit in wanted:
        if limit is not None:
            yield _apply(rule, metric, mine[metric], limit)
    if rules.qwk_low is not None:
        qwk = mine["qwk"]
        yield at_least("lower end of qwk", qwk.low, rules.qwk_low, qwk.n, qwk.why)


def _criterion_checks(
    figures: Sequence[Figure], study: Study, rules: Thresholds
) -> Iterator[Check]:
    """Criteria with as many answers as the overall needs; not every question asks for each."""
    if rules.criterion_qwk is None:
        return
    for criterion in study.scores:
        qwk = _pooled(figures, study, criterion)["qwk"]
        if criterion != OVERALL and qwk.n >= max(rules.min_items, 1):
            yield _apply(at_least, f"qwk of {criterion}", qwk, rules.criterion_qwk)


def _degradation_checks(
    figures: Sequence[Figure], study: Study, rules: Thresholds
) -> Iterator[Check]:
    if rules.degradation is None:
        return
    found = [f for f in figures if f.metric == "degradation" and f.tag.criterion == OVERALL]
    if not found:
        n = int(study.scores[OVERALL][study.reference].notna().sum())
        why = "there is one rater only; a second one, or `degradation: null`, settles it"
        yield at_most("degradation", None, rules.degradation, n, why)
    for figure in found:
        name = f"degradation ({figure.tag.first})"
        yield _apply(at_most, name, figure.estimate, rules.degradation)


def _subgroup_checks(figures: Sequence[Figure], rules: Thresholds) -> Iterator[Check]:
    if rules.subgroup_dsm is None:
        return
    found = [f for f in figures if (f.metric, f.tag.scope) == ("dsm", "language")]
    for figure in found:
        if figure.estimate.n >= SUBGROUP_MIN:
            name = f"dsm of {figure.tag.group}"
            yield _apply(within, name, figure.estimate, rules.subgroup_dsm)


def _baseline_checks(figures: Sequence[Figure]) -> Iterator[Check]:
    found = {f.tag.first: f.estimate for f in figures if f.metric == "qwk difference"}
    for name in ("length", "tf-idf", "length + tf-idf"):
        yield _apply(at_least, f"qwk above {name}", found[f"{GRADER} less {name}"], 0.0)


def _ungraded_check(study: Study, limit: float) -> Check:
    """Blank, copied and missing items need no LLM; all else without a grade counts."""
    settled = study.labelled.isin(["scored", "blank", "copied", "missing"])
    n = len(study.labelled)
    value = float(1 - settled.mean()) if n else None
    return at_most("share without a grade", value, limit, n, "" if n else "no labels")


def _pooled(figures: Sequence[Figure], study: Study, criterion: str) -> dict[str, Estimate]:
    wanted = ("pooled", criterion, GRADER, study.reference)
    return {
        figure.metric: figure.estimate
        for figure in figures
        if (figure.tag.scope, figure.tag.criterion, figure.tag.first, figure.tag.second) == wanted
    }


def _apply(rule: Rule, name: str, estimate: Estimate, limit: float) -> Check:
    return rule(name, estimate.value, limit, estimate.n, estimate.why)
