"""Labels on the line of the question: `问题1：… 考察目标：… 回答：…`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pipeline.intake.labels import Label
from pipeline.intake.segments import Segment
from pipeline.intake.vocabulary import Kind

_BREAK = r"(?<=[\s\u3000。？！?!；;|])"
_OBJECTIVE = re.compile(
    rf"{_BREAK}[（(]?(考察目标|考察点|考察意图|考查点|考察要点|考查目标)[ \t]*[:：]"
)
_ANSWER = re.compile(rf"{_BREAK}(候选人回答|回答|答|Answer)[ \t]*[:：]")
_LETTER = re.compile(rf"{_BREAK}(A|Answer)[ \t]*[:：]")


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
