"""What a run adds up to, in one pass over its interviews: candidates, counts and review queue."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pipeline.manifest import Totals
from pipeline.records import Candidate, Interview, Outcome, Rubric
from pipeline.review import MOST_QUEUED, QueueEntry, most_urgent, review_queue
from pipeline.reviewed import review_candidate
from pipeline.reviews import Review
from pipeline.run_reader import Ended
from pipeline.weights import with_both_overalls, with_both_ranks

UNMEASURED = "the embedded model's agreement with people is not measured"
UNCERTAIN = "the embedded model's scores are too uncertain to advise on a person"


@dataclass(frozen=True)
class Summary:
    """The figures of a run; nothing in it grows with the number of items but the bounded queue."""

    ranking: Sequence[Candidate]
    """By interview id."""
    totals: Totals
    queue: Sequence[QueueEntry]
    """What asks for a look, most urgent first."""
    reviews: Mapping[str, Review]
    """By item id, the decision of a reviewer that counts."""


def summarise(
    ended: Iterable[Ended], rubric: Rubric, decided: Mapping[str, Review], *, hold_back: str = ""
) -> Summary:
    """Sum up a run. `hold_back` says why nobody gets a recommendation from unreviewed scores."""
    totals, queue = Totals(), list[QueueEntry]()
    ranking: list[Candidate] = []
    reviews: dict[str, Review] = {}
    for interview, outcomes in ended:
        totals.add(interview, outcomes)
        mine = {name: decided[name] for name in outcomes if name in decided}
        reviews |= mine
        one = _candidate(interview, outcomes, rubric, mine)
        queue += review_queue([interview], outcomes, [one], rubric, mine)
        if len(queue) > 2 * MOST_QUEUED:
            queue = most_urgent(queue)
        if hold_back and any(is_unreviewed(outcome, mine) for outcome in outcomes.values()):
            one = held_back(one, hold_back, uncertain_scores(interview, outcomes, mine))
        ranking.append(one)
    return Summary(with_both_ranks(ranking), totals, most_urgent(queue), reviews)


def _candidate(
    interview: Interview,
    outcomes: Mapping[str, Outcome],
    rubric: Rubric,
    reviews: Mapping[str, Review],
) -> Candidate:
    graded = review_candidate(interview, outcomes, reviews, rubric)
    return with_both_overalls(graded, interview, outcomes, rubric)


def is_unreviewed(outcome: Outcome, reviews: Mapping[str, Review]) -> bool:
    """Whether a score stands on the model alone."""
    return outcome.status == "scored" and outcome.item_id not in reviews


def uncertain_scores(
    interview: Interview, outcomes: Mapping[str, Outcome], reviews: Mapping[str, Review]
) -> str:
    """How many scores that nobody reviewed are too uncertain, and which; "" where none is."""
    alone = {
        place: outcomes[item.item_id]
        for place, item in enumerate(interview.items, start=1)
        if item.item_id in outcomes and is_unreviewed(outcomes[item.item_id], reviews)
    }
    doubtful = [str(place) for place, one in alone.items() if one.grade and one.grade.abstention]
    if not doubtful:
        return ""
    items = f"item{'s' * (len(doubtful) > 1)} {', '.join(doubtful)}"
    return f"{len(doubtful)} of {len(alone)} scores are too uncertain to go by ({items})"


def held_back(candidate: Candidate, why: str, doubtful: str) -> Candidate:
    """The candidate without a recommendation: this model's scores cannot carry one."""
    reasons = (why, *filter(None, [doubtful]), *candidate.reasons)
    return candidate.model_copy(update={"recommendation": "NO_DECISION", "reasons": reasons})
