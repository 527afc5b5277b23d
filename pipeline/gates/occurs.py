"""Whether any of a pattern's alternatives occurs in a text, told several times as fast.

The regular expression engine tries all alternatives at every character. It skips what cannot begin
a match where all of them begin with a plain character; so these are looked for first, and those
that begin a word only where a word begins. What is found where is not said, so their order is free.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

SHORT = 120
"""Characters of a tail that may stand once for each opening in front of it."""
_SET = re.compile(r"\[([^\]\\^-]+)\](?![?*+{])")
_PLAIN = re.compile(r"\w(?![?*+{])")
_PIECES = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|[^\\\[]", re.DOTALL)
_WORD = r"\b"


def teller(pattern: str) -> Callable[[str], bool]:
    """A function that says whether `pattern` is found in a text; no inline flags in it."""
    openings = [one for each in alternatives(pattern) for one in _opened(each)]
    words = [one.removeprefix(_WORD) for one in openings if one.startswith(_WORD)]
    others = [one for one in openings if not one.startswith(_WORD)]
    plain = [one for one in others if _PLAIN.match(one)]
    rest = [one for one in others if not _PLAIN.match(one)]
    if words:
        rest.append(rf"\b(?=\w)(?:{'|'.join(one for word in words for one in _opened(word))})")
    searches = [re.compile("|".join(some)).search for some in (plain, rest) if some]
    if len(searches) == 1:
        return lambda text: searches[0](text) is not None
    first, second = searches
    return lambda text: first(text) is not None or second(text) is not None


def alternatives(pattern: str) -> list[str]:
    """What stands between the bars that are in no group."""
    found, depth = [""], 0
    for piece in _PIECES.findall(pattern):
        depth += (piece == "(") - (piece == ")")
        if piece == "|" and not depth:
            found.append("")
        else:
            found[-1] += piece
    return found


def _opened(alternative: str) -> Iterator[str]:
    """The same in several, where it begins with a choice."""
    if head := _SET.match(alternative):
        yield from (f"{character}{alternative[head.end() :]}" for character in head[1])
        return
    inside, tail = _group(alternative)
    if not inside or tail[:1] in ("?", "*", "+", "{") or len(tail) > SHORT:
        yield alternative
        return
    for one in alternatives(inside):
        yield from _opened(one + tail)


def _group(text: str) -> tuple[str, str]:
    """What is in the group that a text begins with, and what follows; "" where there is none."""
    if not text.startswith("(?:"):
        return "", text
    depth = place = 0
    for piece in _PIECES.findall(text):
        depth += (piece == "(") - (piece == ")")
        place += len(piece)
        if not depth:
            break
    return text[3 : place - 1], text[place:]
