"""Verdict -> grade -> candidate. All arithmetic in Decimal, rounded half up once, at the end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal
from itertools import pairwise

from pipeline.flags import blocking, in_order
from pipeline.gates import check
from pipeline.quotes import Located, fold, locate_folded
from pipeline.records import (
    COUNTED,
    Candidate,
    CriterionGrade,
    Grade,
    Interview,
    Outcome,
    Rubric,
    ScoreMode,
    Verdict,
)

UNANSWERED = frozenset({"blank", "copied", "missing"})
"""Statuses of items to which no answer of the candidate's own was given."""
CREDIT = Decimal(3)
"""From this score on a criterion needs a quote that is found in the answer."""


def half_up(value: Decimal, places: int = 1) -> Decimal:
    """Rounded half up: 2.25 -> 2.3, as published scores are."""
    return value.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)


def grade_verdict(
    verdict: Verdict,
    answer: str,
    rubric: Rubric,
    *,
    mode: ScoreMode,
    scores: Mapping[str, Decimal] | None = None,
    profile: str = "default",
) -> Grade:
    """The rules of the rubric applied to a verdict; `scores` replaces its whole points.

    `profile` is the type of the question, or a profile of weights.
    """
    folded, weights = fold(answer), rubric.weights_for(profile)
    criteria = []
    for key in rubric.keys:
        opinion = verdict.criteria[key]
        asked = key in weights
        quote = fold(opinion.quote).text
        found = locate_folded(quote, folded) if opinion.quote.strip() else Located(match="none")
        points = scores[key] if scores is not None else Decimal(opinion.score)
        criteria.append(
            CriterionGrade(
                key=key,
                score=points if asked else None,
                quote=opinion.quote,
                match=found.match,
                span=found.span,
                problems=opinion.problems,
                rationale=opinion.rationale,
            )
        )
    return _with_overall(tuple(criteria), rubric, mode, profile)


def zero_grade(rubric: Rubric, *, profile: str = "default") -> Grade:
    """The grade of a blank or copied answer: nothing to credit, no call made."""
    zero, weights = Decimal(0), rubric.weights_for(profile)
    criteria = tuple(
        CriterionGrade(key=key, score=zero if key in weights else None) for key in rubric.keys
    )
    return Grade(
        criteria=criteria,
        overall=half_up(zero),
        overall_capped=zero,
        overall_uncapped=zero,
        score_mode="gate",
    )


def _with_overall(
    criteria: tuple[CriterionGrade, ...], rubric: Rubric, mode: ScoreMode, profile: str
) -> Grade:
    scores = {c.key: c.score for c in criteria if c.score is not None}
    uncapped, capped = overall_of(scores, rubric, profile)
    return Grade(
        criteria=criteria,
        overall=half_up(capped),
        overall_capped=capped,
        overall_uncapped=uncapped,
        score_mode=mode,
    )


def overall_of(
    scores: Mapping[str, Decimal], rubric: Rubric, profile: str
) -> tuple[Decimal, Decimal]:
    """The rubric's formula: the weighted mean, and the same after caps; both unrounded."""
    uncapped = weighted_mean(scores, rubric.weights_for(profile))
    return uncapped, min([uncapped, *caps_that_apply(scores, rubric)])


def weighted_mean(scores: Mapping[str, Decimal], weights: Mapping[str, Decimal]) -> Decimal:
    """Mean over the criteria that have both; the weight of the others is redistributed."""
    keys = [key for key in scores if key in weights]
    return sum((scores[k] * weights[k] for k in keys), Decimal(0)) / sum(weights[k] for k in keys)


def caps_that_apply(scores: Mapping[str, Decimal], rubric: Rubric) -> list[Decimal]:
    """Upper bounds of the overall; scores are rounded half up for this comparison only."""
    return [
        cap.overall
        for cap in rubric.caps
        if cap.criterion in scores and half_up(scores[cap.criterion], 0) <= cap.at_most
    ]


