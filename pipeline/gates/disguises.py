"""A text in other forms, in which a disguised sentence can be read: decoded, joined, reversed."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

_BASE64 = re.compile(r"[A-Za-z0-9+/]{24,}={0,2}")
_HEX = re.compile(r"(?<![0-9a-f])(?:[0-9a-f]{2} ?){8,}(?![0-9a-f])")
_MAY_BE_HEX = re.compile("(?:[0-9a-f]{2} ?){4}")
_HEX_RUN = re.compile(_HEX.pattern, re.IGNORECASE)
_TURNED = re.compile("\u202e([^\u202c\n]{4,})")
_GAPS = re.compile(r"[\s.·、-](?<=[\u4e00-\u9fff][\s.·、-])[\s.·、-]*(?=[\u4e00-\u9fff])")
_SPELLED = re.compile(r"(?:(?<![a-z])[a-z][ .·-]{1,2}){6,}[a-z](?![a-z])")
_MAY_BE_SPELLED = re.compile(r"[a-z][ .·-]{1,2}[a-z][ .·-]{1,2}[a-z][ .·-]")
_LEET = re.compile(r"(?<![a-z0-9])[a-z]+[01345][a-z]+(?![a-z0-9])")
_MAY_BE_LEET = re.compile("[a-z][01345][a-z]")
"""What is quickly looked for: most texts hold none of it, and need no closer look."""
_LETTERS = str.maketrans("01345", "oieas")
MANY = 3
"""So many gaps between Chinese characters, or words with digits for letters, are no accident."""


class Form(NamedTuple):
    """A text in another form."""

    text: str
    """Casefolded."""
    places: Sequence[int] | None
    """The place of each character in the answer; None where only the whole can be placed."""
    span: tuple[int, int]
    """The part of the answer that it stands for."""


def other_forms(answer: str, plain: str, places: Sequence[int]) -> Iterator[Form]:
    """The forms of this answer; `plain` is its compatibility form, with the place of each sign."""
    for found in _BASE64.finditer(answer):
        yield Form(_from_base64(found[0]), None, found.span())
    for found in _TURNED.finditer(answer):
        yield Form(found[1][::-1].casefold(), None, found.span())
    for found in _HEX.finditer(plain) if _MAY_BE_HEX.search(plain) else ():
        yield Form(_from_hex(found[0]), None, _placed(found, places))
    for found in _SPELLED.finditer(plain) if _MAY_BE_SPELLED.search(plain) else ():
        yield Form(_respelled(found[0]), None, _placed(found, places))
    if len(_GAPS.findall(plain)) >= MANY:
        yield _joined(plain, places)
    if _MAY_BE_LEET.search(plain) and len(_LEET.findall(plain)) >= MANY:
        letters = _LEET.sub(lambda word: word[0].translate(_LETTERS), plain)
        yield Form(letters, places, (0, len(answer)))


def without_codes(text: str) -> str:
    """The text without runs of base64 or hex that stand for readable text."""
    plain = _BASE64.sub(lambda run: "" if _readable(_from_base64(run[0])) else run[0], text)
    return _HEX_RUN.sub(lambda run: "" if _readable(_from_hex(run[0])) else run[0], plain)


def _readable(decoded: str) -> bool:
    """Letters or digits that decode by accident seldom give text, and not printable text."""
    shows = (character.isprintable() or character.isspace() for character in decoded)
    return bool(decoded) and all(shows)


def _placed(found: re.Match[str], places: Sequence[int]) -> tuple[int, int]:
    return places[found.start()], places[found.end() - 1] + 1


def _joined(plain: str, places: Sequence[int]) -> Form:
    """Without the gaps between Chinese characters."""
    gaps = {place for found in _GAPS.finditer(plain) for place in range(*found.span())}
    kept = [place for place in range(len(plain)) if place not in gaps]
    text = "".join(plain[place] for place in kept)
    return Form(text, [places[place] for place in kept], (0, len(plain)))


def _respelled(spelled: str) -> str:
    """`g i v e  m e` and `g.i.v.e m.e` as words: the wider gap parts them."""
    wide = "  " if "  " in spelled else " " if re.search(r"[.·-]", spelled) else None
    words = spelled.split(wide) if wide else [spelled]
    return " ".join(re.sub(r"[ .·-]", "", word) for word in words)


def _from_base64(text: str) -> str:
    """The text, or "" where it is none."""
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), validate=True).decode().casefold()
    except (binascii.Error, ValueError):
        return ""


def _from_hex(text: str) -> str:
    try:
        return bytes.fromhex(text).decode().casefold()
    except ValueError:
        return ""
