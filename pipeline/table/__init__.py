"""Outcomes as pandas tables, and the tables as files.

pandas takes longest of all to import, and most commands need none of it: what is imported from
here is loaded when it is first asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pipeline.table.build import Tables, build_tables
    from pipeline.table.files import MOST_SHEET_ROWS, WORKBOOK, open_tables, write_tables

__all__ = [
    "MOST_SHEET_ROWS",
    "WORKBOOK",
    "Tables",
    "build_tables",
    "open_tables",
    "write_tables",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    place = "build" if name in ("Tables", "build_tables") else "files"
    return getattr(import_module(f"{__name__}.{place}"), name)
