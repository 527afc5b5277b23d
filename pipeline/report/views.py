"""One candidate, ready to be printed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pipeline.records import Candidate, Interview, Language, Rubric
from pipeline.report.card import Card, make_card, naming_of
from pipeline.report.chart import Bar, bars
from pipeline.report.items import ItemView, item_views
from pipeline.report.reasons import in_words
from pipeline.report.tally import Entry, Means, means_of
from pipeline.review import QueueEntry
from pipeline.reviews import Review

Queue = Mapping[str, tuple[int, QueueEntry]]
"""By item id, its place in the queue of the run, from 1, and the entry."""


@dataclass(frozen=True, kw_only=True)
class RowView:
    """A candidate as a line of the list."""

    anchor: str
    """Id of the candidate's section."""
    candidate: Candidate
    """The figures."""
    name: str
    """The candidate's name, or the interview's id."""
    language: Language
    """Language of the interview."""
    detailed: bool
    """Whether the page shows more than this line."""


@dataclass(frozen=True, kw_only=True)
class PersonView(RowView):
    """A candidate with all that the page shows of him."""

    interview: Interview
    """The texts."""
    items: list[ItemView]
    card: Card
    bars: list[Bar]
    """Mean scores by criterion."""
    pooled: bool
    """Whether the bars carry marks of the mean over all candidates."""
    needs: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """By item id, why it stands in the queue, in plain words."""


def row_view(entry: Entry, place: int, *, detailed: bool) -> RowView:
    """The line of the candidate at a 1-based place."""
    interview, candidate = entry.interview, entry.candidate
    return RowView(
        anchor=f"c{place}",
        candidate=candidate,
        name=(interview and interview.candidate) or candidate.interview_id,
        language=interview.language if interview else "en",
        detailed=detailed,
    )


def row_reasons(entry: Entry, rubric: Rubric, language: Language) -> list[str]:
    """Why there is no recommendation, in the language of the page."""
    naming = naming_of(entry.interview, rubric, language)
    return [in_words(reason, naming) for reason in entry.candidate.reasons]


def person_view(
    entry: Entry,
    place: int,
    rubric: Rubric,
    reference: Means,
    queue: Queue,
    reviews: Mapping[str, Review],
) -> PersonView:
    """All of the candidate at a 1-based place, whose texts are there."""
    interview = entry.interview
    assert interview is not None
    row = row_view(entry, place, detailed=True)
    naming = naming_of(interview, rubric, row.language)
    items = item_views(interview, entry.outcomes, rubric)
    card = make_card(interview, entry.candidate, items, rubric, queue=queue, reviews=reviews)
    return PersonView(
        **vars(row),
        interview=interview,
        items=items,
        card=card,
        bars=bars(rubric, row.language, means_of(entry), reference),
        pooled=bool(reference),
        needs={
            item.item_id: [in_words(one, naming) for one in queue[item.item_id][1].reasons]
            for item in interview.items
            if item.item_id in queue
        },
    )
