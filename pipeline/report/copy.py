"""The candidate's own copy: his answers, their points and why; nothing about anybody else.

Left out are the recommendation, ranks and marks of other candidates, the file's introduction,
comment and remarks, the queue, reviewers' names and reasons, settings, inputs and raw replies.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal

from pipeline.measured import against_people
from pipeline.notes import were_asked_for
from pipeline.question_type import QUESTION_TYPES
from pipeline.records import COUNTED, Interview, Language, Outcome, Rubric
from pipeline.report.chart import Bar, bars
from pipeline.report.facts import model_of, started
from pipeline.report.items import ItemView, band_of, cap_in_words, item_views
from pipeline.report.phrases import say
from pipeline.report.tally import Entry, means_of
from pipeline.report.words import TYPE_WORDS, flag_meaning, in_language, word
from pipeline.reviewed import after_review
from pipeline.reviews import Review
from pipeline.scoring import grade_candidate
from pipeline.table.numbers import at_most, fixed

_IN_OTHER_WORDS = frozenset({"injection", "truncated_start", "truncated_end", "mismatch"})
_AS_THEY_ARE = frozenset(
    {
        "question_echo",
        "repetition",
        "padding",
        "other_language",
        "code_only",
        "duplicate_answer",
        "hidden_characters",
        "self_contradiction",
        "over_length",
    }
)
_UNSURE = frozenset(
    {"prompt_doubt", "unsupported_credit", "spread", "quote_not_found", "low_confidence"}
)
_BY_STATUS = {"blank": "copy_blank", "copied": "copy_copied", "missing": "copy_not_given"}


@dataclass(frozen=True, kw_only=True)
class CopyItem:
    """One answer, as its candidate reads it."""

    view: ItemView
    """The answer with its points; of the grader's words only what is about this answer."""
    overall: str
    """The overall that counts after review; empty without one."""
    band: str
    state: str
    """Why there is no grade by the model; empty where there is one."""
    person: str
    """What a person decided; empty where nobody did."""
    noticed: tuple[str, ...]
    """Flags, in words that accuse nobody."""


@dataclass(frozen=True, kw_only=True)
class CriterionRow:
    """One criterion of the rubric."""

    name: str
    asks: str
    anchors: list[tuple[int, str]]
    weights: list[str]
    """By type of question, in per cent; empty where it is not asked for."""


@dataclass(frozen=True, kw_only=True)
class CopyView:
    """The whole copy."""

    language: Language
    name: str
    interview_id: str
    role: str
    date: str
    model: str
    redacted: bool
    how: str
    """Name of the phrase that says how points come about."""
    unmeasured: bool
    overall: str
    band: str
    asked: int
    answered: int
    graded: int
    bars: list[Bar]
    items: list[CopyItem]
    types: list[str]
    """Names of the types of question."""
    criteria: list[CriterionRow]
    caps: list[str]


def copy_view(
    entry: Entry, rubric: Rubric, manifest: Mapping[str, object], reviews: Mapping[str, Review]
) -> CopyView:
    """The copy of a candidate whose texts are there."""
    interview = entry.interview
    assert interview is not None
    language = interview.language
    own = [o for item in interview.items if (o := entry.outcomes.get(item.item_id))]
    counting = {one.item_id: _as_it_counts(one, reviews) for one in own}
    figures = grade_candidate(interview, counting, rubric)
    answered_by = dict.fromkeys(one.model for one in own if one.model)
    return CopyView(
        language=language,
        name=interview.candidate or "",
        interview_id=interview.id,
        role=interview.role or "",
        date=started(manifest),
        model=model_of(manifest, answered_by, language),
        redacted=manifest.get("redaction", "off") != "off",
        how="copy_sum" if were_asked_for(manifest) else "copy_sum_alone",
        unmeasured=not against_people(manifest),
        overall="" if figures.overall is None else fixed(figures.overall, 1),
        band="" if figures.overall is None else band_of(figures.overall, rubric, language),
        asked=figures.asked,
        answered=figures.answered,
        graded=figures.graded,
        bars=bars(rubric, language, means_of(entry), {}),
        items=list(_items(interview, entry.outcomes, counting, rubric, reviews)),
        types=[word(TYPE_WORDS, kind, language) for kind in QUESTION_TYPES],
        criteria=_criteria(rubric, language),
        caps=[cap_in_words(cap, rubric, language) for cap in rubric.caps],
    )


def _as_it_counts(outcome: Outcome, reviews: Mapping[str, Review]) -> Outcome:
    review = reviews.get(outcome.item_id)
    return after_review(outcome, review) if review else outcome


def _items(
    interview: Interview,
    outcomes: Mapping[str, Outcome],
    counting: Mapping[str, Outcome],
    rubric: Rubric,
    reviews: Mapping[str, Review],
) -> Iterator[CopyItem]:
    language = interview.language
    for view in item_views(interview, outcomes, rubric):
        after = counting.get(view.item.item_id)
        grade = after.grade if after and after.status in COUNTED else None
        given = grade is not None and after is not None and after.status == "scored"
        review = reviews.get(view.item.item_id)
        yield CopyItem(
            view=view,
            overall=fixed(grade.overall, 1) if grade else "",
            band=band_of(grade.overall, rubric, language) if grade and given else "",
            state=_state(view.status, rubric, language),
            person=_person(review, language) if review else "",
            noticed=_noticed(view, review, language),
        )


def _state(status: str, rubric: Rubric, language: Language) -> str:
    if status == "scored":
        return ""
    key = _BY_STATUS.get(status, "copy_no_grade")
    return say(language, key, low=rubric.scale[0])


def _person(review: Review, language: Language) -> str:
    """That a person decided; neither who nor with which words."""
    if not review.changes or review.after is None:
        return say(language, "copy_person_same")
    return say(language, "copy_person", a=fixed(review.after, 1))


def _noticed(view: ItemView, review: Review | None, language: Language) -> tuple[str, ...]:
    cleared = review.cleared_flags if review else ()
    names = [flag.name for flag in view.flags if flag.name not in cleared]
    said = [say(language, f"copy_flag_{name}") for name in names if name in _IN_OTHER_WORDS]
    said += [flag_meaning(name, language) for name in names if name in _AS_THEY_ARE]
    if any(name in _UNSURE for name in names):
        said.append(say(language, "copy_flag_unsure"))
    return tuple(said)


def _criteria(rubric: Rubric, language: Language) -> list[CriterionRow]:
    weights = [rubric.weights_for(kind) for kind in QUESTION_TYPES]
    return [
        CriterionRow(
            name=in_language(one.names, language, one.key),
            asks=in_language(one.asks, language),
            anchors=sorted(
                (one.anchors.get(language) or next(iter(one.anchors.values()), {})).items()
            ),
            weights=[_share(by_key, one.key) for by_key in weights],
        )
        for one in rubric.criteria
    ]


def _share(weights: Mapping[str, Decimal], key: str) -> str:
    """The weight after that of criteria not asked for has gone to the others."""
    if key not in weights:
        return ""
    return at_most(weights[key] / sum(weights.values()) * 100, 1)
