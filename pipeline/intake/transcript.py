"""Texts of dialogues: `面试官：…`, `[00:01:02] Kim: …`, a name with a time on its own line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from pipeline.errors import InputError
from pipeline.intake.asking import asks
from pipeline.intake.dialogue import Speech, read_speeches
from pipeline.intake.draft import Draft, Line
from pipeline.intake.header import head
from pipeline.intake.labels import label_of
from pipeline.intake.speakers import Role, Spoken, cast, late_interviewers, role_word, spoken
from pipeline.intake.talk import is_cut_mark

_RULE = re.compile(r"[ \t]*(?:[-=_*~#]{3,}|(?:[-*_][ \t]){2,}[-*_])[ \t]*$")
_HEADING = re.compile(r"[ \t]{0,3}#{1,6}[ \t]+\S|[ \t]*[A-Z][A-Z0-9 &/,'-]{3,60}$")
_PEOPLE = "interviewers?|panel|面试官|候选人|应聘者|candidate|interviewee|applicant|求职者|面试者"
_DECLARES = re.compile(
    rf"[ \t]*(?:[-*>][ \t]+)?(?:\*\*)?(?P<who>{_PEOPLE})(?:姓名| name)?(?:\*\*)?[ \t]*[:：]"
    r"(?:\*\*)?[ \t]*(?P<names>[^\n?？。]{1,200})$",
    re.I,
)
_PARTICIPANTS = re.compile(
    r"[ \t]*(?:[-*>][ \t]+)?(?:\*\*)?(?:participants|attendees|speakers|present|[参与]会人员?|"
    r"参与人员?|人员)(?:\*\*)?[ \t]*[:：](?:\*\*)?",
    re.I,
)
_NAMED = re.compile(r"([^,，;；、()（）]{1,40}?)[ \t]*[(（]([^()（）]{1,40})[)）]")
_HEAD_LINES = 40
_TOLD = "the text does not name the roles; they were told by who asks and who answers"


def read_transcript(lines: Sequence[Line], *, source: str) -> Draft | None:
    """The draft of a dialogue; None where the lines are none. InputError where they are one, but
    do not show who asks and who answers."""
    found = [_spoken(at, line) for at, line in enumerate(lines)]
    turns = [turn for turn in found if turn]
    for declared in (_declarations(turns, lines), []):
        named = _named(declared, lines)
        rest = [turn for turn in turns if turn.at not in declared]
        roles = cast(_with_texts(rest, lines), named)
        if roles is not None and (_stated(rest, named) or not _asks_above(rest, roles, lines)):
            return _draft(lines, rest, roles, named)
    _refuse_unclear(turns, source)
    return None


def _asks_above(turns: Sequence[Spoken], roles: Mapping[str, Role], lines: Sequence[Line]) -> bool:
    """Questions above the first turn show that the labels are words of somebody's text."""
    first = min(turn.at for turn in turns if turn.speaker in roles)
    return any(asks(line.text) for line in lines[:first])


def _with_texts(turns: Sequence[Spoken], lines: Sequence[Line]) -> list[Spoken]:
    """The turns with their whole texts, as far as the next turn."""
    ends = [*(turn.at for turn in turns), len(lines)][1:]
    return [
        turn._replace(
            text="\n".join([turn.text, *(line.text for line in lines[turn.at + 1 : end])]).strip()
        )
        for turn, end in zip(turns, ends, strict=True)
    ]


def _named(declared: Sequence[int], lines: Sequence[Line]) -> dict[Role, str]:
    named: dict[Role, str] = {}
    for at in declared:
        for role, names in _names(lines[at].text):
            named[role] = f"{named.get(role, '')} {names}".strip()
    return named


def _draft(
    lines: Sequence[Line],
    turns: Sequence[Spoken],
    roles: dict[str, Role],
    named: Mapping[Role, str],
) -> Draft | None:
    late = late_interviewers(turns, roles)
    warnings = [] if _stated(turns, named) else [_TOLD]
    warnings += [
        f"line {lines[turn.at].number}: a speaker named only here was taken as an interviewer"
        for turn in turns
        if turn.speaker in late
    ]
    starts = {turn.at: turn for turn in turns if turn.speaker in {**roles, **late}}
    speeches = _speeches(lines, starts, {**roles, **late}, warnings)
    fields = head([line.text for line in lines[: min(starts)]])
    if named.get("candidate", "").strip():
        fields["candidate"] = named["candidate"].strip()
    return read_speeches(speeches, fields, warnings)


