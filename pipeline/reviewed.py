"""What counts after review: the reviewer's overall, and the flags that nobody cleared.

The outcomes themselves stay as the grader made them; agreement reads those.
"""

from __future__ import annotations

from collections.abc import Mapping

from pipeline.records import Candidate, Grade, Interview, Outcome, Rubric
from pipeline.reviews import Review
from pipeline.scoring import grade_candidate


def review_candidate(
    interview: Interview,
    outcomes: Mapping[str, Outcome],
    reviews: Mapping[str, Review],
    rubric: Rubric,
) -> Candidate:
    """The grader's figures, with the recommendation that holds after review."""
    graded = grade_candidate(interview, outcomes, rubric)
    mine = [item.item_id for item in interview.items if item.item_id in reviews]
    if not mine:
        return graded
    counting = {name: after_review(outcomes[name], reviews[name]) for name in mine}
    after = grade_candidate(interview, {**outcomes, **counting}, rubric)
    reasons = after.reasons
    if after.overall != graded.overall:
        reasons = (*reasons, f"overall {after.overall} with the reviewers' scores")
    return graded.model_copy(update={"recommendation": after.recommendation, "reasons": reasons})


def after_review(outcome: Outcome, review: Review) -> Outcome:
    """The outcome as it counts after review."""
    flags = tuple(flag for flag in outcome.flags if flag not in review.cleared_flags)
    if not review.changes or review.after is None:
        return outcome.model_copy(update={"flags": flags})
    grade = Grade(
        criteria=outcome.grade.criteria if outcome.grade else (),
        overall=review.after,
        overall_capped=review.after,
        overall_uncapped=review.after,
        score_mode="verdict",
    )
    return outcome.model_copy(update={"flags": flags, "grade": grade, "status": "scored"})
