"""Page headers, footers and page numbers off the pages of a document."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence

_PAGE_NUMBER = re.compile(
    r"[-–—\s]*(?:第\s*)?(?:page\s*)?\d{1,4}(?:\s*页)?"
    r"(?:\s*(?:/|of|共|,|，)\s*(?:共\s*)?\d{1,4}(?:\s*页)?)?[-–—\s]*",
    re.I,
)


_ADDRESS = re.compile(r"(?:file|https?|about|blob|data):\S*[ \t]+\d{1,4}/\d{1,4}", re.I)
_PRINTED = re.compile(r"\d{1,4}([/.\-])\d{1,2}\1\d{1,4},?[ \t]+\D{0,3}\d{1,2}:\d{2}\b.*")
"""What a browser prints on each page: its address with the page's number, and day and time."""


def without_margins(pages: Sequence[str]) -> list[str]:
    """The pages without first and last lines that number the page or stand on every page."""
    split = [_unprinted(page.split("\n")) for page in pages]
    if len(pages) < 2:
        return ["\n".join(lines) for lines in split]
    edges = Counter(
        text for lines in split for text in {lines[at].strip() for at in _edges(lines)} if text
    )
    everywhere = {text for text, count in edges.items() if count == len(pages) and count > 2}
    return ["\n".join(_trimmed(lines, everywhere)).strip("\n") for lines in split]


def _unprinted(lines: list[str]) -> list[str]:
    """The lines of a page without what a browser put in its margins."""
    full = [at for at, line in enumerate(lines) if line.strip()]
    edges = {at: unicodedata.normalize("NFKC", lines[at]).strip() for at in full[:2] + full[-2:]}
    if not any(map(_ADDRESS.fullmatch, edges.values())):
        return lines
    drop = {at for at, text in edges.items() if _ADDRESS.fullmatch(text) or _PRINTED.match(text)}
    return [line for at, line in enumerate(lines) if at not in drop]


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
