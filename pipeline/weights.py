"""What the weights do: overall and rank by type of question, and with equal weights.

Whoever weighs criteria unequally owes a reason: the order under equal weights shows what hangs
on it. The scores are the same under both, only the formula differs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal

from pipeline.question_type import question_type
from pipeline.records import COUNTED, Candidate, Interview, Outcome, Rubric
from pipeline.scoring import caps_that_apply, half_up, weighted_mean


def with_both_orders(
    candidates: Iterable[Candidate],
    interviews: Iterable[Interview],
    outcomes: Mapping[str, Outcome],
    rubric: Rubric,
) -> list[Candidate]:
    """The candidates with overall and rank by type of question and with equal weights."""
    by_id = {interview.id: interview for interview in interviews}
    profiles = [name for name in ("type", "equal") if name == "type" or name in rubric.weights]
    weighed = [
        candidate.model_copy(
            update={
                f"overall_by_{name}": overall_under(
                    name, by_id[candidate.interview_id], outcomes, rubric
                )
                for name in profiles
            }
        )
        for candidate in candidates
    ]
    by_type = ranks([one.overall_by_type for one in weighed])
    equal = ranks([one.overall_by_equal for one in weighed])
    return [
        one.model_copy(update={"rank_by_type": first, "rank_by_equal": second})
        for one, first, second in zip(weighed, by_type, equal, strict=True)
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
    known = [value for value in values if value is not None]
    return [
        None if value is None else 1 + sum(other > value for other in known) for value in values
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
    return f"Ranks by type of question -> with equal weights: {', '.join(moved)}; all others stay."


def _ranks(candidate: Candidate) -> tuple[int | None, int | None]:
    return candidate.rank_by_type, candidate.rank_by_equal
