"""What the report shows of one item."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from pipeline.flags import FLAGS
from pipeline.question_type import question_type
from pipeline.records import COUNTED, Cap, Grade, Interview, Item, Language, Outcome, Rubric
from pipeline.report.criteria import CriterionView, criterion_views, labels_of, width_of
from pipeline.report.highlight import Segment, split_answer
from pipeline.report.phrases import say
from pipeline.report.words import TYPE_WORDS, flag_meaning, in_language, word
from pipeline.table.numbers import at_most, fixed, round_half_up


@dataclass(frozen=True, kw_only=True)
class FlagView:
    """A flag with its meaning."""

    name: str
    """Its name."""
    meaning: str
    """What it means."""
    blocks: bool
    """Whether it blocks a recommendation."""


@dataclass(frozen=True, kw_only=True)
class ItemView:
    """One item, ready to be printed."""

    item: Item
    """The item itself."""
    question_type: str
    """What kind of answer the question asks for."""
    note: str
    """What the rubric says of such questions; mostly empty."""
    number: str
    """The number as printed in the source, else the place in the interview."""
    status: str
    """How it ended."""
    outcome: Outcome | None
    """The outcome, where there is one."""
    overall: str
    """The overall with one decimal; empty without a grade."""
    band: str
    """The rubric's word for this overall."""
    width: str
    """Points up and down within which a label is likely to lie; empty where not measured."""
    uncertain: str
    """What the width says, or why the points should not be gone by; in words."""
    caps: tuple[str, ...]
    """What each cap that lowered the overall did."""
    uncapped: str
    """The overall before caps, where a cap lowered it."""
    flags: tuple[FlagView, ...]
    """What the reader and the grader noticed."""
    second_look: str
    """Both overalls, where the answer was graded again without suspicious passages."""
    segments: tuple[Segment, ...]
    """The answer, split at the edges of the quotes."""
    criteria: list[CriterionView]
    """The criteria of the grade."""


def item_views(
    interview: Interview, outcomes: Mapping[str, Outcome], rubric: Rubric
) -> list[ItemView]:
    """The items of an interview in order."""
    return [
        _view(
            item,
            number_of(interview, place),
            outcomes.get(item.item_id),
            rubric,
            interview.language,
        )
        for place, item in enumerate(interview.items, start=1)
    ]


def number_of(interview: Interview, place: int) -> str:
    """The number of the item at a 1-based place, as printed where one is."""
    inside = 0 < place <= len(interview.items)
    return str((inside and interview.items[place - 1].number) or place)


def _view(
    item: Item, number: str, outcome: Outcome | None, rubric: Rubric, language: Language
) -> ItemView:
    grade = outcome.grade if outcome and outcome.status in COUNTED else None
    status = outcome.status if outcome else "not_run"
    kind = question_type(item.question, item.objective)
    return ItemView(
        item=item,
        question_type=word(TYPE_WORDS, kind, language),
        note=in_language(rubric.notes.get(kind, {}), language),
        number=number,
        status=status,
        outcome=outcome,
        overall=fixed(grade.overall, 1) if grade else "",
        band=band_of(grade.overall, rubric, language) if grade and status == "scored" else "",
        width=width_of(grade.uncertainty) if grade else "",
        uncertain=_uncertain(grade, language) if grade else "",
        caps=tuple(_applied_caps(grade, rubric, language)) if grade else (),
        uncapped=at_most(grade.overall_uncapped, 2) if grade and _was_capped(grade) else "",
        flags=_flags(item, outcome, language),
        second_look=_second_look(outcome, language),
        segments=_segments(item, grade, rubric),
        criteria=criterion_views(grade, rubric, language) if grade else [],
    )


def _flags(item: Item, outcome: Outcome | None, language: Language) -> tuple[FlagView, ...]:
    names = dict.fromkeys((*item.flags, *(outcome.flags if outcome else ())))
    return tuple(
        FlagView(
            name=name,
            meaning=flag_meaning(name, language),
            blocks=FLAGS.get(name, ("", False))[1],
        )
        for name in names
    )


def _uncertain(grade: Grade, language: Language) -> str:
    if grade.uncertainty is None:
        return ""
    if grade.abstention in ("type", "outside"):
        return say(language, f"uncertain_{grade.abstention}")
    name = "uncertain_wide" if grade.abstention else "uncertain_line"
    return say(language, name, x=width_of(grade.uncertainty))


def _second_look(outcome: Outcome | None, language: Language) -> str:
    """Empty where there was no second look: only what is flagged `injection` gets one."""
    if outcome is None or outcome.grade is None or outcome.status != "scored":
        return ""
    before, after = fixed(outcome.grade.overall, 1), outcome.overall_without_injection
    if after is not None:
        return say(language, "second_look_line", a=before, b=fixed(after, 1))
    return say(language, "second_look_none", a=before) if "injection" in outcome.flags else ""


def _segments(item: Item, grade: Grade | None, rubric: Rubric) -> tuple[Segment, ...]:
    labels = labels_of(rubric)
    spans = {
        labels[part.key]: part.span
        for part in (grade.criteria if grade else ())
        if part.span is not None and part.score is not None and part.key in labels
    }
    return split_answer(item.answer or "", spans)


def band_of(overall: Decimal, rubric: Rubric, language: Language) -> str:
    """The rubric's word for an overall; empty where it has none."""
    reached = (band for band in rubric.bands if overall >= band.at_least)
    band = next(reached, None)
    return in_language(band.names, language) if band else ""


def _was_capped(grade: Grade) -> bool:
    return grade.overall_capped < grade.overall_uncapped


def _applied_caps(grade: Grade, rubric: Rubric, language: Language) -> list[str]:
    """One sentence per cap that holds and is lower than the weighted mean."""
    scores = {part.key: part.score for part in grade.criteria}
    return [
        cap_in_words(cap, rubric, language)
        for cap in rubric.caps
        if _holds(cap, scores.get(cap.criterion)) and cap.overall < grade.overall_uncapped
    ]


def cap_in_words(cap: Cap, rubric: Rubric, language: Language) -> str:
    """What a cap says."""
    named = {criterion.key: criterion.names for criterion in rubric.criteria}
    name = in_language(named.get(cap.criterion, {}), language, cap.criterion)
    return say(language, "cap", name=name, a=at_most(cap.at_most, 2), b=at_most(cap.overall, 2))


def _holds(cap: Cap, score: Decimal | None) -> bool:
    return score is not None and round_half_up(score, 0) <= cap.at_most
