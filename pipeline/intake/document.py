"""JSON documents: rows, interviews with their items, or the turns of a dialogue."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pipeline.errors import InputError
from pipeline.intake.decode import decode
from pipeline.intake.draft import Draft, Options, Source
from pipeline.intake.jsonlines import parse
from pipeline.intake.nested import are_turns, draft_of, holds_items
from pipeline.intake.rows import Columns, Row, read_rows
from pipeline.intake.sources import read_whole

_LISTS = ("interviews", "transcripts", "data", "records", "rows", "results", "candidates")


def read(source: Source, options: Options) -> Iterator[Draft]:
    """The drafts of a .json file."""
    text, _ = decode(read_whole(source), source=source.name)
    yield from read_value(parse(text, source=source.name), source, options)


def read_value(value: object, source: Source, options: Options) -> Iterator[Draft]:
    """The drafts of a JSON value of any of the known shapes."""
    if isinstance(value, Mapping) and not holds_items(value):
        value = next((value[name] for name in _LISTS if isinstance(value.get(name), list)), value)
    if isinstance(value, Mapping):
        value = [value]
    if value == []:
        return
    if not isinstance(value, list) or not all(isinstance(one, Mapping) for one in value):
        raise _unknown(source)
    if any(holds_items(one) for one in value):
        yield from (draft_of(one, source) for one in value)
    elif are_turns(value[0]):
        yield draft_of({"turns": value}, source)
    else:
        yield from _flat(value, source, options)


def _flat(
    value: Sequence[Mapping[str, object]], source: Source, options: Options
) -> Iterator[Draft]:
    names = list(dict.fromkeys(name for record in value for name in record))
    columns = Columns.of(names, options, source=source.name)
    rows = (Row(at, [one.get(name) for name in names]) for at, one in enumerate(value, start=1))
    yield from read_rows(rows, lambda _: columns, options, source=source.name, null_is_missing=True)


def _unknown(source: Source) -> InputError:
    return InputError(
        "is JSON, but of no known shape.",
        source=source.name,
        remedy="Looked for a list of objects with question and answer, or an object with `items`.",
    )
