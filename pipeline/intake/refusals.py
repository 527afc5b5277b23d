"""Why a text is no interview that can be graded."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from pipeline.errors import InputError
from pipeline.intake.asking import ends_asking
from pipeline.intake.draft import Line
from pipeline.intake.labels import Label

LOOKED_FOR = (
    "Looked for questions and answers under labels (问题1： 回答：, Q1: A:), for speakers "
    "(面试官： 候选人：, Interviewer: Candidate:), and for headings, quotes or numbered lines that "
    "ask. Label the questions and answers."
)
_RUBRIC = re.compile(r"rubric|评分标准|评分量表|scoring (?:guide|criteria)|评分细则", re.I)
_SCORE_TABLE = re.compile(r"\|[ \t]*(?:score|分数|得分|等级|level|rating)[ \t]*\|", re.I)
_SPEAKS_OF = re.compile(r"question|you asked|问题|你问|您问|题目", re.I)
_NEEDS_ANSWERS = "Give the transcript with the candidate's answers."


def refusal(
    lines: Sequence[Line], labels: Mapping[int, Label], asked: int, *, source: str
) -> InputError:
    """The error that fits a text in which no layout was found.

    `asked` is the number of unlabelled questions (headings and the like) that have no answers.
    """
    kinds: set[str] = {label.kind for label in labels.values()}
    problem = _problem(lines, labels, kinds, asked)
    remedy = LOOKED_FOR if problem in {_NO_LAYOUT, _ONE_VOICE} else _NEEDS_ANSWERS
    if problem == _NO_QUESTION:
        remedy = "Put each question before its answer, under labels such as 问题1： and 回答：."
    return InputError(problem, source=source, remedy=remedy)


_NO_LAYOUT = "has no layout that is known."
_NO_QUESTION = "has answers but no questions; an answer cannot be graded without its question."
_BANK = "is a question bank: questions with criteria or reference answers, no answers."
_ONE_VOICE = (
    "is one running text: it does not show where questions end and answers begin "
    "(a monologue, or a transcript without speakers)."
)


def _problem(
    lines: Sequence[Line], labels: Mapping[int, Label], kinds: set[str], asked: int
) -> str:
    text = "\n".join(line.text for line in lines)
    if "question" in kinds or "follow_up" in kinds:
        if kinds & {"reference", "bank", "objective"} and "score" not in kinds:
            return _BANK
        if "score" in kinds:
            return "is a rating report: it holds ratings of answers, but not the answers."
        return "is a list of questions without answers."
    if _RUBRIC.search(text) and (_SCORE_TABLE.search(text) or kinds & {"score", "bank"}):
        return "is a scoring rubric, not an interview."
    if asked and kinds & {"reference", "bank", "objective"}:
        return _BANK
    if asked:
        return "is a list of questions without answers."
    if "answer" in kinds:
        return _NO_QUESTION
    return _prose(lines)


def _prose(lines: Sequence[Line]) -> str:
    texts = [line.text for line in lines if line.text.strip()]
    asking = sum("?" in text or "？" in text for text in texts)
    if len(texts) <= 3 and len(_SPEAKS_OF.findall(" ".join(texts))) >= 2:
        return _ONE_VOICE
    if not asking:
        return "is text without any question (a bare answer?); it cannot be graded."
    if len(texts) <= 3 or not any(map(ends_asking, texts)):
        return _ONE_VOICE
    return _NO_LAYOUT
