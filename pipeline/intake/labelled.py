"""Written transcripts with labels: 问题1： 考察目标： 回答： 点评： and their many variants."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from pipeline.errors import InputError
from pipeline.intake.compose import compose, unwrap
from pipeline.intake.draft import Draft, Line, Pair
from pipeline.intake.header import head, is_field, starts_interview
from pipeline.intake.inline import crowded_doubts, refuse_crowded, split_inline
from pipeline.intake.labels import Label
from pipeline.intake.numerals import printed_number
from pipeline.intake.remarks import remark_doubts, remark_of, with_comment
from pipeline.intake.segments import Cut, Segment, cut
from pipeline.intake.talk import is_closing, is_filler
from pipeline.records import Turn

_RULE = re.compile(r"[ \t]*(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|[=_~]{3,})$|[ \t]*$")
_SECTION = re.compile(
    r"[ \t]*(?:第[ \t]*[0-9一二三四五六七八九十]{1,3}[ \t]*(?:部分|轮|章|节|环节|阶段)"
    r"(?:[ \t:：（(].{0,60})?|"
    r"(?:Part|Section|Round|Stage|Turn)[ \t]+[0-9IVX]{1,4}(?:[ \t]*[:：\[(（—–-].{0,60})?)[ \t]*$"
)
_HEADING = re.compile(r"[ \t]*(?:#{1,6}[ \t]+\S.*|[A-Z][A-Z &/]{3,60})$")
_EDITED = re.compile(r"clean|edited|summar|整理|润色|摘要|总结|改写", re.I)
_TURN = re.compile(r"[ \t]*(?:#{1,6}[ \t]+)?(?:Turn|Round|第)[ \t]*([0-9]{1,4})\b", re.I)


def read_labelled(lines: Sequence[Line], labels: dict[int, Label], *, source: str) -> Draft:
    """The draft of a text in which questions and answers carry labels."""
    parts = cut(lines, labels)
    _questions_first(lines, labels, parts, source)
    _one_interview(lines, parts, source)
    turn_numbers = [number for _, number in sorted(_without_sections(parts).items())]
    groups = [split_inline(group) for group in _by_question(parts.segments)]
    refuse_crowded(groups, source)
    closing = [at for at, group in enumerate(groups) if _closes(group)]
    turn_numbers = [one for at, one in enumerate(turn_numbers) if at not in closing]
    groups = [group for at, group in enumerate(groups) if at not in closing]
    if not groups:
        raise InputError("holds no question.", source=source, remedy="Export it again.")
    pairs = [
        _pair(group, number, source=source)
        for group, number in zip(groups, turn_numbers, strict=True)
    ]
    remarks = [remark_of(group) for group in groups]
    fields = head(parts.head)
    if remarks[-1] and not any(remarks[:-1]):
        fields["comment"] = remarks[-1]
        remarks[-1] = None
    pairs = [with_comment(pair, remark) for pair, remark in zip(pairs, remarks, strict=True)]
    doubts = [*_doubts(groups), *crowded_doubts(groups), *remark_doubts(groups)]
    return Draft(pairs=tuple(pairs), fields=fields, warnings=(*parts.doubts, *doubts))


def _questions_first(
    lines: Sequence[Line], labels: dict[int, Label], parts: Cut, source: str
) -> None:
    """An answer above the first question would shift every answer by one."""
    first = parts.segments[0].line.number
    early = [at for at, one in labels.items() if one.kind == "answer" and lines[at].number < first]
    if early:
        raise InputError(
            "has an answer before the first question; it is not clear which belong together.",
            source=source,
            line=lines[early[0]].number,
            remedy="Put each question before its answer.",
        )


def _one_interview(lines: Sequence[Line], parts: Cut, source: str) -> None:
    """Refuse a second head: a line of role and years, or any field before a question 1 anew."""
    first = parts.segments[0].line.number
    heads = [
        line.number
        for line in lines
        if line.number > first and not line.fenced and starts_interview(line.text)
    ]
    for before, segment in pairwise(parts.segments):
        if segment.kind == "question" and segment.label.number == 1:
            heads += [
                before.line.number + at for at, text in enumerate(before.texts) if is_field(text)
            ]
    if heads:
        raise InputError(
            "starts a second interview in the same file.",
            source=source,
            line=min(heads),
            remedy="Give each interview a file of its own.",
        )


def _without_sections(parts: Cut) -> dict[int, int | str | None]:
    """Take section lines off what stands before a question; `Turn 3` lends it its number."""
    numbers: dict[int, int | str | None] = {}
    headed = any("#" in one.label.style for one in parts.segments if one.kind == "question")
    dropped = _trim(parts.head, 0, headed)
    for at, segment in enumerate(parts.segments):
        if segment.kind == "question":
            turn = next((found for found in map(_TURN.match, dropped) if found), None)
            numbers[at] = printed_number(turn[1]) if turn else None
        ahead = parts.segments[at + 1 : at + 2]
        before = not ahead or ahead[0].kind in {"question", "section"}
        dropped = _trim(segment.texts, 1, headed) if before else []
    return numbers


def _trim(texts: list[str], keep: int, headed: bool) -> list[str]:
    """Take section lines and blanks off the end of `texts`; what was taken off.

    A heading counts only after a blank line, unless the questions are headings too: `# note` may
    be the last line of an answer.
    """
    dropped: list[str] = []
    while len(texts) > keep and _is_section(texts, headed):
        dropped.append(texts.pop())
    return dropped


def _is_section(texts: Sequence[str], headed: bool) -> bool:
    last = texts[-1]
    if _RULE.match(last) or _SECTION.match(last):
        return True
    apart = headed or len(texts) < 2 or bool(_RULE.match(texts[-2]))
    return apart and bool(_HEADING.match(last))


def _by_question(segments: Sequence[Segment]) -> list[list[Segment]]:
    groups: list[list[Segment]] = []
    for segment in segments:
        if segment.kind == "question":
            groups.append([segment])
        elif groups:
            groups[-1].append(segment)
    return groups


def _closes(group: Sequence[Segment]) -> bool:
    """`Q: Thank you for your time.` without an answer is no question."""
    text = unwrap(group[0].texts)
    spoken = bool(text) and (is_filler(text) or is_closing(text))
    return spoken and not any(segment.kind == "answer" for segment in group)


def _pair(group: Sequence[Segment], turn_number: int | str | None, *, source: str) -> Pair:
    first, *rest = group
    question = unwrap(first.texts)
    if not question:
        raise InputError(
            "has a question label without a question.",
            source=source,
            line=first.line.number,
            remedy="Write the question after its label.",
        )
    turns = [Turn(kind="question", text=question, line=first.line.number)]
    turns += [_turn(segment) for segment in rest if segment.kind in {"follow_up", "answer"}]
    objective = unwrap([text for seg in rest if seg.kind == "objective" for text in seg.texts])
    number = first.label.number
    return compose(
        turns,
        number=turn_number if number is None else number,
        objective=objective or None,
        line=first.line.number,
        page=first.line.page,
        scores={seg.label.word: unwrap(seg.texts) for seg in rest if seg.kind == "score"},
    )


def _turn(segment: Segment) -> Turn:
    if segment.kind == "follow_up":
        return Turn(kind="follow_up", text=unwrap(segment.texts), line=segment.line.number)
    text = "\n".join(text.rstrip() for text in segment.texts).strip()
    return Turn(kind="answer", text=text, line=segment.line.number)


def _doubts(groups: Sequence[Sequence[Segment]]) -> list[str]:
    doubts = []
    for group in groups:
        line = group[0].line.number
        kinds = [segment.kind for segment in group]
        if "answer" not in kinds:
            doubts.append(f"the question at line {line} has no answer label")
        elif any(pair == ("answer", "answer") for pair in pairwise(kinds)):
            doubts.append(f"the question at line {line} has two answers; both were kept together")
        notes = [s.label for s in group if s.kind == "answer"]
        if any(label.word == "答案" for label in notes):
            doubts.append(f"line {line}: 答案 was taken as the candidate's answer, not a reference")
        if any(_EDITED.search(label.note) for label in notes):
            doubts.append(
                f"line {line}: the answer is an edited version, not the candidate's words"
            )
    return doubts
