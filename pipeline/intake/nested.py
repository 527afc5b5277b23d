"""JSON objects that hold one interview: its items, or its turns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from pipeline.errors import InputError
from pipeline.intake.cells import text_of
from pipeline.intake.columns import FIELDS, fold, match
from pipeline.intake.dialogue import Speech, read_speeches
from pipeline.intake.draft import Draft, Pair, Source
from pipeline.intake.numerals import printed_number
from pipeline.intake.speakers import Role, Spoken
from pipeline.intake.speakers import cast as cast_of

_ITEMS = (
    "items",
    "questions",
    "qa",
    "qas",
    "qa_pairs",
    "pairs",
    "answers",
    "responses",
    "问答",
    "题目",
)
_TURNS = (
    "turns",
    "messages",
    "dialogue",
    "dialog",
    "conversation",
    "transcript",
    "utterances",
    "对话",
)
_SPEAKER = ("speaker", "role", "name", "from", "说话人", "角色")
_SAID = ("text", "content", "value", "utterance", "message", "内容")
_MACHINE: dict[str, Role] = {
    "assistant": "interviewer",
    "ai": "interviewer",
    "bot": "interviewer",
    "gpt": "interviewer",
    "agent": "interviewer",
    "user": "candidate",
    "human": "candidate",
}


def holds_items(value: Mapping[str, object]) -> bool:
    """Whether an object is an interview with items or turns inside."""
    return _inner(value, _ITEMS) is not None or _inner(value, _TURNS) is not None


def are_turns(value: Mapping[str, object]) -> bool:
    """Whether an object is one turn of a dialogue."""
    return {"role", "content"} <= set(value) or {"speaker", "text"} <= set(value)


def draft_of(value: Mapping[str, object], source: Source) -> Draft:
    """The draft of one object; InputError where its items have no question and answer."""
    names = {fold(name): name for name in value}
    key = next(
        (value[names[n]] for n in ("interview_id", "id", "candidate_id") if n in names), None
    )
    fields = _fields(value)
    items = _inner(value, _ITEMS)
    if items is not None:
        pairs = tuple(_pair(item, source) for item in items)
        draft = Draft(pairs=pairs, fields=fields) if pairs else None
    else:
        draft = _dialogue(_inner(value, _TURNS) or [], fields, source)
    if draft is None:
        raise InputError("holds no question with an answer.", source=source.name)
    return Draft(**{**vars(draft), "key": text_of(key) if key is not None else None})


def _inner(value: Mapping[str, object], names: tuple[str, ...]) -> list[dict[str, object]] | None:
    for name in names:
        found = value.get(name)
        if isinstance(found, list) and all(isinstance(one, dict) for one in found) and found:
            return cast(list[dict[str, object]], found)
    return None


def _fields(value: Mapping[str, object]) -> dict[str, str]:
    names = [name for name, one in value.items() if not isinstance(one, list | dict)]
    found = match(names, {}, source="")
    texts = {ours: text_of(value[names[at]]) for ours, at in found.items() if ours in FIELDS}
    return {ours: text for ours, text in texts.items() if text}


def _pair(item: Mapping[str, object], source: Source) -> Pair:
    names = list(item)
    at = match(names, {}, source=source.name)
    got = {ours: text_of(item[names[place]]) for ours, place in at.items()}
    if not (got.get("question") or "").strip():
        raise InputError("has an item without a question.", source=source.name)
    number = got.get("number")
    return Pair(
        question=(got["question"] or "").strip(),
        answer=got.get("answer"),
        number=printed_number(number) if number else None,
        objective=got.get("objective") or None,
        comment=got.get("comment") or None,
        missing_reason="absent" if got.get("answer") is None else None,
    )


def _dialogue(
    turns: list[dict[str, object]], fields: Mapping[str, str], source: Source
) -> Draft | None:
    said = [turn for turn in map(_said, turns, range(1, len(turns) + 1)) if turn]
    machine = any(turn.speaker.casefold() in _MACHINE for turn in said)
    roles = _machine_roles(said) if machine else cast_of(said, {})
    if roles is None or not all(turn.speaker in roles for turn in said):
        raise InputError(
            "is a dialogue that does not show who asks and who answers.",
            source=source.name,
            remedy="Name the speakers interviewer and candidate.",
        )
    speeches = [Speech(roles[one.speaker], one.speaker, one.text, one.at) for one in said]
    warning = ("assistant was taken as the interviewer, user as the candidate",) if machine else ()
    return read_speeches(speeches, fields, warning)


def _machine_roles(said: Sequence[Spoken]) -> dict[str, Role]:
    """The roles of a chat with a machine that interviews."""
    names = {turn.speaker for turn in said}
    return {name: _MACHINE[name.casefold()] for name in names if name.casefold() in _MACHINE}


def _said(turn: Mapping[str, object], at: int) -> Spoken | None:
    speaker = next((str(turn[name]) for name in _SPEAKER if turn.get(name)), "")
    text = next((text_of(turn[name]) or "" for name in _SAID if name in turn), "")
    if speaker.casefold() in {"system", "developer", "tool"}:
        return None
    return Spoken(at, speaker, "", text.strip(), True)
