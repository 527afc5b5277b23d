"""Sentences of an answer that speak to the grader. They are flagged for people, never punished.

Somebody who explains such attacks may be flagged too; a reviewer clears that. The patterns look at
a plain form of the answer: folded width, no invisible characters, tag characters made readable.
"""

from __future__ import annotations

import base64
import binascii
import re
import unicodedata
from collections.abc import Iterable, Iterator

from pipeline.gates.injection_patterns import DENSE, LINES, WORDS
from pipeline.neutral import is_invisible

Span = tuple[int, int]
_TAGS = range(0xE0020, 0xE007F)
_BASE64 = re.compile(r"[A-Za-z0-9+/]{24,}={0,2}")
_SENTENCE = re.compile(r"(?:[^。！？!?\n.]|\.(?!\s))+[。！？!?\n.]?")
_MASTER_KEYS = re.compile(
    r"[\s:：.。]*(?:首先，?|好的，?)?(?:让我们|我们来)?一步一?步(?:地)?(?:来)?(?:分析|思考|解决)(?:这个问题)?[\s:：.。]*"
    r"|(?:thought process|solution|(?:let'?s|let us) (?:solve|think(?: about)?|work through) this "
    r"(?:problem )?step by step)[\s:：.。]*",
    re.IGNORECASE,
)


def injected_spans(answer: str) -> tuple[Span, ...]:
    """Start and end of each suspicious passage in the answer, merged and in order."""
    if not answer.strip():
        return _merged(_hidden(answer))
    if _MASTER_KEYS.fullmatch(answer):
        return ((0, len(answer)),)
    plain, places = _plain(answer)
    dense, dense_places = _without_spaces(plain, places)
    found = [
        *_hidden(answer),
        *_matches(WORDS, plain, places),
        *_matches(LINES, plain, places),
        *_matches(DENSE, dense, dense_places),
        *_encoded(answer),
    ]
    return _merged(_whole_sentence(answer, span) for span in found)


def _plain(answer: str) -> tuple[str, list[int]]:
    """The visible characters in compatibility form, each with its place in the answer."""
    built = [
        (plain, place)
        for place, character in enumerate(answer)
        if not is_invisible(character)
        for plain in unicodedata.normalize("NFKC", character)
    ]
    return "".join(plain for plain, _ in built).casefold(), [place for _, place in built]


def _without_spaces(plain: str, places: list[int]) -> tuple[str, list[int]]:
    """Without white space and idle marks, so that split words read as one."""
    kept = [(c, p) for c, p in zip(plain, places, strict=False) if c.isalnum() or c in ":=\"{}<>'"]
    return "".join(c for c, _ in kept), [p for _, p in kept]


def _matches(pattern: re.Pattern[str], text: str, places: list[int]) -> Iterator[Span]:
    for found in pattern.finditer(text):
        if found.end() > found.start() and found.end() <= len(places):
            yield places[found.start()], places[found.end() - 1] + 1


def _hidden(answer: str) -> Iterator[Span]:
    """Text in tag characters, which nobody types: it can only be meant for a machine."""
    tagged = [place for place, character in enumerate(answer) if ord(character) in _TAGS]
    if len(tagged) >= 4:
        yield tagged[0], tagged[-1] + 1


def _encoded(answer: str) -> Iterator[Span]:
    """Base64 that decodes to a text that speaks to the grader."""
    for found in _BASE64.finditer(answer):
        text = _decoded(found[0]).casefold()
        dense = "".join(character for character in text if character.isalnum())
        if WORDS.search(text) or DENSE.search(dense):
            yield found.span()


def _whole_sentence(answer: str, span: Span) -> Span:
    """The span, made wider to the sentence it begins in."""
    for found in _SENTENCE.finditer(answer):
        if found.start() <= span[0] < found.end():
            return found.start(), max(span[1], found.end())
    return span


def _merged(spans: Iterable[Span]) -> tuple[Span, ...]:
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return tuple(merged)


def _decoded(text: str) -> str:
    """Base64 as text, or "" where it is none."""
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), validate=True).decode("utf-8")
    except (binascii.Error, ValueError):
        return ""
