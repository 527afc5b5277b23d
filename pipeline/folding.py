"""Fold a text to what carries meaning, with the way back to the original characters.

NFKC, case, width, white space and most punctuation are folded away; marks that carry meaning next
to digits or Latin letters stay. Where the characters stood is worked out only when asked for: most
texts are folded to be compared, and nothing is located in them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

SIGNS = frozenset("%‰#+")
"""Punctuation that is always kept: 30%, C#, C++."""
DASHES = frozenset("-‐‑‒–—―−~〜")
"""Between digits they make a range, and all read as -."""
OFTEN = 1_000
"""Characters of a text up to which what it folds to is kept for a moment."""
_GROUPED = re.compile(
    r"(?<![\d.,])\d{1,3}(?:,\d{3})+(?![\d,])|(?<!\d)[０-９]{1,3}(?:，[０-９]{3})+(?![\d，])"
)
_MAY_BE_GROUPED = re.compile(r"\d[,，]\d")
_STAND_INS = str.maketrans("‹›⁅", "<>[")
"""Brackets that a text was sent with in the place of its own."""
_IDLE = " \n，。、；？！“”（）《》【】"
"""Characters that folding drops, and that join nothing; a comma may, between digits."""
_DROPPED = str.maketrans("", "", _IDLE)
_PLAIN = re.compile("[a-zA-Z\u4e00-\u9fff]+")
"""Characters of which folding changes nothing but the case."""
_CALM = re.compile(f"[a-zA-Z\u4e00-\u9fff{_IDLE}]+")
"""Most of a text: what is kept, or dropped, whatever is around it."""
_SHOWN = re.compile(f"[^{_IDLE}]+")
_DIGITS = re.compile("[0-9]+")
_RUNS = re.compile(rf"{_CALM.pattern}|{_DIGITS.pattern}|[\s\S]")
_MAY_COMBINE = re.compile("[^\x00-\u02ff\u2010-\u2027\u3000-\u3029\u4e00-\u9fff\uff01-\uff9d]")
"""What may combine with the character before: any but the commonest."""
_IGNORABLE = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0"
) | {chr(point) for point in range(0xFE00, 0xFE10)}
"""Characters that show nothing, though Unicode files them with letters, marks or symbols."""


@dataclass(slots=True)
class Piece:
    """A part of a folded text that comes from one run of the original."""

    kept: str
    """Its folded characters."""
    source: str
    """The run; of a single odd character "", since `start` and `end` say it all."""
    start: int
    """Where the run begins in the original text."""
    end: int
    """Where its last kept character ends; past a mark inside a word, as in don't and 1,000."""

    def add_places(self, starts: list[int], ends: list[int]) -> None:
        """Add start and end of each kept character."""
        if not self.source:
            starts.append(self.start)
            ends.append(self.end)
            return
        for found in _SHOWN.finditer(self.source):
            starts.extend(range(self.start + found.start(), self.start + found.end()))
            ends.extend(range(self.start + found.start() + 1, self.start + found.end() + 1))
        ends[-1] = self.end


@dataclass(frozen=True)
class Folded:
    """A text reduced to what carries meaning, with the way back."""

    text: str
    """The folded characters."""
    pieces: tuple[Piece, ...]
    """What they come from, in order."""

    @property
    def starts(self) -> list[int]:
        """For each folded character where its source begins in the original text."""
        return self._places[0]

    @property
    def ends(self) -> list[int]:
        """And where it ends."""
        return self._places[1]

    @cached_property
    def _places(self) -> tuple[list[int], list[int]]:
        starts: list[int] = []
        ends: list[int] = []
        for piece in self.pieces:
            piece.add_places(starts, ends)
        return starts, ends


def fold(text: str) -> Folded:
    """NFKC and case folded, without white space, invisible characters and idle punctuation."""
    return _fold_anew(text) if len(text) > OFTEN else _fold_once(text)


@lru_cache(maxsize=1024)
def _fold_once(text: str) -> Folded:
    """The same questions, answers and sentences are looked at one after the other."""
    return _fold_anew(text)


