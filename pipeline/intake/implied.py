"""Questions without a label: headings, quotes, bold lines or numbered lines that ask.

### 你们的 Git 流程是怎么样的？      > What is a mutex?      1. What is a mutex?
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

from pipeline.intake.asking import asks, ends_asking, share_asking
from pipeline.intake.compose import compose, unwrap
from pipeline.intake.draft import Draft, Line, Pair
from pipeline.intake.header import head
from pipeline.intake.labels import Label
from pipeline.intake.numerals import printed_number
from pipeline.records import Turn

_HEADING = re.compile(r"[ \t]{0,3}(#{1,6})[ \t]*(.*?)[ \t#]*$")
_QUOTE = re.compile(r"[ \t]{0,3}>[ \t]?(.*)$")
_BOLD = re.compile(
    r"[ \t]*(?:[-*+][ \t]+)?(?:\*\*|__)([^*_].{1,300}?)(?:\*\*|__)[ \t]*[:：]?[ \t]*$"
)
_NUMBERED = re.compile(r"[ \t\u3000]*[（(]?(\d{1,3})[）)]?[.．、)）]?[ \t]*(\S.{2,400})$")
_NUMBER = re.compile(
    r"(?:Q[ \t]*)?(\d{1,3}(?:\.\d{1,3})*|[一二三四五六七八九十]{1,3})[.、．)）][ \t]*", re.I
)
_FOLLOW_UP = re.compile(r"(?:补充|追问|follow[- ]?up)(?:提问|问题)?\d*[ \t]*[:：][ \t]*", re.I)
_NO_QUESTION = re.compile(
    r".{0,12}(?:总结|小结|自我评价|查漏补缺|复盘|附录|参考资料|参考|面试结果|面试评价|点评|评语|反馈|感想|体会)|"
    r"summary|notes?|feedback|conclusion|appendix|references?|comments?|overall.{0,30}",
    re.I,
)
_RULE = re.compile(r"[ \t]*(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|[=_]{3,})$")


class Mark(NamedTuple):
    """A line that asks, or one that ends what was asked."""

    at: int
    text: str
    """The question without heading signs and number; "" for a line that only ends."""
    number: int | str | None
    style: str


def implied_questions(lines: Sequence[Line]) -> list[Mark]:
    """The marks of the first layout that fits; none where no layout does."""
    for layout in (_headings, _quotes, _bold, _numbered):
        marks = layout(lines)
        if sum(bool(mark.text) for mark in marks) >= 2:
            return marks
    return []


def as_labels(marks: Sequence[Mark]) -> dict[int, Label]:
    """The marks as question labels, for texts that label their answers only."""
    return {
        mark.at: Label("question", "", mark.number, "", mark.text, mark.style)
        if mark.text
        else Label("section", "", None, "", "", mark.style)
        for mark in marks
    }


def read_implied(lines: Sequence[Line], marks: Sequence[Mark]) -> Draft | None:
    """The draft: what stands under each question is its answer. None where nothing does."""
    ends = [*(mark.at for mark in marks[1:]), len(lines)]
    bodies = [lines[mark.at + 1 : end] for mark, end in zip(marks, ends, strict=True)]
    groups: list[list[tuple[Mark, Sequence[Line]]]] = []
    for mark, body in zip(marks, bodies, strict=True):
        if mark.text and _FOLLOW_UP.match(mark.text) and groups:
            groups[-1].append((mark, body))
        elif mark.text:
            groups.append([(mark, body)])
    pairs = tuple(_pair(group, lines) for group in groups)
    if not any((pair.answer or "").strip() for pair in pairs):
        return None
    doubts = [
        f"line {lines[mark.at].number} does not read as a question, but stands as one"
        for mark in marks
        if mark.text and not asks(_FOLLOW_UP.sub("", mark.text))
    ]
    doubts += [
        f"the question at line {pair.line} has nothing under it; taken as an empty answer"
        for pair in pairs
        if not (pair.answer or "").strip()
    ]
    return Draft(
        pairs=pairs,
        fields=head([line.text for line in lines[: marks[0].at]]),
        warnings=tuple(doubts),
    )


def _pair(group: Sequence[tuple[Mark, Sequence[Line]]], lines: Sequence[Line]) -> Pair:
    turns: list[Turn] = []
    for mark, body in group:
        place = lines[mark.at].number
        kind = "question" if not turns else "follow_up"
        text = mark.text if kind == "question" else _FOLLOW_UP.sub("", mark.text, count=1)
        answer = "\n".join(line.text.rstrip() for line in body if not _RULE.match(line.text))
        turns.append(Turn(kind=kind, text=text, line=place))
        turns.append(Turn(kind="answer", text=answer.strip(), line=place + 1))
    first = group[0][0]
    return compose(
        turns, number=first.number, line=lines[first.at].number, page=lines[first.at].page
    )


def _headings(lines: Sequence[Line]) -> list[Mark]:
    """Headings of the level at which most of them ask; higher ones end an answer."""
    found = [
        (at, len(match[1]), match[2])
        for at, line in enumerate(lines)
        if not line.fenced and (match := _HEADING.match(line.text)) and match[2].strip()
    ]
    for level in (3, 2, 4, 1, 5, 6):
        texts = [text for _, depth, text in found if depth == level]
        asking = [text for text in texts if not _NO_QUESTION.fullmatch(_bare(text))]
        if len(asking) >= 2 and share_asking([_FOLLOW_UP.sub("", _bare(t)) for t in asking]) >= 0.6:
            return [
                _mark(at, text if depth == level and text in asking else "", "#" * level)
                for at, depth, text in found
                if depth <= level
            ]
    return []


def _quotes(lines: Sequence[Line]) -> list[Mark]:
    """Quoted lines that ask; quoted lines in sequence are one question."""
    quoted = {
        at: match[1].strip()
        for at, line in enumerate(lines)
        if not line.fenced and (match := _QUOTE.match(line.text))
    }
    runs: list[list[int]] = []
    for at in quoted:
        if runs and runs[-1][-1] == at - 1:
            runs[-1].append(at)
        else:
            runs.append([at])
    texts = [unwrap([quoted[at] for at in run]) for run in runs]
    if share_asking(texts) < 0.6:
        return []
    return [_mark(run[-1], text, ">") for run, text in zip(runs, texts, strict=True) if text]


def _bold(lines: Sequence[Line]) -> list[Mark]:
    return _uniform(lines, _BOLD, 1, "b", lambda texts: share_asking(texts) >= 0.8)


def _numbered(lines: Sequence[Line]) -> list[Mark]:
    """Numbered lines that end in a question mark and count up from one by one."""
    marks: list[Mark] = []
    for at, line in enumerate(lines):
        match = None if line.fenced else _NUMBERED.match(line.text)
        if match and ends_asking(match[2]) and int(match[1]) == len(marks) + 1:
            marks.append(Mark(at, match[2].strip(), int(match[1]), "numbered"))
    return marks


def _uniform(
    lines: Sequence[Line],
    pattern: re.Pattern[str],
    group: int,
    style: str,
    fits: Callable[[list[str]], bool],
) -> list[Mark]:
    found = [
        (at, match[group].strip())
        for at, line in enumerate(lines)
        if not line.fenced and (match := pattern.match(line.text))
    ]
    if not fits([_bare(text) for _, text in found]):
        return []
    return [_mark(at, text, style) for at, text in found]


def _mark(at: int, text: str, style: str) -> Mark:
    text = text.strip().strip("*_").strip()
    number = _NUMBER.match(text)
    return Mark(at, _bare(text), printed_number(number[1]) if number else None, style)


def _bare(text: str) -> str:
    return _NUMBER.sub("", text.strip().strip("*_").strip(), count=1).strip()


def adjacent(marks: Sequence[Mark]) -> bool:
    """Whether questions follow upon each other without a line between: a bare list."""
    asked = [mark for mark in marks if mark.text]
    return all(two.at - one.at == 1 for one, two in pairwise(asked))
