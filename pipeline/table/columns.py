"""The columns of the three tables, each declared once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, Literal, NamedTuple, TypeVar

from pipeline.calibration import Calibrated
from pipeline.errors import ConfigError
from pipeline.question_type import question_type
from pipeline.records import COUNTED, Candidate, CriterionGrade, Grade, Item, Outcome
from pipeline.reviews import Review

Kind = Literal["text", "whole", "number", "truth"]
Row = TypeVar("Row")
CALIBRATED = "calibrated"
"""The column of calibrated overalls; `calibrated_<key>` are those of the criteria."""


class ItemRow(NamedTuple):
    """What a row of grades is made of."""

    interview_id: str
    item: Item
    outcome: Outcome | None
    review: Review | None = None
    calibrated: Calibrated | None = None


class CriterionRow(NamedTuple):
    """What a row of criteria is made of."""

    interview_id: str
    item_id: str
    key: str
    grade: CriterionGrade | None


@dataclass(frozen=True)
class Column(Generic[Row]):
    """One column: its name, its kind, and where its value comes from (None is missing)."""

    name: str
    kind: Kind
    value: Callable[[Row], object]


def grade_of(outcome: Outcome | None) -> Grade | None:
    """The grade, where the status carries one: a failure never becomes a number."""
    return outcome.grade if outcome is not None and outcome.status in COUNTED else None


def criterion_of(outcome: Outcome | None, key: str) -> CriterionGrade | None:
    """The part of the grade that belongs to one criterion."""
    grade = grade_of(outcome)
    return next((part for part in grade.criteria if part.key == key), None) if grade else None


def _of_outcome(name: str, kind: Kind, value: Callable[[Outcome], object]) -> Column[ItemRow]:
    return Column(name, kind, lambda row: row.outcome and value(row.outcome))


def _of_grade(name: str, kind: Kind, value: Callable[[Grade], object]) -> Column[ItemRow]:
    def read(row: ItemRow) -> object:
        grade = grade_of(row.outcome)
        return None if grade is None else value(grade)

    return Column(name, kind, read)


def _of_criterion(
    name: str, kind: Kind, value: Callable[[CriterionGrade], object]
) -> Column[CriterionRow]:
    return Column(name, kind, lambda row: None if row.grade is None else value(row.grade))


def _of_review(name: str, kind: Kind, value: Callable[[Review], object]) -> Column[ItemRow]:
    return Column(name, kind, lambda row: None if row.review is None else value(row.review))


def _calibrated(key: str) -> Column[ItemRow]:
    def read(row: ItemRow) -> object:
        return row.calibrated and row.calibrated.criteria.get(key)

    return Column(f"{CALIBRATED}_{key}", "number", read)


def _score(key: str) -> Column[ItemRow]:
    def read(row: ItemRow) -> object:
        part = criterion_of(row.outcome, key)
        return None if part is None else part.score

    return Column(key, "number", read)


_BEFORE_SCORES: tuple[Column[ItemRow], ...] = (
    Column("interview_id", "text", lambda row: row.interview_id),
    Column("item_id", "text", lambda row: row.item.item_id),
    Column("number", "text", lambda row: row.item.number),
    Column("question", "text", lambda row: row.item.question),
    Column("status", "text", lambda row: row.outcome.status if row.outcome else "not_run"),
    _of_grade("overall", "number", lambda grade: grade.overall),
)
_AFTER_SCORES: tuple[Column[ItemRow], ...] = (
    _of_grade("score_mode", "text", lambda grade: grade.score_mode),
    _of_outcome("flags", "text", lambda outcome: "|".join(outcome.flags)),
    _of_outcome("reason", "text", lambda outcome: outcome.reason),
    _of_outcome("model", "text", lambda outcome: outcome.model),
    _of_outcome("prompt_version", "text", lambda outcome: outcome.prompt_version),
    _of_outcome("attempts", "whole", lambda outcome: outcome.attempts),
    _of_outcome("cached", "truth", lambda outcome: outcome.cached),
    _of_outcome("input_tokens", "whole", lambda outcome: outcome.usage.input_tokens),
    _of_outcome("output_tokens", "whole", lambda outcome: outcome.usage.output_tokens),
    _of_outcome("seconds", "number", lambda outcome: outcome.seconds),
    _of_grade("overall_uncapped", "number", lambda grade: grade.overall_uncapped),
    Column(
        "question_type", "text", lambda row: question_type(row.item.question, row.item.objective)
    ),
    _of_outcome("spread", "whole", lambda outcome: outcome.spread),
    Column(CALIBRATED, "number", lambda row: row.calibrated and row.calibrated.overall),
    _of_review("reviewed_overall", "number", lambda review: review.after),
    _of_review("reviewer", "text", lambda review: review.reviewer),
    _of_review("cleared_flags", "text", lambda review: "|".join(review.cleared_flags)),
    _of_outcome(
        "overall_without_injection", "number", lambda outcome: outcome.overall_without_injection
    ),
    _of_outcome("key_points", "text", lambda outcome: outcome.key_points or None),
    _of_grade("uncertainty", "number", lambda grade: grade.uncertainty),
    _of_grade("abstention", "text", lambda grade: grade.abstention),
)

CRITERIA: tuple[Column[CriterionRow], ...] = (
    Column("interview_id", "text", lambda row: row.interview_id),
    Column("item_id", "text", lambda row: row.item_id),
    Column("criterion", "text", lambda row: row.key),
    _of_criterion("score", "number", lambda part: part.score),
    _of_criterion("quote", "text", lambda part: part.quote),
    _of_criterion("quote_match", "text", lambda part: part.match),
    _of_criterion("quote_start", "whole", lambda part: part.span and part.span[0]),
    _of_criterion("quote_end", "whole", lambda part: part.span and part.span[1]),
    _of_criterion("problems", "text", lambda part: part.problems),
    _of_criterion("rationale", "text", lambda part: part.rationale),
    _of_criterion("uncertainty", "number", lambda part: part.uncertainty),
)

CANDIDATES: tuple[Column[Candidate], ...] = (
    Column("interview_id", "text", lambda row: row.interview_id),
    Column("role", "text", lambda row: row.role),
    Column("years_experience", "text", lambda row: row.years_experience),
    Column("asked", "whole", lambda row: row.asked),
    Column("answered", "whole", lambda row: row.answered),
    Column("graded", "whole", lambda row: row.graded),
    Column("coverage", "number", lambda row: row.coverage),
    Column("overall", "number", lambda row: row.overall),
    Column("overall_answered_only", "number", lambda row: row.overall_answered_only),
    Column("recommendation", "text", lambda row: row.recommendation),
    Column("reasons", "text", lambda row: "; ".join(row.reasons)),
    Column("contradictions", "text", lambda row: "; ".join(row.contradictions)),
    Column("overall_by_type", "number", lambda row: row.overall_by_type),
    Column("overall_by_equal", "number", lambda row: row.overall_by_equal),
    Column("rank_by_type", "whole", lambda row: row.rank_by_type),
    Column("rank_by_equal", "whole", lambda row: row.rank_by_equal),
)


def grade_columns(keys: Sequence[str], *, calibrated: bool = False) -> tuple[Column[ItemRow], ...]:
    """The columns of grades for the criteria of one rubric; calibrated scores only where asked."""
    columns = (
        *_BEFORE_SCORES,
        *(_score(key) for key in keys),
        *(column for column in _AFTER_SCORES if calibrated or column.name != CALIBRATED),
        *(_calibrated(key) for key in keys if calibrated),
    )
    names = [column.name for column in columns]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ConfigError(
            f"criterion keys that are columns already or occur twice: {', '.join(twice)}; "
            "rename them in rubric.yaml"
        )
    return columns
