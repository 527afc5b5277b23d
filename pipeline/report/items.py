"""What the report shows of one item."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from pipeline.flags import FLAGS
from pipeline.question_type import QuestionType, question_type
from pipeline.records import COUNTED, Cap, Grade, Interview, Item, Language, Outcome, Rubric
from pipeline.report.criteria import CriterionView, criterion_views, labels_of
from pipeline.report.highlight import Segment, split_answer
from pipeline.report.words import in_language
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
    question_type: QuestionType
    """What kind of answer the question asks for."""
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
    caps: tuple[str, ...]
    """What each cap that lowered the overall did."""
    uncapped: str
    """The overall before caps, where a cap lowered it."""
    flags: tuple[FlagView, ...]
    """What the reader and the grader noticed."""
    segments: tuple[Segment, ...]
    """The answer, split at the edges of the quotes."""
    criteria: list[CriterionView]
    """The criteria of the grade."""


def item_views(
    interview: Interview, outcomes: dict[str, Outcome | None], rubric: Rubric
) -> list[ItemView]:
    """The items of an interview in order."""
    return [
        _view(item, str(item.number or place), outcomes[item.item_id], rubric, interview.language)
        for place, item in enumerate(interview.items, start=1)
    ]


def _view(
    item: Item, number: str, outcome: Outcome | None, rubric: Rubric, language: Language
) -> ItemView:
    grade = outcome.grade if outcome and outcome.status in COUNTED else None
    status = outcome.status if outcome else "not_run"
    return ItemView(
        item=item,
        question_type=question_type(item.question, item.objective),
        number=number,
        status=status,
        outcome=outcome,
        overall=fixed(grade.overall, 1) if grade else "",
        band=_band(grade, rubric, language) if grade and status == "scored" else "",
        caps=tuple(_applied_caps(grade, rubric, language)) if grade else (),
        uncapped=at_most(grade.overall_uncapped, 2) if grade and _was_capped(grade) else "",
        flags=_flags(item, outcome),
        segments=_segments(item, grade, rubric),
        criteria=criterion_views(grade, rubric, language) if grade else [],
    )


def _flags(item: Item, outcome: Outcome | None) -> tuple[FlagView, ...]:
    names = dict.fromkeys((*item.flags, *(outcome.flags if outcome else ())))
    known = [(name, *FLAGS.get(name, ("", False))) for name in names]
    return tuple(FlagView(name=name, meaning=text, blocks=blocks) for name, text, blocks in known)


def _segments(item: Item, grade: Grade | None, rubric: Rubric) -> tuple[Segment, ...]:
    labels = labels_of(rubric)
    spans = {
        labels[part.key]: part.span
        for part in (grade.criteria if grade else ())
        if part.span is not None and part.key in labels
    }
    return split_answer(item.answer or "", spans)


def _band(grade: Grade, rubric: Rubric, language: Language) -> str:
    reached = (band for band in rubric.bands if grade.overall >= band.at_least)
    band = next(reached, None)
    return in_language(band.names, language) if band else ""


def _was_capped(grade: Grade) -> bool:
    return grade.overall_capped < grade.overall_uncapped


def _applied_caps(grade: Grade, rubric: Rubric, language: Language) -> list[str]:
    """One sentence per cap that holds and is lower than the weighted mean."""
    scores = {part.key: part.score for part in grade.criteria}
    names = {
        criterion.key: in_language(criterion.names, language, criterion.key)
        for criterion in rubric.criteria
    }
    return [
        f"{names.get(cap.criterion, cap.criterion)} is {at_most(cap.at_most, 2)} or less: "
        f"at most {at_most(cap.overall, 2)}"
        for cap in rubric.caps
        if _holds(cap, scores.get(cap.criterion)) and cap.overall < grade.overall_uncapped
    ]


def _holds(cap: Cap, score: Decimal | None) -> bool:
    return score is not None and round_half_up(score, 0) <= cap.at_most
