"""Page headers, footers and page numbers off the pages of a document."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

_PAGE_NUMBER = re.compile(
    r"[-–—\s]*(?:第\s*)?(?:page\s*)?\d{1,4}(?:\s*页)?"
    r"(?:\s*(?:/|of|共|,|，)\s*(?:共\s*)?\d{1,4}(?:\s*页)?)?[-–—\s]*",
    re.I,
)


def without_margins(pages: Sequence[str]) -> list[str]:
    """The pages without first and last lines that number the page or stand on every page."""
    if len(pages) < 2:
        return list(pages)
    split = [page.split("\n") for page in pages]
    edges = Counter(
        text for lines in split for text in {lines[at].strip() for at in _edges(lines)} if text
    )
    everywhere = {text for text, count in edges.items() if count == len(pages) and count > 2}
    return ["\n".join(_trimmed(lines, everywhere)).strip("\n") for lines in split]


def _trimmed(lines: list[str], everywhere: set[str]) -> list[str]:
    drop = {
        at
        for at in _edges(lines)
        if lines[at].strip() in everywhere or _PAGE_NUMBER.fullmatch(lines[at].strip())
    }
    return [line for at, line in enumerate(lines) if at not in drop]


def _edges(lines: Sequence[str]) -> list[int]:
    """Indices of the first and the last line with text."""
    full = [at for at, line in enumerate(lines) if line.strip()]
    return [full[0], full[-1]] if full else []
