"""An answer in sentences, folded, so that they can be compared."""

from __future__ import annotations

import re
from functools import lru_cache

from pipeline.folding import fold

_END = re.compile(r"[。！？!?；\n]+|(?<=[a-z)\]'\"])\.(?=\s|$)", re.IGNORECASE)
MOST = 400
"""So many sentences are looked at."""

LONGEST = 300
"""So many characters of each."""


@lru_cache(maxsize=4)
def sentences(text: str) -> tuple[str, ...]:
    """The sentences in order, folded; what folds to nothing is left out."""
    parts = _END.split(text, maxsplit=MOST)[:MOST]
    return tuple(folded for part in parts if (folded := fold(part[:LONGEST]).text))
