"""Parquet, read in batches."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow.parquet as pq  # type: ignore[import-untyped]

from pipeline.errors import InputError
from pipeline.intake.draft import Draft, Options, Source
from pipeline.intake.faults import PARSER_FAULTS
from pipeline.intake.rows import Row
from pipeline.intake.table import read_table

_BATCH = 1024


def read(source: Source, options: Options) -> Iterator[Draft]:
    """The drafts of a .parquet file."""
    yield from read_table(_rows(source), options, source=source)


def _rows(source: Source) -> Iterator[Row]:
    try:
        with source.open() as stream:
            table = pq.ParquetFile(stream)
            names = table.schema_arrow.names
            yield Row(0, names)
            line = 0
            for batch in table.iter_batches(batch_size=_BATCH):
                for record in batch.to_pylist():
                    line += 1
                    yield Row(line, [record.get(name) for name in names])
    except PARSER_FAULTS:
        raise InputError(
            "is not a readable Parquet file.", source=source.name, remedy="Export it again."
        ) from None
