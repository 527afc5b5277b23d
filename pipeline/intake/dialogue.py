"""Turns to items: a question with its follow-ups and all that the candidate said to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from pipeline.intake.asking import ends_asking
from pipeline.intake.compose import compose
from pipeline.intake.draft import Draft, Pair
from pipeline.intake.labels import label_of
from pipeline.intake.speakers import Role
from pipeline.intake.talk import follow_up, is_filler, is_question, is_small_talk
from pipeline.records import Turn


class Speech(NamedTuple):
    """What one person says at a stretch."""

    role: Role
    speaker: str | None
    text: str
    line: int | None = None
    page: int | None = None
    section: int = 0
    """Number of headings before it; follow-ups do not reach across one."""


@dataclass
class _Open:
    """The item under way."""

    section: int
    page: int | None
    number: int | str | None = None
    turns: list[Turn] = field(default_factory=list)

    @property
    def answered(self) -> bool:
        return any(turn.kind == "answer" for turn in self.turns)


def read_speeches(
    speeches: Sequence[Speech], fields: Mapping[str, str], warnings: Sequence[str]
) -> Draft | None:
    """The draft of a dialogue; None where nobody asks and somebody answers."""
    items: list[_Open] = []
    doubts: list[str] = []
    merged = _merged(speeches)
    for at, speech in enumerate(merged):
        if speech.role == "candidate":
            _answer(speech, merged[at - 1] if at else None, items, doubts)
        else:
            _ask(speech, merged[at + 1 :], items, doubts)
    items = [item for item in items if item.answered or _left_open(item)]
    if not any(item.answered for item in items):
        return None
    pairs = tuple(_pair(item) for item in items)
    return Draft(pairs=pairs, fields=fields, warnings=(*warnings, *doubts))


def _merged(speeches: Sequence[Speech]) -> list[Speech]:
    """One turn where the same side goes on; the other side's sounds of assent do not part it."""
    merged: list[Speech] = []
    for at, speech in enumerate(speeches):
        ahead = speeches[at + 1 : at + 2]
        goes_on = bool(merged and ahead) and merged[-1].role == ahead[0].role
        if goes_on and merged[-1].role != speech.role and _only_assent(speech, merged[-1]):
            continue
        if merged and merged[-1].role == speech.role and merged[-1].section == speech.section:
            merged[-1] = _joined(merged[-1], speech)
        else:
            merged.append(speech)
    return merged


def _joined(one: Speech, two: Speech) -> Speech:
    """One turn of two; `Great, thanks.` before a question is no part of it."""
    if one.role == "interviewer" and is_filler(one.text):
        return two
    if one.role == "interviewer" and is_filler(two.text):
        return one
    return one._replace(text=f"{one.text}\n{two.text}".strip())


def _only_assent(speech: Speech, before: Speech) -> bool:
    """A `嗯` in the other's turn; after a question it would be an answer."""
    asked = before.role == "interviewer" and is_question(before.text)
    return is_filler(speech.text) and not asked


def _ask(speech: Speech, ahead: Sequence[Speech], items: list[_Open], doubts: list[str]) -> None:
    reply = ahead[0] if ahead and ahead[0].role == "candidate" else None
    opening = is_small_talk(speech.text) and _short(reply)
    if opening or is_filler(speech.text) or _answers_back(speech, items):
        _note(items, speech)
    elif reply is None or (is_filler(reply.text) and not is_question(speech.text)):
        if ends_asking(speech.text):
            items.append(_opened(speech))
    else:
        _put(speech, items, doubts)


def _put(speech: Speech, items: list[_Open], doubts: list[str]) -> None:
    """A question that gets a reply: a new item, or a follow-up of the one under way."""
    rest = follow_up(speech.text)
    if rest and items and items[-1].answered and items[-1].section == speech.section:
        turn = Turn(kind="follow_up", text=rest, speaker=speech.speaker, line=speech.line)
        items[-1].turns.append(turn)
        doubts.append(f"line {speech.line} was taken as a follow-up of item {len(items)}")
    else:
        items.append(_opened(speech))


def _opened(speech: Speech) -> _Open:
    label = label_of(speech.text.split("\n", 1)[0])
    text, number = speech.text, None
    if label and label.kind == "question" and label.rest:
        text, number = label.rest + speech.text.partition("\n")[2], label.number
    turn = Turn(kind="question", text=text, speaker=speech.speaker, line=speech.line)
    return _Open(speech.section, speech.page, number, [turn])


def _answer(speech: Speech, before: Speech | None, items: list[_Open], doubts: list[str]) -> None:
    polite = is_filler(speech.text) and not (before and is_question(before.text))
    small = before is not None and is_small_talk(before.text) and _short(speech)
    if polite or small:
        return
    if not items:
        doubts.append(f"line {speech.line}: the candidate speaks before any question; left out")
        return
    turn = Turn(kind="answer", text=speech.text, speaker=speech.speaker, line=speech.line)
    items[-1].turns.append(turn)


def _note(items: list[_Open], speech: Speech) -> None:
    if items:
        items[-1].turns.append(
            Turn(kind="filler", text=speech.text, speaker=speech.speaker, line=speech.line)
        )


def _answers_back(speech: Speech, items: Sequence[_Open]) -> bool:
    """The candidate asked last, and the interviewer tells."""
    last = items[-1].turns[-1] if items else None
    asked_back = last is not None and last.kind == "answer" and ends_asking(last.text)
    return asked_back and not is_question(speech.text)


def _short(speech: Speech | None) -> bool:
    return speech is None or len(speech.text) <= 40


def _left_open(item: _Open) -> bool:
    return any(turn.kind == "question" and ends_asking(turn.text) for turn in item.turns)


def _pair(item: _Open) -> Pair:
    return compose(item.turns, number=item.number, line=item.turns[0].line, page=item.page)