def _fold_anew(text: str) -> Folded:
    built: list[Piece] = []
    commas = _grouping(text)
    for start, end in _clusters(text):
        if start not in commas and _CALM.fullmatch(text, start, end):
            _add_calm(built, text[start:end], start)
        elif _DIGITS.fullmatch(text, start, end):
            _part(built, text[start], text, start)
            built.append(Piece(text[start:end], text[start:end], start, end))
        else:
            _add_odd(built, text, start, end, commas)
    return Folded("".join([piece.kept for piece in built]), tuple(built))


def _grouping(text: str) -> frozenset[int]:
    """The places of commas within numbers, as in 1,000."""
    if not _MAY_BE_GROUPED.search(text):
        return frozenset()
    found = _GROUPED.finditer(text)
    return frozenset(place for m in found for place in range(*m.span()) if text[place] in ",，")


def _add_calm(built: list[Piece], run: str, start: int) -> None:
    kept = run.translate(_DROPPED) if run.isascii() else "".join(_PLAIN.findall(run))
    if kept:
        built.append(Piece(kept.lower(), run, start, start + len(run.rstrip(_IDLE))))


def _add_odd(built: list[Piece], text: str, start: int, end: int, commas: frozenset[int]) -> None:
    """A character with the marks that combine: what it folds to depends on what is around it."""
    for folded in _folded(text[start:end]):
        if kept := _kept(folded, text, start, end):
            _part(built, kept, text, start)
            built.append(Piece(kept, "", start, end))
        elif built and built[-1].end == start and _joins(folded, text, start, commas):
            built[-1].end = end


@lru_cache(maxsize=4096)
def _folded(cluster: str) -> str:
    return unicodedata.normalize("NFKC", cluster.translate(_STAND_INS)).casefold()


def _part(built: list[Piece], kept: str, text: str, start: int) -> None:
    """Keep two digits apart that are not one number: 3, 5 is not 35, nor 10² 102."""
    if not (built and kept.isdigit() and built[-1].kept[-1].isdigit()):
        return
    last = built[-1]
    same_character = not last.source and last.start == start
    if not same_character and unicodedata.decomposition(text[start]).startswith("<super>"):
        built.append(Piece("^", "", start, start + 1))
    elif last.end < start:
        built.append(Piece(" ", "", last.end, start))


def _clusters(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of each run of plain characters, or of one with the marks that combine."""
    if not _MAY_COMBINE.search(text):
        yield from (found.span() for found in _RUNS.finditer(text))
        return
    start = 0
    while start < len(text):
        run = _PLAIN.match(text, start)
        end = run.end() if run else start + 1
        if end < len(text) and _combines(text[end]):
            if end - start > 1:
                yield start, end - 1
                start = end - 1
            while end < len(text) and _combines(text[end]):
                end += 1
        yield start, end
        start = end


def _combines(character: str) -> bool:
    return character >= "\u0300" and (
        unicodedata.combining(character) > 0
        or character in "\uff9e\uff9f"
        or "\u1160" < character <= "\u11ff"
    )


def _kept(folded: str, text: str, start: int, end: int) -> str:
    """The character as it is kept, or "" where it carries no meaning."""
    if folded == "\u2044":
        return "/"
    if folded in DASHES:
        return "-" if _is_range(text, start, end) or _is_minus(folded, text, start, end) else ""
    if folded in ".:/":
        return folded if text[start - 1 : start].isdigit() and text[end : end + 1].isdigit() else ""
    if folded.isalnum() or folded in SIGNS or unicodedata.category(folded)[0] not in "PZC":
        return "" if folded in _IGNORABLE else folded
    return ""


def _is_range(text: str, start: int, end: int) -> bool:
    before, after = text[max(start - 3, 0) : start].rstrip(), text[end : end + 3].lstrip()
    return before[-1:].isdigit() and after[:1].isdigit()


def _is_minus(folded: str, text: str, start: int, end: int) -> bool:
    before = text[max(start - 1, 0) : start]
    touches = before.isalnum() or before in DASHES
    return folded in "-−" and text[end : end + 1].isdigit() and not (before and touches)


def _joins(folded: str, text: str, start: int, commas: frozenset[int]) -> bool:
    """Whether a dropped character stands inside a word or number: don't, 1,000, a soft hyphen."""
    if start in commas or unicodedata.category(folded) == "Cf":
        return True
    around = text[start - 1 : start] + text[start + 1 : start + 2]
    return folded in "'’" and len(around) == 2 and around.isalpha()
