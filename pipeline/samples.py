"""Several samples of one item as one outcome: the median of each criterion, and the spread.

The words are those of the sample nearest to the medians. Where too few samples gave a verdict,
the item fails: a median of what is left would hide that.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from statistics import median

from pipeline.flags import in_order
from pipeline.gates import injected_spans
from pipeline.grading import Recipe
from pipeline.question_type import question_type
from pipeline.records import CriterionVerdict, Grade, Item, Outcome, Usage, Verdict
from pipeline.scoring import flags_of_grade, grade_verdict
from pipeline.uncertainty import with_uncertainty

WIDE = 2
"""From this difference between samples on a criterion a reviewer has to look."""
HOPELESS = frozenset({"content_filtered", "prompt_truncated"})
"""Statuses that another sample would end with as well."""
OF_GRADE = frozenset({"quote_not_found", "quote_approximate", "unsupported_credit"})
"""Flags about one sample's quotes: worked out anew for the grade that results."""


def combined(outcomes: Sequence[Outcome], wanted: int, item: Item, recipe: Recipe) -> Outcome:
    """One outcome of an item from its samples; attempts and tokens are those of all."""
    graded = [outcome.grade for outcome in outcomes if outcome.grade]
    failed = [outcome for outcome in outcomes if not outcome.grade]
    enough = len(graded) > wanted // 2
    spread = _spread(graded) if enough else None
    grade = _median_grade(graded, item, recipe) if enough else None
    flags = {flag for outcome in outcomes for flag in outcome.flags} - OF_GRADE
    if grade is not None:
        flags |= {*flags_of_grade(grade, injected_spans(item.answer or ""))}
    if spread is not None and spread >= WIDE:
        flags.add("spread")
    return outcomes[0].model_copy(
        update={
            "status": "scored" if grade else failed[0].status,
            "grade": grade,
            "reason": _reason(outcomes, failed, wanted),
            "flags": in_order(flags),
            "spread": spread,
            "model": "|".join(sorted({o.model for o in outcomes if o.model})) or None,
            "attempts": sum(outcome.attempts for outcome in outcomes),
            "cached": all(outcome.cached for outcome in outcomes),
            "usage": _total(outcomes),
            "seconds": round(sum(outcome.seconds for outcome in outcomes), 3),
            "replies": tuple(reply for outcome in outcomes for reply in outcome.replies),
        }
    )


def _reason(outcomes: Sequence[Outcome], failed: Sequence[Outcome], wanted: int) -> str:
    if not failed:
        return outcomes[0].reason
    count = f"{len(failed)} of {len(outcomes)}"
    asked = "" if len(outcomes) == wanted else f" ({wanted} were asked for)"
    return f"{count} samples without a verdict{asked}: {failed[0].reason}"


def _median_grade(grades: Sequence[Grade], item: Item, recipe: Recipe) -> Grade:
    rubric, scorer = recipe.prompts.rubric, recipe.prompts.scorer
    medians = {key: median(scores) for key, scores in _by_key(grades).items()}
    nearest = min(grades, key=lambda grade: _distance(grade, medians))
    verdict = Verdict(
        criteria={
            part.key: CriterionVerdict(
                quote=part.quote,
                problems=part.problems,
                rationale=part.rationale,
                score=int(part.score or 0),
            )
            for part in nearest.criteria
        }
    )
    # A criterion that is not asked for has no median, and none is looked at.
    scores = {key: medians.get(key, Decimal(0)) for key in rubric.keys}
    kind = question_type(item.question, item.objective)
    grade = grade_verdict(
        verdict, item.answer or "", rubric, mode="median", scores=scores, profile=kind
    )
    explained = all(one.explained for one in grades)
    grade = grade.model_copy(update={"explained": explained})
    found = scorer.uncertainty if scorer else None
    inside = all(one.abstention != "outside" for one in grades)
    return with_uncertainty(grade, found, kind, rubric.scale, inside=inside)


def _by_key(grades: Sequence[Grade]) -> dict[str, list[Decimal]]:
    scores: dict[str, list[Decimal]] = {}
    for grade in grades:
        for part in grade.criteria:
            if part.score is not None:
                scores.setdefault(part.key, []).append(part.score)
    return scores


def _spread(grades: Sequence[Grade]) -> int:
    """The largest difference between two samples on one criterion."""
    return max((int(max(s) - min(s)) for s in _by_key(grades).values()), default=0)


def _distance(grade: Grade, medians: dict[str, Decimal]) -> Decimal:
    return sum(
        (abs(part.score - medians[part.key]) for part in grade.criteria if part.score is not None),
        Decimal(0),
    )


def _total(outcomes: Sequence[Outcome]) -> Usage:
    total = Usage()
    for outcome in outcomes:
        total += outcome.usage
    return total
