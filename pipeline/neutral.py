"""What is graded, made harmless: no control token of a chat template, no invisible character.

A server that reads control tokens in a prompt would end the candidate's turn at `<|im_end|>`, so
brackets of anything that looks like one are replaced, one for one. Invisible characters are taken
out. The answer itself is kept as it was; quotes are located in it all the same.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_CONTROL = re.compile(
    r"<(?=\|)|(?<=\|)>"  # <|im_start|>, <|endoftext|>
    r"|<(?=/?(?:s|think|thinking|system|user|assistant|tool|tool_call|tool_response|answer)>)"
    r"|<(?=<SYS>)|<(?=</SYS>)"
    r"|\[(?=/?INST\])",
    re.IGNORECASE,
)
_STAND_IN = {"<": "‹", ">": "›", "[": "⁅"}
_SHOWN = frozenset("\t\n\r")
_ODD = re.compile("[^\t\n\r -~\u3000-\u3020\u4e00-\u9fff\uff01-\uff5e]")
"""What may be invisible: any character but the commonest."""


def neutralised(text: str) -> str:
    """The text as it is sent: without invisible characters, control tokens made plain."""
    visible = text
    if _ODD.search(text):
        visible = "".join(character for character in text if not is_invisible(character))
    return _CONTROL.sub(lambda match: _STAND_IN[match[0]], visible)


def hides_something(text: str) -> bool:
    """Whether a text holds invisible characters that no keyboard or copy leaves behind.

    A byte order mark, a soft hyphen and the joiners of emoji and scripts are everyday; tag
    characters, direction overrides and zero-width spaces between letters are not.
    """
    return any(
        is_invisible(character) and character not in "\ufeff\u00ad\u200c\u200d\ufe0e\ufe0f"
        for character in _ODD.findall(text)
    )


@lru_cache(maxsize=4096)
def is_invisible(character: str) -> bool:
    """Format characters, controls but line breaks and tabs, and selectors of the tag plane."""
    if character in _SHOWN or (character < "\x7f" and character >= " "):
        return False
    if 0xE0000 <= ord(character) <= 0xE0FFF or character in "\u2800\u3164\uffa0\u115f\u1160":
        return True
    return unicodedata.category(character) in ("Cf", "Cc")
