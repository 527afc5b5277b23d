"""An answer in sentences, folded, so that they can be compared."""

from __future__ import annotations

import re

from pipeline.quotes import fold

_END = re.compile(r"[。！？!?；\n]+|(?<=[a-z)\]'\"])\.(?=\s|$)", re.IGNORECASE)
MOST = 400
"""So many sentences are looked at."""

LONGEST = 300
"""So many characters of each."""


def sentences(text: str) -> list[str]:
    """The sentences in order, folded; what folds to nothing is left out."""
    parts = _END.split(text, maxsplit=MOST)[:MOST]
    return [folded for part in parts if (folded := fold(part[:LONGEST]).text)]
