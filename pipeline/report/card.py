"""The recruiter's page of one candidate: the advice and why, the figures, what to do next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from pipeline.records import Candidate, Interview, Language, Rubric
from pipeline.report.ask import Ask, what_to_ask
from pipeline.report.items import ItemView, band_of, number_of
from pipeline.report.phrases import say
from pipeline.report.reasons import Naming, in_words
from pipeline.report.strip import Strip, strip
from pipeline.report.words import RECOMMENDATION_WORDS, in_language, word
from pipeline.review import QueueEntry
from pipeline.reviews import Review
from pipeline.table.numbers import at_most, fixed, round_half_up

MOST = 6
"""So many lines of a list stand on the page, so that it stays one page."""


@dataclass(frozen=True, kw_only=True)
class Need:
    """One item that a person should look at."""

    place: int
    """1-based place of the item in its interview."""
    number: str
    """Its number."""
    queue_place: int
    """Its place in the queue of the whole run."""
    priority: int
    reasons: tuple[str, ...]
    """Why, in plain words."""


@dataclass(frozen=True, kw_only=True)
class Card:
    """What stands on the recruiter's page, beside the name."""

    advice: str
    """The recommendation, in words."""
    reasons: list[str]
    """Why there is none, or what to keep in mind."""
    overall: str
    """With one decimal; empty without one."""
    meaning: list[str]
    """What the overall means, in sentences."""
    coverage: str
    """A sentence; empty without items."""
    strip: Strip
    """How each question ended."""
    decided: str
    """How many answers a person has decided on; empty for none."""
    asks: list[Ask]
    more_asks: int
    needs: list[Need]
    more_needs: int
    shared: tuple[str, ...]
    """Reasons that all items in the queue have in common."""
    contradictions: list[str]
    warnings: tuple[str, ...]


def make_card(
    interview: Interview,
    candidate: Candidate,
    items: Sequence[ItemView],
    rubric: Rubric,
    *,
    queue: Mapping[str, tuple[int, QueueEntry]],
    reviews: Mapping[str, Review],
) -> Card:
    """The page of one candidate; `queue` has entries by item id, with their place from 1."""
    language = interview.language
    naming = naming_of(interview, rubric, language)
    asks = what_to_ask(items, rubric, language)
    needs, shared = _without_shared(_needs(items, queue, naming))
    decided = sum(item.item.item_id in reviews for item in items)
    return Card(
        advice=word(RECOMMENDATION_WORDS, candidate.recommendation, language),
        reasons=[in_words(reason, naming) for reason in candidate.reasons],
        overall="" if candidate.overall is None else fixed(candidate.overall, 1),
        meaning=overall_in_words(candidate, rubric, language),
        coverage=_coverage(candidate, rubric, language),
        strip=strip([(item.number, item.status) for item in items], language),
        decided=say(language, "decided", n=decided, all=len(items)) if decided else "",
        asks=asks[:MOST],
        more_asks=len(asks[MOST:]),
        needs=needs[:MOST],
        more_needs=len(needs[MOST:]),
        shared=shared,
        contradictions=[in_words(one, naming) for one in candidate.contradictions],
        warnings=interview.warnings,
    )


def _needs(
    items: Sequence[ItemView],
    queue: Mapping[str, tuple[int, QueueEntry]],
    naming: Naming,
) -> list[Need]:
    """The items of this candidate that stand in the queue, in its order."""
    found = []
    for place, item in enumerate(items, start=1):
        if entry := queue.get(item.item.item_id):
            found.append(
                Need(
                    place=place,
                    number=item.number,
                    queue_place=entry[0],
                    priority=entry[1].priority,
                    reasons=tuple(in_words(one, naming) for one in entry[1].reasons),
                )
            )
    return sorted(found, key=lambda need: need.queue_place)


def _without_shared(needs: list[Need]) -> tuple[list[Need], tuple[str, ...]]:
    """The needs without what several of them all say; that is said once."""
    if len(needs) < 2:
        return needs, ()
    shared = tuple(one for one in needs[0].reasons if all(one in need.reasons for need in needs))
    own = [
        replace(need, reasons=tuple(one for one in need.reasons if one not in shared))
        for need in needs
    ]
    return [need for need in own if need.reasons], shared


def naming_of(interview: Interview | None, rubric: Rubric, language: Language) -> Naming:
    """Items by their printed number, criteria by their name."""
    return Naming(
        language=language,
        item=lambda place: f"Q{number_of(interview, place) if interview else place}",
        criteria={one.key: in_language(one.names, language, one.key) for one in rubric.criteria},
    )


def overall_in_words(candidate: Candidate, rubric: Rubric, language: Language) -> list[str]:
    """What the overall is the mean of, the rubric's word for it, and the mean of answers alone."""
    if candidate.overall is None:
        return []
    lines = [say(language, "means_overall", n=candidate.graded, low=rubric.scale[0])]
    if band := _band_line(candidate.overall, rubric, language):
        lines.append(band)
    only = candidate.overall_answered_only
    if only is not None and only != candidate.overall:
        lines.append(say(language, "means_answered", x=fixed(only, 1)))
    return lines


def _band_line(overall: Decimal, rubric: Rubric, language: Language) -> str:
    band = band_of(overall, rubric, language)
    if not band:
        return ""
    start = next(one.at_least for one in rubric.bands if overall >= one.at_least)
    above = [one for one in rubric.bands if one.at_least > overall]
    following = ""
    if above:
        name, at = in_language(above[-1].names, language), at_most(above[-1].at_least, 2)
        following = say(language, "next_band", band=name, a=at)
    return say(language, "means_band", band=band, a=at_most(start, 2), next=following)


def _coverage(candidate: Candidate, rubric: Rubric, language: Language) -> str:
    if candidate.coverage is None:
        return ""
    return say(
        language,
        "coverage_line",
        a=candidate.answered,
        b=candidate.asked,
        c=round_half_up(candidate.coverage * 100, 0),
        d=round_half_up(rubric.min_coverage * 100, 0),
    )
