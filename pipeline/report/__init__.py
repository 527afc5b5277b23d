"""The readable result of a run: one HTML file that opens without a network."""

from pipeline.report.page import write_report

__all__ = ["write_report"]
