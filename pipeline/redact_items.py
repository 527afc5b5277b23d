"""Items as they are shown to the grader when redaction is on, and outcomes brought back."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from pipeline.key_points import KeyPoints, Lines
from pipeline.plan import Task
from pipeline.prompt import PromptSet
from pipeline.quotes import fold
from pipeline.records import CriterionGrade, Interview, Item, Outcome
from pipeline.redact import Numbering, RedactedText, Redaction, redact
from pipeline.redaction_map import keep_map
from pipeline.texts import SPOKEN

GradeOne = Callable[[Task], Awaitable[Outcome]]


@dataclass(frozen=True)
class Shown:
    """One item without personal data."""

    item: Item
    """What the grader sees."""
    answer: RedactedText
    """Its answer, with the way back."""
    originals: Mapping[str, str]
    """By placeholder, what it stands for."""

    def restored(self, outcome: Outcome) -> Outcome:
        """The outcome with the words of the grader and the places of quotes as in the original."""
        if outcome.grade is None:
            return outcome
        criteria = tuple(self._restored(part) for part in outcome.grade.criteria)
        grade = outcome.grade.model_copy(update={"criteria": criteria})
        return outcome.model_copy(update={"grade": grade})

    def _restored(self, part: CriterionGrade) -> CriterionGrade:
        span = part.span and self.answer.source_span(part.span)
        words = {name: self._original(getattr(part, name)) for name in SPOKEN}
        return part.model_copy(update={"span": span, **words})

    def _original(self, text: str) -> str:
        """Placeholders of this item as what they stand for; one that it never had stays."""
        return re.sub(r"\[[A-Z]+_\d+\]", lambda match: self.originals.get(match[0], match[0]), text)


def show(task: Task, redaction: Redaction) -> Shown:
    """One item without personal data. Question, objective and answer share their placeholders."""
    interview, item = task
    numbering = Numbering()
    question, objective, answer = (
        redact(text or "", redaction, interview.candidate, numbering)
        for text in (item.question, item.objective, item.answer)
    )
    shown = item.model_copy(
        update={
            "question": question.text,
            "objective": None if item.objective is None else objective.text,
            "answer": None if item.answer is None else answer.text,
        }
    )
    return Shown(shown, answer, numbering.originals)


def show_all(tasks: Iterable[Task], redaction: Redaction | None) -> dict[str, Shown]:
    """By item id, what the grader sees; nothing where redaction is off."""
    if redaction is None:
        return {}
    return {task[1].item_id: show(task, redaction) for task in tasks}


@dataclass(frozen=True)
class ShownInterviews:
    """Interviews as the grader sees them, made anew each time they are gone through."""

    interviews: Iterable[Interview]
    redaction: Redaction

    def __iter__(self) -> Iterator[Interview]:
        for interview in self.interviews:
            items = tuple(show((interview, item), self.redaction).item for item in interview.items)
            yield interview.model_copy(update={"items": items})


def with_hidden_points(prompts: PromptSet, redaction: Redaction | None) -> PromptSet:
    """The set whose key points hold nothing that must not be sent.

    Their questions are redacted as those of items are, so that they still belong together; what
    only a redacted term told apart belongs to no item any more.
    """
    if redaction is None or not prompts.points:
        return prompts
    hidden: dict[str, list[KeyPoints]] = {}
    for entry in {entry.id: entry for entry in prompts.points.values()}.values():
        shown = entry.model_copy(
            update={
                "key_points": _hidden(entry.key_points, redaction),
                "wrong_claims": _hidden(entry.wrong_claims, redaction),
            }
        )
        for wording in entry.wordings:
            asked = redact(wording, redaction, None, Numbering()).text
            hidden.setdefault(fold(asked).text, []).append(shown)
    alone = {key: entries[0] for key, entries in hidden.items() if len(entries) == 1}
    return replace(prompts, points=alone)


def _hidden(lines: Lines, redaction: Redaction) -> Lines:
    """Placeholders without numbers: the numbers of an item are its own."""
    return {
        language: tuple(
            re.sub(r"\[([A-Z]+)_\d+\]", r"[\1]", redact(line, redaction, None, Numbering()).text)
            for line in some
        )
        for language, some in lines.items()
    }


def keep_maps(folder: Path, tasks: Iterable[Task], shown: Mapping[str, Shown]) -> None:
    """Keep what the placeholders stand for, by interview."""
    by_interview: dict[str, dict[str, Mapping[str, str]]] = {}
    for interview, item in tasks:
        if item.item_id in shown and (originals := shown[item.item_id].originals):
            by_interview.setdefault(interview.id, {})[item.item_id] = originals
    for interview_id, by_item in by_interview.items():
        keep_map(folder, interview_id, by_item)


def behind(shown: Mapping[str, Shown], grade_one: GradeOne) -> GradeOne:
    """Grade what is shown of an item, and bring the outcome back to its original text."""

    async def grade(task: Task) -> Outcome:
        one = shown.get(task[1].item_id)
        if one is None:
            return await grade_one(task)
        return one.restored(await grade_one((task[0], one.item)))

    return grade
