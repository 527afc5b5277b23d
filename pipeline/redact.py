"""Text -> text without personal data: what is found gives way to numbered placeholders.

The numbers count within one item and in the order of its text, so that the same answer gives the
same prompt whatever the name, and nothing of other items shows. The way back goes by places.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from pipeline.errors import ConfigError
from pipeline.redact_names import HAN, name_pattern
from pipeline.redact_patterns import Found, find_typed


@dataclass(frozen=True)
class Redaction:
    """What to look for, besides the candidate's name and what has a typed form."""

    terms: tuple[str, ...] = ()
    """Further terms: names of people, employers, projects."""

    def described(self, secret: bytes) -> str:
        """For the manifest: how many terms, and a digest that only the user can make."""
        digest = hmac.new(secret, "\0".join(self.terms).encode(), hashlib.sha256).hexdigest()[:16]
        return f"on, {len(self.terms)} terms ({digest})" if self.terms else "on"


class Piece(NamedTuple):
    """One placeholder: where it stands, and where what it stands for does."""

    start: int
    end: int
    source_start: int
    source_end: int


@dataclass(frozen=True)
class RedactedText:
    """A text with placeholders, and the way back."""

    text: str
    pieces: tuple[Piece, ...] = ()

    def source_span(self, span: tuple[int, int]) -> tuple[int, int]:
        """A span of this text in the original; a placeholder counts whole."""
        start, end = span
        return self._source(start, at_end=False), self._source(end, at_end=True)

    def _source(self, place: int, *, at_end: bool) -> int:
        shift = 0
        for piece in self.pieces:
            if piece.start < place < piece.end:
                return piece.source_end if at_end else piece.source_start
            if piece.end <= place:
                shift = piece.source_end - piece.end
        return place + shift


@dataclass
class Numbering:
    """The placeholders of one item, as they are given out."""

    numbers: dict[tuple[str, str], str] = field(default_factory=dict)
    originals: dict[str, str] = field(default_factory=dict)
    """By placeholder, what it stands for where it first occurs."""

    def placeholder(self, found: Found, original: str) -> str:
        """The placeholder of a piece; the same for the same identity."""
        key = (found.kind, found.identity)
        if key not in self.numbers:
            number = 1 + sum(kind == found.kind for kind, _ in self.numbers)
            self.numbers[key] = f"[{found.kind}_{number}]"
            self.originals[self.numbers[key]] = original
        return self.numbers[key]


def redact(
    text: str, redaction: Redaction, candidate: str | None, numbering: Numbering
) -> RedactedText:
    """The text with a placeholder for all that was found."""
    built, pieces, size, done = [], [], 0, 0
    for found in _merged([*_named(text, candidate), *_listed(text, redaction), *find_typed(text)]):
        mark = numbering.placeholder(found, text[found.start : found.end])
        built += [text[done : found.start], mark]
        start = size + found.start - done
        size, done = start + len(mark), found.end
        pieces.append(Piece(start, size, found.start, found.end))
    return RedactedText("".join((*built, text[done:])), tuple(pieces))


def _named(text: str, candidate: str | None) -> Iterator[Found]:
    pattern = name_pattern(candidate) if candidate else None
    for match in pattern.finditer(text) if pattern else ():
        yield Found(match.start(), match.end(), "NAME", "")


def _listed(text: str, redaction: Redaction) -> Iterator[Found]:
    for term in redaction.terms:
        for match in re.finditer(_term_pattern(term), text, re.IGNORECASE):
            yield Found(match.start(), match.end(), "TERM", term.casefold())


def _term_pattern(term: str) -> str:
    """The term with any white space; Latin letters and digits at its ends stand alone."""
    inner = r"\s*".join(map(re.escape, term.split()))
    first = rf"(?<![^\W{HAN}])" if re.match(rf"[^\W{HAN}]", term) else ""
    last = rf"(?![^\W{HAN}])" if re.search(rf"[^\W{HAN}]$", term) else ""
    return f"{first}{inner}{last}"


def _merged(found: Iterable[Found]) -> list[Found]:
    """Pieces in order; those that overlap become one, of the kind of the longest."""
    merged: list[Found] = []
    for piece in sorted(found, key=lambda one: (one.start, -one.end)):
        if not merged or piece.start >= merged[-1].end:
            merged.append(piece)
            continue
        last = merged[-1]
        longest = max(last, piece, key=lambda one: one.end - one.start)
        merged[-1] = longest._replace(start=last.start, end=max(last.end, piece.end))
    return merged


def read_terms(path: Path) -> tuple[str, ...]:
    """The terms of a list, one a line; `#` begins a remark. Raises ConfigError."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror}).") from None
    except UnicodeDecodeError:
        raise ConfigError(f"{path}: is not UTF-8. Save it as UTF-8.") from None
    lines = [unicodedata.normalize("NFC", line).strip() for line in text.splitlines()]
    terms = [line for line in lines if line and not line.startswith("#")]
    if short := [line for line in terms if len(line) < 2]:
        raise ConfigError(f"{path}: a term of one character would hit too much: {short[0]!r}.")
    return tuple(sorted(set(terms), key=lambda term: (-len(term), term)))
