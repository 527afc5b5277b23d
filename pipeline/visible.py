"""Text from outside, made safe to look at: what is invisible, or turns the line round, is marked.

A direction override or a zero-width character can make a reader see something else than what
was graded; on a terminal an escape sequence can do anything. On a page the characters stay where
they are, so that the text is still what it was; in a line of text a code stands in their place.
"""

from __future__ import annotations

import re

from pipeline.neutral import is_invisible

_HARMLESS = frozenset("\ufeff\u00ad\u200c\u200d\ufe0e\ufe0f")
"""A byte order mark, a soft hyphen and the joiners of emoji and scripts are everyday."""
_LINE_ENDS = re.compile(r"\r\n?|[\u2028\u2029\x85]")
_CANDIDATES = re.compile("[^\t\n -~\u3000-\u3020\u4e00-\u9fff\uff01-\uff5e]+")
"""What may be invisible: anything but the commonest."""


def odd_runs(text: str) -> list[tuple[int, int]]:
    """Start and end of each run of characters that a reader cannot see."""
    runs: list[tuple[int, int]] = []
    for found in _CANDIDATES.finditer(text):
        for place, character in enumerate(found[0], start=found.start()):
            if character in _HARMLESS or not is_invisible(character) or character == "\r":
                continue
            if runs and runs[-1][1] == place:
                runs[-1] = (runs[-1][0], place + 1)
            else:
                runs.append((place, place + 1))
    return runs


def named(run: str) -> str:
    """`U+202E`, or `U+200B ×12` for a run of characters of which the first gives the name."""
    code = f"U+{ord(run[0]):04X}"
    return code if len(run) == 1 else f"{code} ×{len(run)}"


def plain(text: str) -> str:
    """The text for a terminal or an attribute: codes in place of what cannot be seen."""
    text = _LINE_ENDS.sub("\n", text)
    parts, done = [], 0
    for start, end in odd_runs(text):
        parts += [text[done:start], f"⟨{named(text[start:end])}⟩"]
        done = end
    return "".join((*parts, text[done:]))


def on_one_line(text: str, longest: int) -> str:
    """The text on one line, its end left out where it is longer."""
    flat = " ".join(plain(text).split())
    return flat if len(flat) <= longest else flat[: longest - 1].rstrip() + "…"
