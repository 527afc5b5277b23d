"""Find a quote in the answer it claims to come from, by character offsets.

Both texts are folded, see `folding`. Under 20 folded characters only an exact run counts. Above,
up to 5% edits are allowed, none of which may touch a number, a Latin word or a negation, nor stand
beside another: two side by side are another term.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import product

from rapidfuzz import fuzz
from rapidfuzz.distance import Levenshtein

from pipeline.folding import SIGNS
from pipeline.folding import Folded as Folded
from pipeline.folding import fold as fold
from pipeline.records import QuoteMatch, Record

SHORT = 20
"""A quote of fewer folded characters must stand in the answer as it is."""
CHARACTERS_PER_EDIT = 20
"""One edit for so many folded characters: 5%."""
APART = 3
"""So many characters lie from one edit to the next: nearer, they are one change of a term."""
NEGATIONS = frozenset("不没沒無无非未否莫勿别別")
NUMERALS = frozenset("〇零一二两兩三四五六七八九十百千万萬亿億兆半")
IN_NUMBERS = frozenset(".:/-^")
"""Kept between digits, as in 3.5, 10:30, 1/2, 3-5; a cut there is a cut in a number."""
_SIGNED = re.compile("[%‰#+]+")


class Located(Record):
    """Where a quote stands."""

    match: QuoteMatch
    """How it was found."""
    span: tuple[int, int] | None = None
    """Start and end in the answer, in characters."""


def locate(quote: str, answer: str) -> Located:
    """Find `quote` in `answer`. An empty quote gives `none`, an invented one `not_found`."""
    if not quote.strip():
        return Located(match="none")
    return locate_folded(fold(quote).text, fold(answer))


def locate_folded(wanted: str, answer: Folded) -> Located:
    """`locate` for texts already folded."""
    if not wanted:
        return Located(match="not_found")
    start = answer.text.find(wanted)
    while start >= 0:
        if not _cuts(answer, start, start + len(wanted)):
            return Located(match="exact", span=_span(answer, start, start + len(wanted)))
        start = answer.text.find(wanted, start + 1)
    if len(wanted) >= SHORT and (place := _approximate(wanted, answer)):
        return Located(match="approximate", span=_span(answer, *place))
    return Located(match="not_found")


def _span(answer: Folded, start: int, end: int) -> tuple[int, int]:
    return answer.starts[start], answer.ends[end - 1]


def _is_number(character: str) -> bool:
    return character.isdigit() or character in NUMERALS


def _is_latin(character: str) -> bool:
    """Letters of words that are written with spaces between them."""
    return character < "\u2e80" and character.isalpha()


def _cuts(answer: Folded, start: int, end: int) -> bool:
    """A quote may neither begin nor end inside a number, a Latin word or a name such as C++."""
    return any(_is_inside(answer, edge) for edge in (start, end) if 0 < edge < len(answer.text))


def _is_inside(answer: Folded, edge: int) -> bool:
    left, right = answer.text[edge - 1], answer.text[edge]
    if answer.starts[edge - 1] == answer.starts[edge]:
        return True
    if left in IN_NUMBERS and _is_number(right):
        return True
    if _is_number(left) and right in IN_NUMBERS:
        return _is_number(answer.text[edge + 1 : edge + 2])
    if answer.starts[edge] > answer.ends[edge - 1]:
        return False
    if right in SIGNS:
        return _is_suffix(answer.text, edge)
    same_kind = (_is_number(left) and _is_number(right)) or (_is_latin(left) and _is_latin(right))
    return same_kind or unicodedata.combining(right) > 0


def _is_suffix(text: str, edge: int) -> bool:
    """Whether the signs at `edge` belong to what stands before: C++, 30%, but not Redis+Lua."""
    left, signs = text[edge - 1], _SIGNED.match(text, edge)
    if left in SIGNS or text[edge] in "%‰":
        return True
    if not signs or not (_is_number(left) or _is_latin(left)):
        return False
    after = text[signs.end() : signs.end() + 1]
    if after.isascii() and after.isalnum():
        return False
    return signs[0] != "+" or not after.isalpha() or _is_number(left)


def _approximate(wanted: str, answer: Folded) -> tuple[int, int] | None:
    """The closest run of the answer of which all deviations are harmless."""
    text, allowed = answer.text, len(wanted) // CHARACTERS_PER_EDIT
    near = (0, len(text))
    if len(wanted) < len(text):
        least = 100 * (1 - 2 / CHARACTERS_PER_EDIT)
        alignment = fuzz.partial_ratio_alignment(wanted, text, score_cutoff=least)
        if alignment is None:
            return None
        near = (alignment.dest_start, alignment.dest_end)
    starts, ends = (range(max(p - allowed, 0), min(p + allowed, len(text)) + 1) for p in near)
    runs = (
        (Levenshtein.distance(wanted, text[start:end], score_cutoff=allowed), start, end)
        for start, end in product(starts, ends)
        if abs(end - start - len(wanted)) <= allowed
    )
    for _, start, end in sorted(run for run in runs if run[0] <= allowed):
        if _is_like(wanted, text[start:end]) and not _cuts(answer, start, end):
            return start, end
    return None


def _is_like(wanted: str, found: str) -> bool:
    """Whether all edits are harmless, and none at an end, where it could hide what comes next."""
    if (wanted[0], wanted[-1]) != (found[:1], found[-1:]):
        return False
    last = -APART
    for edit in Levenshtein.editops(wanted, found):
        if edit.src_pos - last < APART:
            return False
        last = edit.src_pos
        gone = wanted[edit.src_pos] if edit.tag != "insert" else ""
        come = found[edit.dest_pos] if edit.tag != "delete" else ""
        if not all(_is_harmless(character) for character in gone + come):
            return False
    return True


def _is_harmless(character: str) -> bool:
    """Letters of scripts without word spaces, save numbers and negations."""
    hard = character in NUMERALS or character in NEGATIONS
    return character >= "\u2e80" and character.isalpha() and not hard
