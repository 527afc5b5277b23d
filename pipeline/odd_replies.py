"""Replies as they really come: the verdict in fences, thoughts, prose or slightly broken JSON.

A reply that is a verdict as asked for is taken as it stands. Otherwise the last object in it is
the verdict, read where its structure alone needs a repair that cannot change its meaning; every
doubt is an InvalidVerdict, and the caller asks once more. No score is clamped or guessed.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple
from unicodedata import normalize

from pipeline.json_reading import NotReadable, read_object
from pipeline.records import Rubric, Verdict
from pipeline.verdict import InvalidVerdict, parse_verdict, validated

_THOUGHT = re.compile(r"\A\s*<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)
_OPENED = re.compile(r"<think(?:ing)?>")
_CLOSED = re.compile(r"</think(?:ing)?>")
_DIGIT = re.compile(r"\d|[一二三四五]分")
_BRACE = re.compile(r"[{｛]")
_WHOLE = re.compile(r"\s*(-?\d{1,3})\s*(?:/\s*(\d{1,3})\s*)?")
_SPACE = re.compile(r"\s+")
MOST_OBJECTS = 200
"""Objects in one reply that are looked at: drafts of a verdict are a few."""


class Found(NamedTuple):
    """The last object of a reply."""

    tree: dict[str, Any]
    start: int
    end: int


def read_verdict(text: str, rubric: Rubric, answer: str = "") -> tuple[Verdict, bool]:
    """The verdict in a reply, and whether it needed a repair. Raises InvalidVerdict.

    An object that stands in `answer` word for word is a quotation, and no verdict.
    """
    try:
        verdict, repaired = parse_verdict(text, rubric), False
        body = _THOUGHT.sub("", text)
        written = body[body.index("{") : body.rindex("}") + 1]
    except InvalidVerdict as fault:
        verdict, written = _repaired(text, rubric, fault)
        repaired = True
    if _BRACE.search(answer) and _packed(written) in _packed(answer):
        raise InvalidVerdict("the verdict is copied from the answer")
    return verdict, repaired


def _repaired(text: str, rubric: Rubric, fault: InvalidVerdict) -> tuple[Verdict, str]:
    if tail := _behind_thoughts(text):
        try:
            return parse_verdict(tail, rubric), tail
        except InvalidVerdict:
            pass
    body = _THOUGHT.sub("", text)
    found = _last_object(body)
    if found is None:
        if _OPENED.match(body.strip()):
            raise InvalidVerdict("the reply is an unfinished thought")
        raise fault
    tree = {key: _with_whole_score(value, rubric) for key, value in found.tree.items()}
    verdict = validated(tree, rubric)
    if _says_more(body[found.end :], rubric):
        raise InvalidVerdict("text with figures or criteria follows the verdict")
    return verdict, body[found.start : found.end]


def _behind_thoughts(text: str) -> str:
    """What follows the last end of a thought, where the thought has no beginning, or several."""
    ends = [found.end() for found in _CLOSED.finditer(text)]
    return text[ends[-1] :] if ends else ""


def _last_object(body: str) -> Found | None:
    """The last object outside all others and outside thoughts; None where there is none.

    An object that cannot be read hides where strings begin and end, so nothing behind it counts.
    """
    found, place, looked_at = None, 0, 0
    while brace := _BRACE.search(body, place):
        looked_at += 1
        if looked_at > MOST_OBJECTS:
            raise InvalidVerdict(f"the reply holds more than {MOST_OBJECTS} JSON objects")
        between = body[place : brace.start()]
        if _OPENED.search(between):
            raise InvalidVerdict("the reply holds an unfinished thought")
        if _CLOSED.search(between):
            found = None
        try:
            tree, end = read_object(body, brace.start())
        except NotReadable as error:
            raise InvalidVerdict(
                f"not a JSON object: not readable at character {error.place} of {len(body)}"
            ) from None
        found, place = Found(tree, brace.start(), end), end
    if found and _CLOSED.search(body[place:]):
        raise InvalidVerdict("the verdict stands within a thought")
    return found


def _with_whole_score(value: Any, rubric: Rubric) -> Any:
    """A criterion whose score "3", "３", "3/5" or 3.0 is the number it stands for."""
    if not isinstance(value, dict):
        return value
    score = value.get("score")
    if isinstance(score, float) and score.is_integer():
        return {**value, "score": int(score)}
    found = _WHOLE.fullmatch(normalize("NFKC", score)) if isinstance(score, str) else None
    if found is None or found[2] not in (None, str(rubric.scale[1])):
        return value
    return {**value, "score": int(found[1])}


def _says_more(behind: str, rubric: Rubric) -> bool:
    """Whether what follows a verdict may take something of it back."""
    words = behind.casefold()
    named = [name for criterion in rubric.criteria for name in criterion.names.values()]
    about = ("score", *rubric.keys, *(name.casefold() for name in named))
    return bool(_DIGIT.search(words)) or any(name in words for name in about)


def _packed(text: str) -> str:
    return _SPACE.sub("", normalize("NFKC", text))
