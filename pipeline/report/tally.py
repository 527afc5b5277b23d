"""What the candidates of a run add up to: taken in one by one, small however many there are."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import NamedTuple

from pipeline.records import COUNTED, STATUSES, Candidate, Interview, Outcome

NOT_SCORED = "no score"
NOTHING_ANSWERED = "nothing answered"
"""The two groups that stand apart from every distribution of overalls."""


class Entry(NamedTuple):
    """One candidate with all that the report shows of him."""

    candidate: Candidate
    """The figures."""
    interview: Interview | None
    """The texts, where they are still there."""
    outcomes: Mapping[str, Outcome]
    """By item id, the outcomes of this interview; others among them are passed over."""


class Mean(NamedTuple):
    """A sum and how many values are in it."""

    total: Decimal = Decimal(0)
    values: int = 0

    def plus(self, value: Decimal) -> Mean:
        """With one more value."""
        return Mean(self.total + value, self.values + 1)

    @property
    def value(self) -> Decimal | None:
        """The mean, unrounded; None where there is nothing."""
        return self.total / self.values if self.values else None


Means = Mapping[str, Mean]
"""By criterion key, the mean of the scores that count."""


@dataclass
class Tally:
    """Counts and sums over the candidates so far."""

    candidates: int = 0
    asked: int = 0
    statuses: Counter[str] = field(default_factory=Counter)
    """Items by status."""
    means: dict[str, Mean] = field(default_factory=lambda: defaultdict(Mean))
    """Scores of all candidates together, by criterion."""
    overalls: Counter[Decimal | str] = field(default_factory=Counter)
    """Candidates by overall; those without one, or who answered nothing, under their own name."""
    answered_only: Counter[Decimal | str] = field(default_factory=Counter)
    """The same for the mean over scored items alone."""
    coverages: Counter[Decimal] = field(default_factory=Counter)
    """Candidates by share of answered questions."""
    models: dict[str, None] = field(default_factory=dict)
    versions: dict[str, None] = field(default_factory=dict)
    modes: dict[str, None] = field(default_factory=dict)
    """Models that answered, prompt versions and score modes, each in order of appearance."""
    tokens_in: int = 0
    tokens_out: int = 0

    def add(self, entry: Entry) -> None:
        """Take in one candidate."""
        one = entry.candidate
        self.candidates += 1
        self.asked += one.asked
        group = NOTHING_ANSWERED if not one.answered else NOT_SCORED
        nothing = one.overall is None or not one.answered
        self.overalls[group if nothing or one.overall is None else one.overall] += 1
        only = one.overall_answered_only
        self.answered_only[group if only is None else only] += 1
        if one.coverage is not None:
            self.coverages[one.coverage] += 1
        for outcome in outcomes_of(entry):
            self._add_outcome(outcome)

    def _add_outcome(self, outcome: Outcome) -> None:
        self.statuses[outcome.status] += 1
        self.tokens_in += outcome.usage.input_tokens or 0
        self.tokens_out += outcome.usage.output_tokens or 0
        if outcome.model:
            self.models[outcome.model] = None
        if outcome.prompt_version:
            self.versions[outcome.prompt_version] = None
        if outcome.grade is not None and outcome.status == "scored":
            self.modes[outcome.grade.score_mode] = None
        _add_scores(self.means, outcome)

    def by_status(self) -> list[tuple[str, int]]:
        """How many items ended in which status, in the order of the contract, without zeros."""
        counts = Counter(self.statuses)
        counts["not_run"] += self.asked - self.statuses.total()
        return [(status, counts[status]) for status in STATUSES if counts[status] > 0]


def outcomes_of(entry: Entry) -> list[Outcome]:
    """The candidate's own outcomes; without the texts, all that were handed over."""
    if entry.interview is None:
        own = entry.candidate.interview_id
        return [outcome for outcome in entry.outcomes.values() if outcome.interview_id == own]
    found = (entry.outcomes.get(item.item_id) for item in entry.interview.items)
    return [outcome for outcome in found if outcome is not None]


def means_of(entry: Entry) -> Means:
    """The candidate's mean score by criterion."""
    means: dict[str, Mean] = defaultdict(Mean)
    for outcome in outcomes_of(entry):
        _add_scores(means, outcome)
    return means


def _add_scores(means: dict[str, Mean], outcome: Outcome) -> None:
    if outcome.grade is None or outcome.status not in COUNTED:
        return
    for part in outcome.grade.criteria:
        if part.score is not None:
            means[part.key] = means[part.key].plus(part.score)
