"""What the weights do: overall and rank by type of question, and with equal weights.

Whoever weighs criteria unequally owes a reason: the order under equal weights shows what hangs
on it. The scores are the same under both, only the formula differs.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal

from pipeline.question_type import question_type
from pipeline.records import COUNTED, Candidate, Interview, Outcome, Rubric
from pipeline.scoring import caps_that_apply, half_up, weighted_mean

MOST_TOLD = 20
"""So many candidates that change places are named."""


def with_both_overalls(
    candidate: Candidate, interview: Interview, outcomes: Mapping[str, Outcome], rubric: Rubric
) -> Candidate:
    """The candidate with the overall by type of question and with equal weights."""
    profiles = [name for name in ("type", "equal") if name == "type" or name in rubric.weights]
    overalls = {
        f"overall_by_{name}": overall_under(name, interview, outcomes, rubric) for name in profiles
    }
    return candidate.model_copy(update=overalls)


def with_both_ranks(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The candidates with their rank under both overalls."""
    by_type = ranks([one.overall_by_type for one in candidates])
    equal = ranks([one.overall_by_equal for one in candidates])
    return [
        one.model_copy(update={"rank_by_type": first, "rank_by_equal": second})
        for one, first, second in zip(candidates, by_type, equal, strict=True)
    ]


def overall_under(
    profile: str, interview: Interview, outcomes: Mapping[str, Outcome], rubric: Rubric
) -> Decimal | None:
    """A candidate's overall under a profile of weights, half up; None without a graded item."""
    weighing = rubric.model_copy(update={"profile": profile})
    overalls = []
    for item in interview.items:
        outcome = outcomes.get(item.item_id)
        if outcome is None or outcome.status not in COUNTED or outcome.grade is None:
            continue
        scores = {c.key: c.score for c in outcome.grade.criteria if c.score is not None}
        weights = weighing.weights_for(question_type(item.question, item.objective))
        if not weights.keys() & scores.keys():
            return None  # graded by another rubric
        mean = weighted_mean(scores, weights)
        overalls.append(min([mean, *caps_that_apply(scores, rubric)]))
    return half_up(sum(overalls, Decimal(0)) / len(overalls)) if overalls else None


def ranks(values: Sequence[Decimal | None]) -> list[int | None]:
    """1 for the highest; equal values share the better rank; None without a value."""
    known = sorted(value for value in values if value is not None)
    return [
        None if value is None else 1 + len(known) - bisect_right(known, value) for value in values
    ]


def moves(candidates: Iterable[Candidate]) -> list[Candidate]:
    """The candidates whose rank is another one under equal weights."""
    return [one for one in candidates if None not in _ranks(one) and len({*_ranks(one)}) == 2]


def told(candidates: Sequence[Candidate]) -> str:
    """What equal weights would change, in one line; empty where there is nothing to compare."""
    if sum(one.rank_by_equal is not None for one in candidates) < 2:
        return ""
    moved = [
        f"{one.interview_id} {one.rank_by_type} -> {one.rank_by_equal}" for one in moves(candidates)
    ]
    if not moved:
        return "Ranks by type of question and with equal weights are the same."
    rest = len(moved) - MOST_TOLD
    others = f"{rest} more as in candidates.csv, all others stay" if rest > 0 else "all others stay"
    return (
        "Ranks by type of question -> with equal weights: "
        f"{', '.join(moved[:MOST_TOLD])}; {others}."
    )


def _ranks(candidate: Candidate) -> tuple[int | None, int | None]:
    return candidate.rank_by_type, candidate.rank_by_equal
