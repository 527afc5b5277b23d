"""PDF files with a text layer, page by page."""

from __future__ import annotations

import io
import logging
from collections.abc import Iterator

from pypdf import PdfReader
from pypdf.errors import PyPdfError

from pipeline.errors import InputError
from pipeline.intake.draft import Draft, Line, Options, Source, warned
from pipeline.intake.faults import PARSER_FAULTS
from pipeline.intake.margins import without_margins
from pipeline.intake.radicals import characters
from pipeline.intake.sources import read_whole
from pipeline.intake.text import read_lines

MAX_PAGES = 500


def read(source: Source, options: Options) -> Iterator[Draft]:
    """The one interview of a .pdf file; places are lines counted through all pages."""
    pages = without_margins(_pages(read_whole(source), source.name))
    if not any(page.strip() for page in pages):
        raise InputError(
            "has no text layer (scanned pages?).",
            source=source.name,
            remedy="Run text recognition (OCR) over it first.",
        )
    lines: list[Line] = []
    for page, text in enumerate(pages, start=1):
        lines += [Line(len(lines) + n, one, page) for n, one in enumerate(text.split("\n"), 1)]
    draft = read_lines(lines, source=source.name)
    warning = "read from a PDF, whose lines and paragraphs are guesses of the text layer"
    yield warned(draft, warning)


def _pages(data: bytes, name: str) -> list[str]:
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    try:
        reader = PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise InputError("is locked by a password.", source=name, remedy="Save it without one.")
        if len(reader.pages) > MAX_PAGES:
            raise InputError(f"has more than {MAX_PAGES} pages.", source=name, remedy="Split it.")
        return [characters(page.extract_text().replace("\x00", "")) for page in reader.pages]
    except (PyPdfError, *PARSER_FAULTS):
        raise InputError("is not a readable PDF.", source=name, remedy="Print it anew.") from None
