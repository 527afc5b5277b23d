"""Find a quote in the answer it claims to come from, by character offsets.

Both texts are folded (NFKC, case, width, white space, most punctuation); marks that carry meaning
next to digits or Latin letters stay. Under 20 folded characters only an exact run counts. Above,
up to 5% edits are allowed, none of which may touch a digit, a Latin word or a negation.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from rapidfuzz import fuzz
from rapidfuzz.distance import Levenshtein

from pipeline.records import QuoteMatch, Record

SHORT = 20
EDITS = 0.05
NEGATIONS = frozenset("不没無无非未否莫勿别別")
BETWEEN_DIGITS = frozenset(".:/-~")
ALWAYS_KEPT = frozenset("%#+")


class Located(Record):
    """Where a quote stands."""

    match: QuoteMatch
    """How it was found."""
    span: tuple[int, int] | None = None
    """Start and end in the answer, in characters."""


class Folded(Record):
    """A text reduced to what carries meaning, with the way back."""

    text: str
    """The folded characters."""
    offsets: tuple[int, ...]
    """For each folded character its offset in the original text."""


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
        if not _cuts_a_word(answer, start, start + len(wanted)):
            return Located(match="exact", span=_span(answer, start, start + len(wanted)))
        start = answer.text.find(wanted, start + 1)
    if len(wanted) >= SHORT and (place := _approximate(wanted, answer)):
        return Located(match="approximate", span=_span(answer, *place))
    return Located(match="not_found")


def fold(text: str) -> Folded:
    """NFKC and case folded, without white space, format characters and idle punctuation."""
    characters: list[str] = []
    offsets: list[int] = []
    for offset, character in enumerate(text):
        for folded in unicodedata.normalize("NFKC", character).casefold():
            if _carries_meaning(folded, text, offset):
                characters.append(folded)
                offsets.append(offset)
    return Folded.model_construct(text="".join(characters), offsets=tuple(offsets))


def _carries_meaning(folded: str, text: str, offset: int) -> bool:
    if folded.isalnum() or folded in ALWAYS_KEPT:
        return True
    if folded in BETWEEN_DIGITS:
        before, after = text[max(offset - 1, 0) : offset], text[offset + 1 : offset + 2]
        return after.isdigit() and (before.isdigit() or (folded == "-" and not before.isalnum()))
    return unicodedata.category(folded)[0] not in "PZC"


def _span(answer: Folded, start: int, end: int) -> tuple[int, int]:
    return answer.offsets[start], answer.offsets[end - 1] + 1


def _is_wordlike(character: str) -> bool:
    return character.isdigit() or (character.isascii() and character.isalpha())


def _cuts_a_word(answer: Folded, start: int, end: int) -> bool:
    """A quote may neither begin nor end inside a number or a Latin word."""
    return any(_one_word(answer, edge) for edge in (start, end) if 0 < edge < len(answer.text))


def _one_word(answer: Folded, edge: int) -> bool:
    left, right = answer.text[edge - 1], answer.text[edge]
    if not (_is_wordlike(left) and _is_wordlike(right)):
        return False
    touching = answer.offsets[edge] - answer.offsets[edge - 1] <= 1
    return touching and left.isdigit() == right.isdigit()


def _approximate(wanted: str, answer: Folded) -> tuple[int, int] | None:
    """The best aligned run of the answer, if all its deviations are harmless."""
    text = answer.text
    alignment = fuzz.partial_ratio_alignment(wanted, text, score_cutoff=100 * (1 - 2 * EDITS))
    if alignment is None or len(wanted) > len(text):
        return None
    start, end = alignment.dest_start, alignment.dest_end
    edits = Levenshtein.editops(wanted, text[start:end])
    if len(edits) > EDITS * len(wanted) or _cuts_a_word(answer, start, end):
        return None
    touched = [wanted[e.src_pos : e.src_pos + 1] for e in edits if e.tag != "insert"]
    touched += [text[start + e.dest_pos :][:1] for e in edits if e.tag != "delete"]
    if any(not _harmless(character) for character in touched):
        return None
    return (start, end) if _keeps_sense(wanted, text[start:end]) else None


def _harmless(character: str) -> bool:
    return not (_is_wordlike(character) or character in NEGATIONS or character in ALWAYS_KEPT)


def _keeps_sense(wanted: str, found: str) -> bool:
    """The same digits, Latin words and negations in the same order."""
    return _hard_parts(wanted) == _hard_parts(found)


def _hard_parts(text: str) -> Sequence[str]:
    return [c for c in text if _is_wordlike(c) or c in NEGATIONS]
