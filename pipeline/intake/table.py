"""A table with its header, wherever the rows come from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice

from pipeline.errors import InputError
from pipeline.intake.cells import text_of
from pipeline.intake.columns import recognised
from pipeline.intake.draft import Draft, Options, Source, warned
from pipeline.intake.guess import guess_columns
from pipeline.intake.header import with_head
from pipeline.intake.rows import Columns, Row, read_rows
from pipeline.intake.wide import read_wide, wide_columns

_SAMPLE = 200
_HEADER_WITHIN = 10


def read_table(
    rows: Iterable[Row], options: Options, *, source: Source, exact_width: bool = False
) -> Iterator[Draft]:
    """The drafts of a table: long (a row an item), wide (a row an interview), or headless.

    `exact_width` refuses a row with more or fewer cells than the header: a delimiter in unquoted
    text would shift its columns.
    """
    rows = iter(rows)
    sample = list(islice(rows, _SAMPLE))
    if not sample:
        raise InputError("is empty.", source=source.name, remedy="Remove it, or export it again.")
    at = _header(sample, options)
    above = [_joined(row) for row in sample[:at]]
    names = [text_of(cell) or "" for cell in sample[at].cells]
    body = chain(sample[at + 1 :], rows)
    wide = wide_columns(names, source=source.name)
    if wide:
        yield from read_wide(
            _checked(body, len(names), source.name, exact_width), wide, options, source
        )
        return
    warning: tuple[str, ...] = ()
    if _headless(names, options):
        columns = guess_columns(sample, options, source=source.name)
        body = chain(sample, rows)
        warning = ("the table has no header; question and answer were told by their contents",)
    else:
        columns = Columns.of(names, options, source=source.name)
    checked = _checked(body, len(names), source.name, exact_width)
    for draft in read_rows(checked, lambda _: columns, options, source=source.name):
        draft = with_head(draft, above) if above else draft
        if warning and not options.mapping:
            draft = warned(draft, *warning)
        yield draft


def _header(sample: Sequence[Row], options: Options) -> int:
    """The first of the leading rows that names question and answer; a title may stand above."""
    for at, row in enumerate(sample[:_HEADER_WITHIN]):
        names = [text_of(cell) or "" for cell in row.cells]
        if {"question", "answer"} <= recognised(names, options.mapping):
            return at
    return 0


def _joined(row: Row) -> str:
    """A row above the header as a line: `候选人：李四`."""
    return "：".join(text for text in map(text_of, row.cells) if text)


def _headless(names: Sequence[str], options: Options) -> bool:
    """No cell of the first row is a column name, neither ours nor the user's."""
    return not recognised(names, options.mapping)


def _checked(rows: Iterable[Row], width: int, source: str, exact_width: bool) -> Iterator[Row]:
    for row in rows:
        cells = len(row.cells)
        if exact_width and cells != width and any(row.cells[width:] or ["short"]):
            raise InputError(
                f"has {cells} cells where the first row has {width}.",
                source=source,
                line=row.line,
                remedy="Export it again, with every text cell in quotes.",
            )
        yield row