def speakers_of(lines: Sequence[Line]) -> dict[int, Role]:
    """Lines that start with a role word, by index."""
    found = {at: _spoken(at, line) for at, line in enumerate(lines)}
    roles = {at: role_word(turn.speaker, turn.note) for at, turn in found.items() if turn}
    return {at: role for at, role in roles.items() if role}


def _spoken(at: int, line: Line) -> Spoken | None:
    return None if line.fenced or _is_remark(line) else spoken(at, line.text)


def _is_remark(line: Line) -> bool:
    """`面试官点评：` and its like are nobody's turn."""
    label = None if line.fenced else label_of(line.text)
    return label is not None and label.kind in {"comment", "reference", "score", "bank"}


def _declarations(turns: Sequence[Spoken], lines: Sequence[Line]) -> list[int]:
    """Header lines that name the people: `Interviewers: Kim, Lee`, and Kim speaks further down."""
    head = [turn for turn in turns if turn.at <= _HEAD_LINES]
    return [
        turn.at
        for turn in head
        if _PARTICIPANTS.match(lines[turn.at].text) or _declares(turn, turns, lines)
    ]


def _declares(turn: Spoken, turns: Sequence[Spoken], lines: Sequence[Line]) -> bool:
    """A role followed by nothing but names, on the only line of that label, or on each of them."""
    label = turn.speaker.casefold()
    same = [one for one in turns if one.speaker.casefold() == label]
    if not _DECLARES.match(lines[turn.at].text) or not all(_only_names(one.text) for one in same):
        return False
    speakers = {one.speaker.casefold() for one in turns} - {label}
    return len(same) == 1 or all(
        any(name in one.text.casefold() for name in speakers) for one in same
    )


def _only_names(text: str) -> bool:
    return 0 < len(text) <= 100 and not asks(text) and not re.search("[。！？!?；;：:]", text)


def _stated(turns: Sequence[Spoken], named: Mapping[Role, str]) -> bool:
    """Whether the text itself says who is who."""
    return bool(named) or any(role_word(turn.speaker, turn.note) for turn in turns)


def _names(text: str) -> Iterator[tuple[Role, str]]:
    """The roles and names of a header line: `Interviewers: Kim, Lee` or `Kim (interviewer), …`."""
    match = _DECLARES.match(text)
    if match:
        yield role_word(match["who"].rstrip("s")) or "interviewer", match["names"]
        return
    for name, note in _NAMED.findall(_PARTICIPANTS.sub("", text[:300])):
        role = role_word(note)
        if role:
            yield role, name


def _speeches(
    lines: Sequence[Line],
    starts: Mapping[int, Spoken],
    roles: Mapping[str, Role],
    warnings: list[str],
) -> list[Speech]:
    """The turns with their texts; sections, remarks and marks of a cut belong to none."""
    bodies: list[tuple[Speech, list[str]]] = []
    texts: list[str] = []
    section = 0
    for at in range(min(starts), len(lines)):
        line, turn = lines[at], starts.get(at)
        if turn:
            texts = [turn.text]
            place = (line.number, line.page, section)
            bodies.append((Speech(roles[turn.speaker], turn.speaker, "", *place), texts))
        elif _is_section(line):
            section += 1
        elif _is_remark(line):
            texts = []
            warnings.append(f"the remark from line {line.number} on belongs to no turn; left out")
        elif is_cut_mark(line.text):
            warnings.append(f"line {line.number} says that the transcript was cut")
        else:
            texts.append(line.text)
    return [
        speech._replace(text="\n".join(text.rstrip() for text in texts).strip())
        for speech, texts in bodies
    ]


def _is_section(line: Line) -> bool:
    return not line.fenced and bool(_RULE.match(line.text) or _HEADING.match(line.text))


def _refuse_unclear(turns: Sequence[Spoken], source: str) -> None:
    timed = {turn.speaker for turn in turns if turn.timed}
    if len(timed) >= 2:
        raise InputError(
            f"is a dialogue of {len(timed)} speakers that does not show who asks and who answers.",
            source=source,
            remedy="Name them in it: 面试官 and 候选人, or Interviewer and Candidate.",
        )
