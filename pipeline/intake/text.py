"""Text to lines, and lines to the layout that fits them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from pipeline.errors import InputError
from pipeline.intake.decode import decode
from pipeline.intake.draft import Draft, Line, Options, Source, warned
from pipeline.intake.implied import as_labels, read_implied
from pipeline.intake.inline import answers_inline
from pipeline.intake.labelled import read_labelled
from pipeline.intake.labels import Label, label_of
from pipeline.intake.marks import Mark, implied_questions, repeated_numbers
from pipeline.intake.refusals import refusal
from pipeline.intake.segments import find_labels
from pipeline.intake.sources import read_whole
from pipeline.intake.transcript import read_transcript, speakers_of
from pipeline.intake.unlabelled import answers_follow
from pipeline.intake.vocabulary import Kind

# A fence may open behind a label, on its line.
_FENCE = re.compile(r"(?:[ \t]{0,3}|[^`]{1,40}[:：】\]][ \t*_]*(?=```[\w+#.-]*[ \t]*$))(```+|~~~+)")


def read(source: Source, options: Options) -> Iterator[Draft]:
    """The one interview of a plain or Markdown text."""
    text, doubts = decode(read_whole(source), source=source.name)
    draft = read_lines(numbered(text), source=source.name)
    yield warned(draft, *doubts)


def numbered(text: str) -> list[Line]:
    """The lines of a text; an unclosed code fence fences nothing."""
    texts = text.split("\n")
    fenced = _fenced(texts)
    page, lines = 1, []
    for at, line in enumerate(texts):
        page += line.count("\f")
        lines.append(Line(at + 1, line.replace("\f", ""), None, at in fenced))
    return lines


def read_lines(lines: Sequence[Line], *, source: str) -> Draft:
    """The draft of whatever layout the lines have; InputError says why none fits."""
    if not any(line.text.strip() for line in lines):
        raise InputError("is empty.", source=source, remedy="Remove it, or export it again.")
    hidden = _questions_in_code(lines)
    return warned(_read_layout(lines, source), *hidden)


def _questions_in_code(lines: Sequence[Line]) -> list[str]:
    """A fence that was never meant as one would hide whole questions."""
    found = [line.number for line in lines if line.fenced and _is_question(line.text)]
    return [f"code fences hold lines that start like questions: {found[:10]}"] if found else []


def _is_question(text: str) -> bool:
    label = label_of(text)
    return label is not None and label.kind == "question"


def _read_layout(lines: Sequence[Line], source: str) -> Draft:
    labels = _with_speakers(find_labels(lines), lines)
    kinds = {label.kind for label in labels.values()}
    talk = speakers_of(lines)
    both = {"question", "answer"} <= kinds or answers_inline(labels)
    if both and not _mostly_talk(labels, talk):
        return read_labelled(lines, labels, source=source)
    draft = read_transcript(lines, source=source)
    if draft:
        return draft
    return _read_unlabelled(lines, labels, source)


def _read_unlabelled(lines: Sequence[Line], labels: dict[int, Label], source: str) -> Draft:
    kinds = {label.kind for label in labels.values()}
    marks = [] if "question" in kinds else implied_questions(lines)
    if marks and "answer" in kinds:
        both = dict(sorted({**labels, **as_labels(marks)}.items()))
        return read_labelled(lines, both, source=source)
    bare = not kinds & {"reference", "bank", "objective", "score"}
    if bare:
        _refuse_repeated(lines, marks, source)
    draft = read_implied(lines, marks) if marks and bare else None
    if draft:
        return draft
    followed = answers_follow(lines, labels) if "question" in kinds else None
    if followed:
        draft = read_labelled(lines, followed, source=source)
        return warned(draft, "answers have no label; the text after each question was taken")
    raise refusal(lines, labels, len(marks), source=source)


def _refuse_repeated(lines: Sequence[Line], marks: Sequence[Mark], source: str) -> None:
    """A list of questions within an answer cannot be told from the questions themselves."""
    again = repeated_numbers(lines, marks)
    if again:
        raise InputError(
            "has two numbered lines that ask under one number; it is not clear which is the "
            "question and which a list within an answer.",
            source=source,
            line=again[0],
            remedy="Label the questions and answers: 问题1： 回答：, Q1: A:.",
        )


def _with_speakers(labels: dict[int, Label], lines: Sequence[Line]) -> dict[int, Label]:
    """`问题1：` with `候选人：` below it, or `面试官：` with `答：`: one side by speaker."""
    kinds = {label.kind for label in labels.values()}
    lacking = {"question", "answer"} - kinds
    if len(lacking) != 1:
        return labels
    side = "candidate" if lacking == {"answer"} else "interviewer"
    kind: Kind = "answer" if lacking == {"answer"} else "question"
    first = min(labels, default=0)
    for at, role in speakers_of(lines).items():
        if role == side and at not in labels and (side == "interviewer" or at > first):
            text = re.split("[:：]", lines[at].text, maxsplit=1)[-1].strip(" *")
            labels[at] = Label(kind, side, None, "", text, "")
    return dict(sorted(labels.items()))


def _mostly_talk(labels: Mapping[int, Label], talk: Mapping[int, str]) -> bool:
    """Labels that are only words within a dialogue: its turns outnumber them by far."""
    answers = sum(label.kind == "answer" and label.word != "candidate" for label in labels.values())
    both = {"interviewer", "candidate"} <= set(talk.values())
    return both and len(talk) > 2 * answers + 1


def _fenced(texts: Sequence[str]) -> set[int]:
    inside: set[int] = set()
    opened: tuple[int, str] | None = None
    for at, text in enumerate(texts):
        match = _FENCE.match(text)
        if match and opened is None:
            behind_label = bool(text[: match.start(1)].strip())
            opened = (at + behind_label, match[1])
        elif match and opened and match[1].startswith(opened[1]) and text.strip() == match[1]:
            inside.update(range(opened[0], at + 1))
            opened = None
    return inside
