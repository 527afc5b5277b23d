"""Outcomes as pandas tables, and the tables as files."""

from pipeline.table.build import Tables, build_tables
from pipeline.table.files import write_tables

__all__ = ["Tables", "build_tables", "write_tables"]