def flags_of_grade(grade: Grade, injected: Sequence[tuple[int, int]] = ()) -> tuple[str, ...]:
    """What the quotes say about the grade; a quote of an injected passage supports nothing.

    A grade without explanations has no such flag: that no quote was asked for says nothing of it.
    """
    if not grade.explained:
        return ()
    flags = set()
    for criterion in grade.criteria:
        if criterion.match == "not_found":
            flags.add("quote_not_found")
        if criterion.match == "approximate":
            flags.add("quote_approximate")
        located = criterion.span is not None and not _overlaps(criterion.span, injected)
        if not located and criterion.score is not None and criterion.score >= CREDIT:
            flags.add("unsupported_credit")
    return in_order(flags)


def _overlaps(span: tuple[int, int], others: Sequence[tuple[int, int]]) -> bool:
    return any(span[0] < end and start < span[1] for start, end in others)


def grade_candidate(
    interview: Interview, outcomes: Mapping[str, Outcome], rubric: Rubric
) -> Candidate:
    """Coverage, means and the advisory recommendation of one interview."""
    ended = [outcomes.get(item.item_id) for item in interview.items]
    asked = len(ended)
    # An item that was not run yet is looked at too: the answered share does not hang on progress.
    unanswered = sum(
        outcome.status in UNANSWERED if outcome else check(item) is not None
        for outcome, item in zip(ended, interview.items, strict=True)
    )
    counted = [o for o in ended if o is not None and o.status in COUNTED]
    scored = [o for o in counted if o.status == "scored"]
    coverage = Decimal(asked - unanswered) / asked if asked else None
    overall = _mean_overall(counted)
    reasons = _reasons_against(ended, coverage, rubric)
    recommendation = _cut(overall, rubric) if overall is not None and not reasons else None
    if not reasons and recommendation is None:
        reasons = ["the rubric has no recommendation for this overall"]
    # Its patterns take time to read in, and nothing before the end of a run needs them.
    from pipeline.contradictions import find_contradictions

    return Candidate(
        interview_id=interview.id,
        role=interview.role,
        years_experience=interview.years_experience,
        asked=asked,
        answered=asked - unanswered,
        graded=len(counted),
        coverage=coverage,
        overall=overall,
        overall_answered_only=_mean_overall(scored),
        recommendation=recommendation or "NO_DECISION",
        reasons=tuple(reasons),
        contradictions=find_contradictions(interview, outcomes),
    )


def _mean_overall(outcomes: Sequence[Outcome]) -> Decimal | None:
    values = [outcome.grade.overall_capped for outcome in outcomes if outcome.grade]
    return half_up(sum(values, Decimal(0)) / len(values)) if values else None


def _cut(overall: Decimal, rubric: Rubric) -> str | None:
    reached = [cut.recommendation for cut in rubric.cuts if overall >= cut.at_least]
    return reached[0] if reached else None


def _reasons_against(
    ended: Sequence[Outcome | None], coverage: Decimal | None, rubric: Rubric
) -> list[str]:
    """Why no recommendation can be given; empty where one can."""
    if coverage is None:
        return ["no items"]
    reasons = []
    if coverage < rubric.min_coverage:
        asked, least = len(ended), half_up(rubric.min_coverage * 100, 0)
        answered = half_up(coverage * asked, 0)
        reasons.append(f"{answered} of {asked} questions are answered (at least {least}% needed)")
    for about, positions in _open_points(ended).items():
        word = "item" if len(positions) == 1 else "items"
        reasons.append(f"{word} {', '.join(map(str, positions))}: {about}")
    shifted = [bool(outcome and "mismatch" in outcome.flags) for outcome in ended]
    if any(both == (True, True) for both in pairwise(shifted)):
        reasons.append("two answers in a row fit other questions; the source may be shifted")
    return reasons


def _open_points(ended: Sequence[Outcome | None]) -> dict[str, list[int]]:
    """What speaks against a recommendation, and at which 1-based positions."""
    points: dict[str, list[int]] = {}
    for position, outcome in enumerate(ended, start=1):
        status = outcome.status if outcome else "not_run"
        about = [] if status in COUNTED else [f"no score ({status})"]
        about += [f"flag {flag}" for flag in blocking(outcome.flags)] if outcome else []
        for point in about:
            points.setdefault(point, []).append(position)
    return points
