"""What the report shows of one criterion of one item."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from string import ascii_uppercase

from pipeline.records import Criterion, CriterionGrade, Grade, Language, QuoteMatch, Rubric
from pipeline.report.words import in_language
from pipeline.table.numbers import at_most, fixed, round_half_up


@dataclass(frozen=True, kw_only=True)
class CriterionView:
    """One criterion, ready to be printed."""

    label: str
    """Letter that ties a highlight to its criterion."""
    hue: int
    """Which of the six highlight colours it has."""
    name: str
    """Heading in the interview's language."""
    score: str
    """The score as text; empty where the criterion is not asked for."""
    width: str
    """Points up and down within which a label is likely to lie; empty where not measured."""
    share: str
    """Length of the meter in per cent."""
    anchor: str
    """What the rubric says of this level, or of the nearest whole point."""
    quote: str
    """The quote as the grader gave it."""
    match: QuoteMatch
    """Whether and how it was found."""
    problems: str
    """What is wrong or missing."""
    rationale: str
    """Why this score."""
    explained: bool
    """Whether a quote was asked for."""


def criterion_views(grade: Grade, rubric: Rubric, language: Language) -> list[CriterionView]:
    """The criteria of a grade in the rubric's order."""
    parts = {part.key: part for part in grade.criteria}
    labels = labels_of(rubric)
    return [
        replace(
            _view(criterion, parts[criterion.key], labels[criterion.key], place, rubric, language),
            explained=grade.explained,
        )
        for place, criterion in enumerate(rubric.criteria)
        if criterion.key in parts
    ]


def labels_of(rubric: Rubric) -> Mapping[str, str]:
    """A letter for each criterion key: A to Z, then A2 and so on."""
    letters = len(ascii_uppercase)
    return {
        key: ascii_uppercase[place % letters] + (str(place // letters + 1) * (place >= letters))
        for place, key in enumerate(rubric.keys)
    }


def _view(
    criterion: Criterion,
    part: CriterionGrade,
    label: str,
    place: int,
    rubric: Rubric,
    language: Language,
) -> CriterionView:
    return CriterionView(
        label=label,
        hue=place % 6 + 1,
        name=in_language(criterion.names, language, criterion.key),
        score="" if part.score is None else at_most(part.score, 2),
        width=width_of(part.uncertainty),
        share=_share(part.score, rubric.scale),
        anchor=_anchor(criterion, part.score, language),
        quote="" if part.score is None else part.quote,
        match=part.match,
        problems=part.problems,
        rationale=part.rationale,
        explained=True,
    )


def width_of(uncertainty: Decimal | None) -> str:
    """`± 1.8`; empty where it was not measured."""
    return "" if uncertainty is None else f"± {fixed(uncertainty, 1)}"


def _share(score: Decimal | None, scale: tuple[int, int]) -> str:
    if score is None:
        return "0"
    low, high = scale
    return fixed((score - low) / (high - low) * 100, 1)


def _anchor(criterion: Criterion, score: Decimal | None, language: Language) -> str:
    anchors = criterion.anchors.get(language) or next(iter(criterion.anchors.values()), {})
    return "" if score is None else anchors.get(int(round_half_up(score, 0)), "")
