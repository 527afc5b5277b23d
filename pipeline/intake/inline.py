"""Labels on the line of the question: `问题1：… 考察目标：… 回答：…`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from pipeline.errors import InputError
from pipeline.intake.labels import Label
from pipeline.intake.segments import Segment
from pipeline.intake.vocabulary import Kind

_BREAK = r"(?<=[\s\u3000。？！?!；;|])"
_OBJECTIVE = re.compile(
    rf"{_BREAK}[（(]?(考察目标|考察点|考察意图|考查点|考察要点|考查目标)[ \t]*[:：]"
)
_ANSWER = re.compile(rf"{_BREAK}(候选人回答|回答|答|Answer)[ \t]*[:：]")
_LETTER = re.compile(rf"{_BREAK}(A|Answer)[ \t]*[:：]")
_QUESTION = (
    rf"{_BREAK}(?:第[ \t]*\d{{1,3}}[ \t]*[题问]|(?:问题|Question|Q)[ \t]*\d{{1,3}})[ \t]*[:：]"
)
_ASKED = re.compile(rf"{_QUESTION}|{_BREAK}问[:：]")
_CROWDED = re.compile(
    rf"(?:{_QUESTION}|{_BREAK}问[:：])[^\n]{{1,400}}?{_BREAK}(?:回答|答|Answer|A)[ \t]*[:：]"
)


def answers_inline(labels: Mapping[int, Label]) -> bool:
    """Whether at least half of the questions have their answer on their own line."""
    asked = [label for label in labels.values() if label.kind == "question"]
    found = [(_LETTER if one.word == "q" else _ANSWER).search(one.rest[:20_000]) for one in asked]
    return bool(asked) and sum(map(bool, found)) * 2 >= len(asked)


def refuse_crowded(groups: Sequence[Sequence[Segment]], source: str) -> None:
    """`Q1: … A: … Q2: …` on one line would join the second question to the first answer."""
    for group in groups:
        for segment in group[1:]:
            own_line = segment.line.number == group[0].line.number
            if own_line and segment.texts and _ASKED.search(segment.texts[0][:20_000]):
                raise InputError(
                    "holds several questions on one line.",
                    source=source,
                    line=segment.line.number,
                    remedy="Start a new line at each question.",
                )


def crowded_doubts(groups: Sequence[Sequence[Segment]]) -> list[str]:
    """Answers in whose lines stands a further question with its answer."""
    return [
        f"line {segment.line.number + at} holds labels of a question and an answer within its text"
        for group in groups
        for segment in group
        if segment.kind == "answer"
        for at, text in enumerate(segment.texts)
        if _CROWDED.search(text[:20_000])
    ]


def split_inline(group: Sequence[Segment]) -> list[Segment]:
    """The segments of one question, those that share its line cut out of it.

    Only a label that the question lacks at line start is looked for in its line.
    """
    first, *rest = group
    have = {segment.kind for segment in rest}
    out = [first]
    if "objective" not in have:
        out = _split_last(out, "objective", _OBJECTIVE)
    if "answer" not in have:
        # After `问题1：` an `A:` may be the first of several options.
        out = _split_last(out, "answer", _LETTER if first.label.word == "q" else _ANSWER)
    if "answer" not in have and len(out) == 1 and rest and rest[0].kind == "objective":
        return [first, *_split_last([rest[0]], "answer", _ANSWER), *rest[1:]]
    return [*out, *rest]


def _split_last(segments: list[Segment], kind: Kind, pattern: re.Pattern[str]) -> list[Segment]:
    *before, last = segments
    for at, text in enumerate(last.texts):
        match = pattern.search(text[:20_000])
        if match:
            label = Label(kind, match[1].casefold(), None, "", "", "")
            head = Segment(
                last.kind, last.label, last.line, [*last.texts[:at], text[: match.start()]]
            )
            return [
                *before,
                head,
                Segment(kind, label, last.line, [text[match.end() :], *last.texts[at + 1 :]]),
            ]
    return segments
