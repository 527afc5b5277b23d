"""Files whose suffix says little, and standard input: JSON, a table or subtitles pass for text."""

from __future__ import annotations

import io
from collections.abc import Iterator

from pipeline.intake import delimited, document, jsonlines, subtitles, text
from pipeline.intake.decode import decode
from pipeline.intake.draft import Draft, Options, Reader, Source
from pipeline.intake.sources import read_whole


def read(source: Source, options: Options) -> Iterator[Draft]:
    """The drafts of whatever the content is."""
    data = read_whole(source)
    content, _ = decode(data, source=source.name)
    again = Source(
        name=source.name, parts=source.parts, suffix=source.suffix, open=lambda: io.BytesIO(data)
    )
    yield from _reader(content.lstrip())(again, options)


def _reader(content: str) -> Reader:
    if content.startswith("WEBVTT"):
        return subtitles.read
    if content.startswith("{") and content.split("\n", 1)[0].rstrip().endswith("}"):
        return jsonlines.read
    if content.startswith(("{", "[{", "[\n", "[ ")) and content.rstrip().endswith(("}", "]")):
        return document.read
    if delimited.sniff(content):
        return delimited.read
    return text.read
