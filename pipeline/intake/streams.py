"""Text files read line by line, with a bound on the length of a line."""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterator
from typing import BinaryIO

from pipeline.errors import InputError
from pipeline.intake.decode import foreign_kind, text_encoding
from pipeline.intake.draft import Source
from pipeline.intake.sources import unopened

MAX_LINE = 4 * 1024 * 1024
"""Longest line, in characters."""
_HEAD = 256 * 1024
CHUNK = 1024 * 1024


def text_lines(source: Source) -> Iterator[str]:
    """The lines of a text with their line ends; memory is bounded by the longest line allowed."""
    try:
        with source.open() as stream:
            yield from _lines(stream, source.name)
    except OSError as fault:
        raise unopened(source.name, fault) from None


def _lines(stream: BinaryIO, name: str) -> Iterator[str]:
    head = stream.read(_HEAD)
    if not head:
        raise InputError("is empty.", source=name, remedy="Remove it, or export it again.")
    kind = foreign_kind(head)
    if kind:
        raise InputError(f"is {kind}.", source=name, remedy="Give it its proper suffix.")
    encoding = text_encoding(head, source=name)
    decoder = io.IncrementalNewlineDecoder(codecs.getincrementaldecoder(encoding)(), True)
    number, rest, chunk = 1, "", head
    while chunk:
        try:
            text = rest + decoder.decode(chunk)
        except UnicodeDecodeError:
            raise InputError(
                f"is not valid {encoding}.", source=name, line=number, remedy="Save it as UTF-8."
            ) from None
        *whole, rest = text.split("\n")
        for line in whole:
            yield line + "\n"
        number += len(whole)
        if len(rest) > MAX_LINE:
            raise InputError(
                f"has a line of more than {MAX_LINE} characters.",
                source=name,
                line=number,
                remedy="Break it into one record a line.",
            )
        chunk = stream.read(CHUNK)
    if rest:
        yield rest
