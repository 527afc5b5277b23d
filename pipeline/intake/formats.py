"""Suffix to reader. A new format is one file with a `read(source, options)`, and a line here."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module

from pipeline.errors import InputError
from pipeline.intake.draft import Draft, Options, Reader, Source

_READERS: tuple[tuple[tuple[str, ...], str], ...] = (
    ((".txt", ".text", ".log", ""), "sniffed"),
    ((".md", ".markdown", ".qmd"), "markdown"),
    ((".docx",), "word"),
    ((".pdf",), "pdf"),
    ((".jsonl", ".ndjson"), "jsonlines"),
    ((".json",), "document"),
    ((".csv", ".tsv", ".tab"), "delimited"),
    ((".xlsx", ".xlsm"), "workbook"),
    ((".parquet", ".pq"), "parquet"),
    ((".vtt", ".srt"), "subtitles"),
    ((".ipynb",), "notebook"),
    ((".xml",), "markup"),
)
"""The module of this folder that reads a suffix, imported when such a file comes."""
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
    for suffixes, module in _READERS:
        if source.suffix in suffixes:
            reader: Reader = import_module(f"pipeline.intake.{module}").read
            return reader
    raise InputError(
        f"has a suffix that is not read ({source.suffix}).",
        source=source.name,
        remedy=f"Read are: {' '.join(SUFFIXES)}, folders, .zip, and - for standard input.",
    )
