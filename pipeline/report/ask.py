"""What to ask next, by rule: no model is asked, and nothing is guessed about the candidate."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from pipeline.records import Criterion, CriterionGrade, Language, Rubric
from pipeline.report.items import ItemView
from pipeline.report.phrases import say
from pipeline.report.words import in_language
from pipeline.table.numbers import at_most, round_half_up

WEAK = Decimal("0.6")
"""An answer under this share of the scale is one to come back to."""
GOOD = Decimal("0.8")
"""An answer at this share of the scale is what to ask for."""
_BY_STATUS = {"blank": "ask_blank", "missing": "ask_missing", "copied": "ask_copied"}
_BY_FLAG = {
    "mismatch": "ask_mismatch",
    "truncated_start": "ask_truncated_start",
    "truncated_end": "ask_truncated_end",
    "self_contradiction": "ask_self_contradiction",
    "duplicate_answer": "ask_duplicate_answer",
    "code_only": "ask_code_only",
}


@dataclass(frozen=True, kw_only=True)
class Ask:
    """One question to come back to."""

    place: int
    """1-based place of the item."""
    number: str
    """Its number."""
    question: str
    """The question itself."""
    why: str
    """What is open."""


def what_to_ask(items: Sequence[ItemView], rubric: Rubric, language: Language) -> list[Ask]:
    """First what was not answered, then what is broken, then the weakest answers."""
    found = [
        (rank, place, Ask(place=place, number=item.number, question=item.item.question, why=why))
        for place, item in enumerate(items, start=1)
        for rank, why in list(_open_points(item, rubric, language))[:1]
    ]
    return [ask for _, _, ask in sorted(found, key=lambda one: one[:2])]


def _open_points(
    item: ItemView, rubric: Rubric, language: Language
) -> Iterator[tuple[Decimal, str]]:
    """What is open about an item, the first to come first, each with its rank."""
    if item.status in _BY_STATUS:
        yield Decimal(-2), say(language, _BY_STATUS[item.status])
        return
    flags = {flag.name for flag in item.flags}
    for name, key in _BY_FLAG.items():
        if name in flags:
            yield Decimal(-1), say(language, key)
    grade = item.outcome.grade if item.outcome and item.status == "scored" else None
    low, high = rubric.scale
    weak = grade is not None and grade.overall < low + WEAK * (high - low)
    if grade is not None and weak and (weakest := _weakest(grade.criteria)):
        criterion = next(one for one in rubric.criteria if one.key == weakest.key)
        yield grade.overall, _in_words(criterion, weakest, rubric, language)


def _weakest(parts: Sequence[CriterionGrade]) -> CriterionGrade | None:
    """The lowest of the criteria with a score, the first of equals."""
    scored = [(part.score, place) for place, part in enumerate(parts) if part.score is not None]
    return parts[min(scored)[1]] if scored else None


def _in_words(
    criterion: Criterion, part: CriterionGrade, rubric: Rubric, language: Language
) -> str:
    score = part.score or Decimal(0)
    anchors = criterion.anchors.get(language) or next(iter(criterion.anchors.values()), {})
    low, high = rubric.scale
    good = int(round_half_up(low + GOOD * (high - low), 0))
    better = anchors.get(min(max(int(round_half_up(score, 0)) + 1, good), high), "")
    problems = part.problems.strip().rstrip("。.;；")
    if problems:
        problems = f"{problems}。" if language == "zh" else f" {problems}."
    return say(
        language,
        "ask_weak",
        name=in_language(criterion.names, language, criterion.key),
        score=at_most(score, 1),
        problems=problems,
        anchor=better.rstrip("。."),
    )
