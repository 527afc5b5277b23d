"""Lines to segments: what stands under each label that counts.

Whether a label counts depends on where it stands: an `A:` inside an open answer is text, as is
everything in a code fence.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from pipeline.intake.draft import Line
from pipeline.intake.labels import Label, label_of
from pipeline.intake.marks import NO_QUESTION
from pipeline.intake.questions import real_questions
from pipeline.intake.vocabulary import Kind

_HEADING = re.compile(r"[ \t]{0,3}(#{1,6})[ \t]+\S")
_FIELD = re.compile(r"[ \t]*[-*+][ \t]+\*\*[^*\n]{1,40}\*\*[ \t]*[:：]")
_SCORE = re.compile(r"[\d./ ％%分满为of\-–—]*\d[\d./ ％%分满为of]*|not rated|n/?a|未评分|-*|", re.I)


@dataclass(frozen=True)
class Segment:
    """A label and the lines under it."""

    kind: Kind
    label: Label
    line: Line
    texts: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Cut:
    """A text cut at its labels."""

    head: list[str]
    segments: tuple[Segment, ...]
    doubts: tuple[str, ...]


def find_labels(lines: Sequence[Line]) -> dict[int, Label]:
    """The labels by line index; lines in a code fence have none."""
    found = ((at, label_of(line.text)) for at, line in enumerate(lines) if not line.fenced)
    labels = {at: label for at, label in found if label}
    labels = dict(sorted({**labels, **_bare_labels(lines, labels)}.items()))
    asked = [at for at, label in labels.items() if label.kind == "question"]
    for at, following in pairwise(asked):
        if _heads(at, following, labels, lines):
            number = labels[at].number
            labels[following] = labels[following]._replace(number=number, style=labels[at].style)
            labels[at] = labels[at]._replace(kind="section")
    return labels


def _bare_labels(lines: Sequence[Line], labels: Mapping[int, Label]) -> dict[int, Label]:
    """Words such as 回答 alone on their lines, without a colon: labels if one of them recurs."""
    asked = sum(label.kind == "question" for label in labels.values())
    found: dict[int, Label] = {}
    for at, line in enumerate(lines):
        text = line.text.strip()
        if at in labels or line.fenced or not 1 < len(text) <= 12:
            continue
        label = label_of(text + "：")
        if label and label.kind in {"answer", "objective", "comment"} and not label.rest:
            found[at] = label
    counts = Counter(label.word for label in found.values())
    return found if max(counts.values(), default=0) >= max(2, asked / 2) else {}


def _heads(at: int, following: int, labels: Mapping[int, Label], lines: Sequence[Line]) -> bool:
    """Whether `Q1` is only the heading over a block of fields with its own `Question:`."""
    heading, inner = labels[at], labels[following]
    if heading.number is None or inner.number is not None:
        return False
    if heading.rest and heading.rest != inner.rest:
        return False
    between = range(at + 1, following)
    return all(
        labels[n].kind in {"bank", "score", "section"} if n in labels else not lines[n].text.strip()
        for n in between
    )


def cut(lines: Sequence[Line], labels: Mapping[int, Label]) -> Cut:
    """The segments of a labelled text."""
    real, alike = real_questions(labels)
    doubts = [
        f"line {lines[at].number} looks like a question but was taken as text of the answer"
        for at in alike
    ]
    rules = _Rules.of(labels, set(real), lines)
    head: list[str] = []
    segments: list[Segment] = []
    open_now = False
    for at, line in enumerate(lines):
        label = labels.get(at)
        if label and rules.opens(at, label, segments, lines[at - 1] if at else None):
            segments.append(Segment(label.kind, label, line, [label.rest]))
            open_now = True
        elif open_now and _ends(line, lines[at - 1], segments, rules):
            open_now = False
            doubts.append(
                f"the section from line {line.number} on was left out; it belongs to no answer"
            )
        elif open_now:
            segments[-1].texts.append(line.text)
        elif not segments:
            head.append(line.text)
    return Cut(head, tuple(segments), tuple(doubts))


@dataclass(frozen=True)
class _Rules:
    """What holds for the whole text."""

    real: frozenset[int]
    words: Counter[str]
    objective_after: bool
    answers: frozenset[str]
    levels: frozenset[int]
    """Levels of the headings that question and answer labels are, or that stand above them."""

    @classmethod
    def of(cls, labels: Mapping[int, Label], real: set[int], lines: Sequence[Line]) -> _Rules:
        used = [labels[at] for at in sorted(real)]
        used += [label for label in labels.values() if label.kind == "answer"]
        levels = {label.style.count("#") for label in used}
        above = (_HEADING.match(line.text) for line in lines[: min(real, default=0)])
        levels |= {len(heading[1]) for heading in above if heading}
        return cls(
            real=frozenset(real),
            words=Counter(label.word for label in labels.values()),
            objective_after=_objective_after(labels),
            answers=frozenset(label.style for label in labels.values() if label.kind == "answer"),
            levels=frozenset(levels - {0}),
        )

    def opens(
        self, at: int, label: Label, segments: Sequence[Segment], before: Line | None
    ) -> bool:
        if label.kind == "question":
            return at in self.real
        if label.kind == "section":
            return True
        if not segments:
            return False
        state = segments[-1].kind
        if label.kind == "answer":
            return _opens_answer(label, segments)
        if label.kind == "objective":
            return state in {"question", "score", "bank"} or self.objective_after
        if label.kind == "follow_up":
            return state != "question" or bool(label.rest)
        apart = before is None or not before.text.strip()
        return state != "answer" or self._ends_answer(label, apart)

    def _ends_answer(self, label: Label, apart: bool) -> bool:
        """Comment, reference, score and bank labels end an answer only if they look the part."""
        plain = not label.style and self.answers and "" not in self.answers
        if plain and not apart and (label.kind != "comment" or label.word.isascii()):
            return False
        if label.kind == "score":
            return bool(_SCORE.fullmatch(label.rest.strip()))
        if label.kind == "bank":
            return bool(label.style) or self.words[label.word] > 1
        return True


def _opens_answer(label: Label, segments: Sequence[Segment]) -> bool:
    """The first answer after a question always counts; a second only under the same label."""
    for segment in reversed(segments):
        if segment.kind in {"question", "follow_up"}:
            return True
        if segment.kind == "answer":
            versions = segment.label.word[2:3] == label.word[2:3] == "版"
            same = segment.label.word == label.word or versions
            return same and segment.label.style == label.style
    return False


def _objective_after(labels: Mapping[int, Label]) -> bool:
    """Whether this text gives objectives after the answers, and never before."""
    before = [one.kind for one, label in pairwise(labels.values()) if label.kind == "objective"]
    return len(before) > 1 and all(kind in {"answer", "comment"} for kind in before)


def _ends(line: Line, before: Line, segments: Sequence[Segment], rules: _Rules) -> bool:
    """A heading of the text's own structure, or an unknown field of a list of bold fields.

    Only after a blank line, and a single # only below some text: `# note` may be code.
    """
    if line.fenced:
        return False
    heading = _HEADING.match(line.text)
    if heading and not before.text.strip() and rules.levels:
        level = len(heading[1])
        something = any(text.strip() for text in segments[-1].texts)
        named = bool(NO_QUESTION.fullmatch(line.text.strip(" \t#")))
        known = level in rules.levels and level > 1
        return named or known or (something and level <= max(rules.levels))
    style = segments[-1].label.style
    return style == "-b" and bool(
        re.match(r"[ \t]*[-*+][ \t]+\*\*[^*\n]{1,40}\*\*[ \t]*[:：]", line.text)
    )
