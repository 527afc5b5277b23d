"""The review queue: which grades a person should look at first, and why, in plain words."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal

from pipeline.flags import FLAGS
from pipeline.records import COUNTED, FAILED, Candidate, Interview, Outcome, Record, Rubric
from pipeline.reviews import Review

FAILURE = 5
BLOCKS = 4
NEAR_A_CUT = 2
NO_QUOTE = 1
SAMPLES_DIFFER = 1
DOUBTS = {
    "mismatch": 3,
    "quote_not_found": 2,
    "low_confidence": 2,
    "self_contradiction": 2,
    "truncated_end": 1,
    "duplicate_answer": 1,
    "other_language": 1,
    "hidden_characters": 1,
    "over_length": 1,
    "quote_approximate": 1,
    "repaired": 1,
}
"""Points of the flags that do not block; one that is not listed asks for no look."""
MOST_QUEUED = 10_000
"""A longer queue is cut: nobody gets to its end."""
Reason = tuple[int, str]
"""Points and plain words."""


class QueueEntry(Record):
    """One item that asks for a look."""

    item_id: str
    """The item."""
    interview_id: str
    """Its interview."""
    priority: int
    """Sum of the points of its reasons; the highest comes first."""
    reasons: tuple[str, ...]
    """Why it asks for a look."""
    overall: Decimal | None
    """The grader's overall."""
    flags: tuple[str, ...]
    """The outcome's flags."""


def review_queue(
    interviews: Sequence[Interview],
    outcomes: Mapping[str, Outcome],
    candidates: Sequence[Candidate],
    rubric: Rubric,
    reviews: Mapping[str, Review],
) -> list[QueueEntry]:
    """The items that nobody has decided on and that ask for a look, most urgent first."""
    by_id = {candidate.interview_id: candidate for candidate in candidates}
    queue = [
        _entry(outcomes[item.item_id], reasons)
        for interview in interviews
        for item in interview.items
        if item.item_id in outcomes
        and item.item_id not in reviews
        and (reasons := list(_reasons(outcomes[item.item_id], by_id.get(interview.id), rubric)))
    ]
    return sorted(queue, key=_urgency)


def most_urgent(queue: list[QueueEntry]) -> list[QueueEntry]:
    """The queue as far as anybody gets through it: the first `MOST_QUEUED` entries, in order."""
    return heapq.nsmallest(MOST_QUEUED, queue, key=_urgency)


def _urgency(entry: QueueEntry) -> tuple[int, str]:
    return -entry.priority, entry.item_id


def _entry(outcome: Outcome, reasons: list[Reason]) -> QueueEntry:
    graded = outcome.grade if outcome.status in COUNTED else None
    return QueueEntry(
        item_id=outcome.item_id,
        interview_id=outcome.interview_id,
        priority=sum(points for points, _ in reasons),
        reasons=tuple(words for _, words in reasons),
        overall=graded.overall if graded else None,
        flags=outcome.flags,
    )


def _reasons(outcome: Outcome, candidate: Candidate | None, rubric: Rubric) -> Iterator[Reason]:
    if outcome.status in FAILED:
        yield FAILURE, f"no grade: {outcome.status}"
    for flag in outcome.flags:
        meaning, blocks = FLAGS.get(flag, ("", False))
        if points := BLOCKS if blocks else DOUBTS.get(flag, 0):
            yield points, f"{flag}: {meaning}"
    if outcome.spread and "spread" not in outcome.flags:
        yield SAMPLES_DIFFER, f"the samples differ by {outcome.spread} on a criterion"
    if outcome.overall_without_injection is not None:
        yield 0, f"without the suspicious passage: overall {outcome.overall_without_injection}"
    yield from _missing_quotes(outcome, rubric)
    if outcome.status == "scored" and candidate is not None:
        yield from _near_a_cut(candidate, rubric)


def _missing_quotes(outcome: Outcome, rubric: Rubric) -> Iterator[Reason]:
    """Points credited without so much as a quote; from 3 on a flag says so already."""
    if outcome.grade is None or "unsupported_credit" in outcome.flags:
        return
    if not outcome.grade.explained:
        return
    lacking = [
        part.key
        for part in outcome.grade.criteria
        if part.match == "none" and part.score is not None and part.score > rubric.scale[0] + 1
    ]
    if lacking:
        yield NO_QUOTE, f"no quote for {', '.join(lacking)}"


def _near_a_cut(candidate: Candidate, rubric: Rubric) -> Iterator[Reason]:
    """Half a point on this item alone would change the recommendation."""
    if candidate.overall is None or not candidate.graded:
        return
    overall, reach = candidate.overall, Decimal("0.5") / candidate.graded
    # Everybody has at least the lowest point, so that its cut divides nobody.
    cuts = [cut for cut in rubric.cuts if cut.at_least > rubric.scale[0]]
    for cut in sorted(cuts, key=lambda cut: abs(overall - cut.at_least))[:1]:
        if abs(overall - cut.at_least) <= reach:
            yield (
                NEAR_A_CUT,
                f"the candidate's overall {overall} is near the cut of {cut.recommendation} "
                f"at {cut.at_least}",
            )
