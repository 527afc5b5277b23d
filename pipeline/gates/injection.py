"""Sentences of an answer that speak to the grader. They are flagged for people, never punished.

Somebody who explains such attacks may be flagged too; a reviewer clears that. The patterns look at
a plain form of the answer: folded width, no invisible characters, tag characters made readable.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache

from pipeline.gates.disguises import other_forms
from pipeline.gates.injection_patterns import DENSE, LINES, WORDS
from pipeline.gates.occurs import teller
from pipeline.gates.steering import steering_spans
from pipeline.neutral import is_invisible

Span = tuple[int, int]
_TAG = re.compile("[\U000e0020-\U000e007e]")
_ODD = re.compile("[^\t\n\r -~·‘’“”—\u3000-\u3029\u4e00-\u9fff\uff01-\uff5e]")
"""All but characters that show, and that compatibility form keeps one for one."""
_WIDE = re.compile("[\u3000\uff01-\uff5e]")
"""Of those that are not odd, the ones that compatibility form changes."""
_DENSE_PART = re.compile(r"(?:[^\W_]|[:=\"{}<>'])+")
_NOT_DENSE = re.compile(r"(?:[^\w:=\"{}<>']|_)+")
_SENTENCE = re.compile(r"(?:[^。！？!?\n.]|\.(?!\s))+[。！？!?\n.]?")
_MASTER_KEYS = re.compile(
    r"[\s:：.。]*(?:首先，?|好的，?)?(?:让我们|我们来)?一步一?步(?:地)?(?:来)?(?:分析|思考|解决)(?:这个问题)?[\s:：.。]*"
    r"|(?:thought process|solution|(?:let'?s|let us) (?:solve|think(?: about)?|work through) this "
    r"(?:problem )?step by step)[\s:：.。]*",
    re.IGNORECASE,
)


def injected_spans(answer: str) -> tuple[Span, ...]:
    """Start and end of each suspicious passage in the answer, merged and in order.

    Three ways to find one: set phrases, marks that meet in a sentence, and both in disguised text.
    """
    if not answer.strip():
        return _merged(_hidden(answer))
    if _MASTER_KEYS.fullmatch(answer):
        return ((0, len(answer)),)
    plain, places = _plain(answer)
    found = [
        *_hidden(answer),
        *(_matches(WORDS, plain, places) if _has_words()(plain) else ()),
        *_matches(LINES, plain, places),
        *_matches_without_spaces(plain, places),
        *_sentences(steering_spans(plain), places),
        *_disguised(answer, plain, places),
    ]
    return _merged(_whole_sentence(answer, span) for span in found)


def _plain(answer: str) -> tuple[str, Sequence[int]]:
    """The visible characters in compatibility form, each with its place in the answer."""
    if not _ODD.search(answer):
        return _WIDE.sub(_narrow, answer).casefold(), range(len(answer))
    built = [
        (plain, place)
        for place, character in enumerate(answer)
        if not is_invisible(character)
        for plain in unicodedata.normalize("NFKC", character)
    ]
    return "".join(plain for plain, _ in built).casefold(), [place for _, place in built]


def _narrow(wide: re.Match[str]) -> str:
    return " " if wide[0] == "\u3000" else chr(ord(wide[0]) - 0xFEE0)


def _matches_without_spaces(plain: str, places: Sequence[int]) -> Iterator[Span]:
    """Matches where white space and idle marks are taken out, so that split words read as one."""
    dense = _NOT_DENSE.sub("", plain[: len(places)])
    if DENSE.search(dense):
        parts = _DENSE_PART.finditer(plain, 0, len(places))
        kept = [places[place] for part in parts for place in range(*part.span())]
        yield from _matches(DENSE, dense, kept)


@cache
def _has_words() -> Callable[[str], bool]:
    return teller(WORDS.pattern)


def _matches(pattern: re.Pattern[str], text: str, places: Sequence[int]) -> Iterator[Span]:
    for found in pattern.finditer(text):
        if found.end() > found.start() and found.end() <= len(places):
            yield places[found.start()], places[found.end() - 1] + 1


def _hidden(answer: str) -> Iterator[Span]:
    """Text in tag characters, which nobody types: it can only be meant for a machine."""
    tagged = [found.start() for found in _TAG.finditer(answer)]
    if len(tagged) >= 4:
        yield tagged[0], tagged[-1] + 1


def _disguised(answer: str, plain: str, places: Sequence[int]) -> Iterator[Span]:
    """What speaks to the grader in another form of the text."""
    for form in other_forms(answer, plain, places):
        if form.places is not None:
            yield from _sentences(steering_spans(form.text), form.places)
        elif _speaks(form.text):
            yield form.span


def _speaks(text: str) -> bool:
    dense = "".join(character for character in text if character.isalnum())
    patterns = WORDS.search(text) or DENSE.search(dense)
    return bool(patterns or next(steering_spans(text), None))


def _sentences(spans: Iterable[Span], places: Sequence[int]) -> Iterator[Span]:
    for start, end in spans:
        if start < end <= len(places):
            yield places[start], places[end - 1] + 1


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
