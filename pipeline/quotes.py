"""Find a quote in the answer it claims to come from, by character offsets.

Both texts are folded (NFKC, case, width, white space, most punctuation); marks that carry meaning
next to digits or Latin letters stay. Under 20 folded characters only an exact run counts. Above,
up to 5% edits are allowed, none of which may touch a number, a Latin word or a negation, nor stand
beside another: two side by side are another term.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import product
from typing import NamedTuple

from rapidfuzz import fuzz
from rapidfuzz.distance import Levenshtein

from pipeline.records import QuoteMatch, Record

SHORT = 20
"""A quote of fewer folded characters must stand in the answer as it is."""
CHARACTERS_PER_EDIT = 20
"""One edit for so many folded characters: 5%."""
APART = 3
"""So many characters lie from one edit to the next: nearer, they are one change of a term."""
NEGATIONS = frozenset("不没沒無无非未否莫勿别別")
NUMERALS = frozenset("〇零一二两兩三四五六七八九十百千万萬亿億兆半")
SIGNS = frozenset("%‰#+")
"""Punctuation that is always kept: 30%, C#, C++."""
DASHES = frozenset("-‐‑‒–—―−~〜")
"""Between digits they make a range, and all read as -."""
IN_NUMBERS = frozenset(".:/-^")
"""Kept between digits, as in 3.5, 10:30, 1/2, 3-5; a cut there is a cut in a number."""
_GROUPED = re.compile(
    r"(?<![\d.,])\d{1,3}(?:,\d{3})+(?![\d,])|(?<!\d)[０-９]{1,3}(?:，[０-９]{3})+(?![\d，])"
)
_STAND_INS = str.maketrans("‹›⁅", "<>[")
"""Brackets that a text was sent with in the place of its own."""
_SIGNED = re.compile("[%‰#+]+")
_PLAIN = re.compile("[a-z\u4e00-\u9fff]+")
"""Characters that folding leaves as they are."""
_IDLE = frozenset(" \n，。、；？！“”（）《》【】")
"""Characters that folding drops, and that join nothing; a comma may, between digits."""
_RUNS = re.compile(r"[a-z\u4e00-\u9fff]+|[ \n。、；？！“”（）《》【】]+|[\s\S]")
_MAY_COMBINE = re.compile("[^\x00-\u02ff\u2010-\u2027\u3000-\u3029\u4e00-\u9fff\uff01-\uff9d]")
"""What may combine with the character before: any but the commonest."""
OFTEN = 1_000
"""Characters of a text up to which what it folds to is kept for a moment."""
_IGNORABLE = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0"
) | {chr(point) for point in range(0xFE00, 0xFE10)}
"""Characters that show nothing, though Unicode files them with letters, marks or symbols."""


class Located(Record):
    """Where a quote stands."""

    match: QuoteMatch
    """How it was found."""
    span: tuple[int, int] | None = None
    """Start and end in the answer, in characters."""


class Folded(NamedTuple):
    """A text reduced to what carries meaning, with the way back."""

    text: str
    """The folded characters."""
    starts: tuple[int, ...]
    """For each folded character where its source begins in the original text."""
    ends: tuple[int, ...]
    """And where it ends; past a mark inside a word or number, as in don't and 1,000."""


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


def fold(text: str) -> Folded:
    """NFKC and case folded, without white space, invisible characters and idle punctuation."""
    return _fold_anew(text) if len(text) > OFTEN else _fold_once(text)


@lru_cache(maxsize=128)
def _fold_once(text: str) -> Folded:
    """The gates look at the same question, answer and sentences one after the other."""
    return _fold_anew(text)


def _fold_anew(text: str) -> Folded:
    built: list[tuple[str, int, int]] = []
    commas = {i for m in _GROUPED.finditer(text) for i in range(*m.span()) if text[i] in ",，"}
    for start, end in _clusters(text):
        if text[start] in _IDLE and start not in commas and not _combines(text[end - 1]):
            continue
        if _PLAIN.fullmatch(text, start, end):
            # Most of a text: characters that stand for themselves.
            built += zip(text[start:end], range(start, end), range(start + 1, end + 1), strict=True)
            continue
        for folded in _folded(text[start:end]):
            if kept := _kept(folded, text, start, end):
                built += _parting(built, kept, text, start)
                built.append((kept, start, end))
            elif built and built[-1][2] == start and _joins(folded, text, start, commas):
                built[-1] = (*built[-1][:2], end)
    characters, starts, ends = zip(*built, strict=True) if built else ((), (), ())
    return Folded("".join(characters), starts, ends)


@lru_cache(maxsize=4096)
def _folded(cluster: str) -> str:
    return unicodedata.normalize("NFKC", cluster.translate(_STAND_INS)).casefold()


def _parting(
    built: list[tuple[str, int, int]], kept: str, text: str, start: int
) -> list[tuple[str, int, int]]:
    """What keeps two digits apart that are not one number: 3, 5 is not 35, nor 10² 102."""
    if not (built and kept.isdigit() and built[-1][0].isdigit()):
        return []
    if built[-1][1] != start and unicodedata.decomposition(text[start]).startswith("<super>"):
        return [("^", start, start + 1)]
    return [(" ", built[-1][2], start)] if built[-1][2] < start else []


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


def _joins(folded: str, text: str, start: int, commas: set[int]) -> bool:
    """Whether a dropped character stands inside a word or number: don't, 1,000, a soft hyphen."""
    if start in commas or unicodedata.category(folded) == "Cf":
        return True
    around = text[start - 1 : start] + text[start + 1 : start + 2]
    return folded in "'’" and len(around) == 2 and around.isalpha()


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
