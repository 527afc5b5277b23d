"""Turns into one pair: a question with its follow-ups, and all that was answered to them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pipeline.intake.blank import settle
from pipeline.intake.draft import Pair
from pipeline.records import Turn

_CJK = re.compile("[\u3400-\u9fff\uf900-\ufaff\u3000-\u303f\uff00-\uffef]")
_HAN = re.compile("[\u3400-\u9fff]")
_LATIN = re.compile("[A-Za-z]")


def chinese(text: str) -> bool:
    """Whether the text is Chinese: one Chinese character weighs as much as five letters."""
    han = len(_HAN.findall(text))
    return han > 0 and han * 5 >= len(_LATIN.findall(text))


def unwrap(lines: Sequence[str]) -> str:
    """Wrapped lines as one paragraph: no space where Chinese meets Chinese."""
    text = ""
    for line in (line.strip() for line in lines):
        if not line:
            continue
        joined = text[-1:] == "-" or (text and _CJK.match(text[-1]) and _CJK.match(line[0]))
        glue = "" if joined or not text else " "
        text += glue + line
    return text


def compose(turns: Sequence[Turn], **place: object) -> Pair:
    """One pair from question, follow_up, answer and filler turns.

    `place` are further fields of `Pair`. The turns are kept where there is more than one
    question or answer, so that it shows which answer belongs to which follow-up.
    """
    asked = [turn for turn in turns if turn.kind in {"question", "follow_up"}]
    answers = [turn for turn in turns if turn.kind == "answer"]
    question = "\n".join(_asked(turn) for turn in asked)
    answer, reason = _answered(question, answers)
    keep = len(asked) > 1 or len(answers) > 1 or any(turn.speaker for turn in turns)
    return Pair(
        question=question,
        answer=answer,
        missing_reason=reason,
        turns=tuple(turns) if keep else (),
        **place,  # type: ignore[arg-type]
    )


def _asked(turn: Turn) -> str:
    if turn.kind == "question":
        return turn.text
    return ("追问：" if chinese(turn.text) else "Follow-up: ") + turn.text


def _answered(question: str, answers: Sequence[Turn]) -> tuple[str | None, str | None]:
    """A single answer raw, several ones joined without their blanks."""
    if len(answers) < 2:
        return (answers[0].text, None) if answers else (None, "absent")
    settled = [settle(turn.text, question) for turn in answers]
    texts = [one.answer for one in settled if one.answer]
    if texts:
        return "\n\n".join(texts), None
    if any(one.answer == "" for one in settled):
        return "", None
    return None, settled[0].missing_reason
