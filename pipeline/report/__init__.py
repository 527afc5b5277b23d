"""The readable result of a run: HTML that opens without a network, for three kinds of readers."""

from pipeline.report.page import write_report
from pipeline.report.tally import Entry

__all__ = ["Entry", "write_report"]
