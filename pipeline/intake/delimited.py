"""CSV and TSV, read as a stream: delimiter and header are found, not believed from the suffix."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import Literal

from pipeline.errors import InputError
from pipeline.intake.columns import recognised
from pipeline.intake.draft import Draft, Options, Source
from pipeline.intake.rows import Row
from pipeline.intake.streams import text_lines
from pipeline.intake.table import read_table

_DELIMITERS = ",\t;|"
_SAMPLE = 50
_HINT = re.compile(r"sep=.", re.I)


def read(source: Source, options: Options) -> Iterator[Draft]:
    """The drafts of a .csv or .tsv file."""
    lines = text_lines(source)
    sample = [line for line in islice(lines, _SAMPLE) if not _HINT.fullmatch(line.strip())]
    delimiter = _delimiter(sample, source.suffix)
    if delimiter is None:
        raise InputError(
            "is no table: no delimiter splits its lines.",
            source=source.name,
            remedy="Save it with commas or tabs between the columns, or as .txt if it is text.",
        )
    rows = _rows(chain(sample, lines), delimiter, _quoting(sample, delimiter), source.name)
    yield from read_table(rows, options, source=source, exact_width=True)


def sniff(text: str) -> bool:
    """Whether a text without a telling suffix is a table with a header that we know."""
    first = text.split("\n", 1)[0]
    return any(
        {"question", "answer"} <= recognised(first.split(delimiter)) for delimiter in _DELIMITERS
    )


def _delimiter(sample: Sequence[str], suffix: str) -> str | None:
    """By recognised header names, then by a steady number of cells."""
    marks: dict[str, tuple[int, int, int]] = {}
    for delimiter in _DELIMITERS:
        rows = _parsed(sample, delimiter)
        widths = [len(row) for row in rows if any(row)]
        if not widths or max(widths) < 2:
            continue
        steady = sum(width == widths[0] for width in widths) * 100 // len(widths)
        known = len(recognised(rows[0]))
        marks[delimiter] = (known, steady if widths[0] > 1 else 0, int(delimiter == "\t"))
    best = max(marks, key=lambda delimiter: marks[delimiter], default=None)
    if best is None or (marks[best][0] < 2 and marks[best][1] < 80):
        return None
    return best


def _parsed(sample: Sequence[str], delimiter: str) -> list[list[str]]:
    try:
        return list(csv.reader(sample, delimiter=delimiter))
    except csv.Error:
        return []


def _quoting(sample: Sequence[str], delimiter: str) -> Literal[0, 3]:
    """Tab-separated text often takes quotes as they are; commas need them."""
    if delimiter == "\t":
        try:
            list(csv.reader(sample, delimiter=delimiter, strict=True))
        except csv.Error as fault:
            # A quote open at the end of the sample may close further on.
            if "unexpected end" not in str(fault):
                return csv.QUOTE_NONE
    return csv.QUOTE_MINIMAL


def _rows(
    lines: Iterator[str], delimiter: str, quoting: Literal[0, 3], source: str
) -> Iterator[Row]:
    reader = csv.reader(lines, delimiter=delimiter, quoting=quoting, strict=True)
    start = 1
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield Row(start, cells)
            start = reader.line_num + 1
    except csv.Error as fault:
        reason = "a cell is too long" if "limit" in str(fault) else "its quotes do not match"
        raise InputError(
            f"is not valid CSV from here on: {reason}.",
            source=source,
            line=start,
            remedy="Export it again, with every text cell in quotes.",
        ) from None
