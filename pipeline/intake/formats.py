"""Suffix to reader. A new format is one file with a `read(source, options)`, and a line here."""

from __future__ import annotations

from collections.abc import Iterator

from pipeline.errors import InputError
from pipeline.intake import (
    delimited,
    document,
    jsonlines,
    markdown,
    markup,
    notebook,
    parquet,
    pdf,
    sniffed,
    subtitles,
    word,
    workbook,
)
from pipeline.intake.draft import Draft, Options, Reader, Source

_READERS: tuple[tuple[tuple[str, ...], Reader], ...] = (
    ((".txt", ".text", ".log", ""), sniffed.read),
    ((".md", ".markdown", ".qmd"), markdown.read),
    ((".docx",), word.read),
    ((".pdf",), pdf.read),
    ((".jsonl", ".ndjson"), jsonlines.read),
    ((".json",), document.read),
    ((".csv", ".tsv", ".tab"), delimited.read),
    ((".xlsx", ".xlsm"), workbook.read),
    ((".parquet", ".pq"), parquet.read),
    ((".vtt", ".srt"), subtitles.read),
    ((".ipynb",), notebook.read),
    ((".xml",), markup.read),
)
SUFFIXES: tuple[str, ...] = tuple(
    suffix for suffixes, _ in _READERS for suffix in suffixes if suffix
)
"""The suffixes that are read."""


def drafts(source: Source, options: Options) -> Iterator[Draft]:
    """The drafts of a source; InputError if it is not understood or holds nothing."""
    found = False
    for draft in _reader(source)(source, options):
        found = True
        yield draft
    if not found:
        raise InputError(
            "holds no question.", source=source.name, remedy="Remove it, or export it again."
        )


def _reader(source: Source) -> Reader:
    for suffixes, reader in _READERS:
        if source.suffix in suffixes:
            return reader
    raise InputError(
        f"has a suffix that is not read ({source.suffix}).",
        source=source.name,
        remedy=f"Read are: {' '.join(SUFFIXES)}, folders, .zip, and - for standard input.",
    )
