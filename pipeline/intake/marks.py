"""Questions without a label: headings, quotes, bold lines or numbered lines that ask.

### 你们的 Git 流程是怎么样的？      > What is a mutex?      1. What is a mutex?
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pipeline.intake.asking import asks, ends_asking, share_asking
from pipeline.intake.compose import unwrap
from pipeline.intake.draft import Line
from pipeline.intake.labels import label_of
from pipeline.intake.numerals import printed_number
from pipeline.intake.speakers import spoken

_HEADING = re.compile(r"[ \t]{0,3}(#{1,6})[ \t]*(.*?)[ \t#]*$")
_QUOTE = re.compile(r"[ \t]{0,3}>[ \t]?(.*)$")
_BOLD = re.compile(
    r"[ \t]*(?:[-*+][ \t]+)?(?:\*\*|__)([^*_].{1,300}?)(?:\*\*|__)[ \t]*[:：]?[ \t]*$"
)
_NUMBERED = re.compile(
    r" {0,2}(?:[（(]?(?P<n>\d{1,3}|[一二三四五六七八九十]{1,3})[.．、)）]|(?P<c>[①-⑳])[.．、]?)"
    r"[ \t\u3000]*(?P<text>\S.{2,400})$"
)
_NUMBER = re.compile(
    r"(?:Q[ \t]*)?(\d{1,3}(?:\.\d{1,3})*|[一二三四五六七八九十]{1,3})[.、．)）][ \t]*", re.I
)
FOLLOW_UP = re.compile(r"(?:补充|追问|follow[- ]?up)(?:提问|问题)?\d*[ \t]*[:：][ \t]*", re.I)
NO_QUESTION = re.compile(
    r".{0,12}(?:总结|小结|自我评价|查漏补缺|复盘|附录|参考资料|参考|面试结果|面试评价|点评|评语|反馈|感想|体会)|"
    r"summary|notes?|feedback|conclusion|appendix|references?|comments?|overall.{0,30}",
    re.I,
)


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
        asked = [mark for mark in marks if mark.text]
        if len(asked) >= 2 and not _are_turns(lines, asked):
            return marks
    return []


def _are_turns(lines: Sequence[Line], marks: Sequence[Mark]) -> bool:
    """Quotes or headings that start with a name are a dialogue of people unknown."""
    return sum(spoken(0, lines[mark.at].text) is not None for mark in marks) * 2 >= len(marks)


def _headings(lines: Sequence[Line]) -> list[Mark]:
    """Headings of the level at which most of them ask; higher ones end an answer.

    A single # right under text is more likely a comment in code.
    """
    found = [
        (at, len(match[1]), match[2])
        for at, line in enumerate(lines)
        if not line.fenced
        and (match := _HEADING.match(line.text))
        and match[2].strip()
        and (at == 0 or not lines[at - 1].text.strip() or len(match[1]) > 1)
    ]
    for level in (3, 2, 4, 1, 5, 6):
        texts = [text for _, depth, text in found if depth == level]
        asking = [text for text in texts if not NO_QUESTION.fullmatch(_bare(text))]
        if len(asking) >= 2 and share_asking([FOLLOW_UP.sub("", _bare(t)) for t in asking]) >= 0.6:
            return [
                _mark(at, text if depth == level and text in asking else "", "#" * level)
                for at, depth, text in found
                if depth <= level
            ]
    return []


def _quotes(lines: Sequence[Line]) -> list[Mark]:
    """Quoted lines that ask; quoted lines in sequence are one question, a salutation is none."""
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
    return [
        _mark(run[-1], "" if text.endswith((",", "，")) else text, ">")
        for run, text in zip(runs, texts, strict=True)
        if text
    ]


def _bold(lines: Sequence[Line]) -> list[Mark]:
    """Lines that are bold as a whole, if nearly all of them ask."""
    found = [
        (at, match[1].strip())
        for at, line in enumerate(lines)
        if not line.fenced and (match := _BOLD.match(line.text))
    ]
    if share_asking([_bare(text) for _, text in found]) < 0.8:
        return []
    above = [_section_above(lines, at) for at, _ in found[1:]]
    sections = [(at, "") for at in above if at is not None]
    return [_mark(at, text, "b") for at, text in sorted(found + sections)]


def _section_above(lines: Sequence[Line], at: int) -> int | None:
    """The heading right above a question: it belongs to no answer."""
    above = next((n for n in range(at - 1, -1, -1) if lines[n].text.strip()), None)
    return above if above is not None and _HEADING.match(lines[above].text) else None


def _numbered(lines: Sequence[Line]) -> list[Mark]:
    """Numbered lines that count up from one by one and ask: by a question mark, or by their words
    and a blank line above, or by an answer label below."""
    marks: list[Mark] = []
    for mark in _numbered_lines(lines):
        if mark.number == len(marks) + 1:
            marks.append(mark)
    return marks


def repeated_numbers(lines: Sequence[Line], marks: Sequence[Mark]) -> list[int]:
    """The lines that ask under a number that one of the numbered marks has as well."""
    taken = {mark.at for mark in marks}
    numbers = {mark.number for mark in marks if mark.style == "numbered"}
    others = [mark for mark in _numbered_lines(lines) if mark.at not in taken]
    return [lines[mark.at].number for mark in others if mark.number in numbers]


def _numbered_lines(lines: Sequence[Line]) -> Iterator[Mark]:
    """All numbered lines that stand as questions."""
    for at, line in enumerate(lines):
        match = None if line.fenced else _NUMBERED.match(line.text)
        if match and _stands_as_question(lines, at, match["text"]):
            number = printed_number(match["n"] or unicodedata.normalize("NFKC", match["c"]))
            yield Mark(at, match["text"].strip(), number, "numbered")


def _stands_as_question(lines: Sequence[Line], at: int, text: str) -> bool:
    if ends_asking(text):
        return True
    apart = at == 0 or not lines[at - 1].text.strip()
    if apart and asks(text) and len(text) <= 120:
        return True
    below = next((line.text for line in lines[at + 1 : at + 4] if line.text.strip()), "")
    label = label_of(below)
    return label is not None and label.kind == "answer"


def _mark(at: int, text: str, style: str) -> Mark:
    text = text.strip().strip("*_").strip()
    number = _NUMBER.match(text)
    return Mark(at, _bare(text), printed_number(number[1]) if number else None, style)


def _bare(text: str) -> str:
    return _NUMBER.sub("", text.strip().strip("*_").strip(), count=1).strip()
