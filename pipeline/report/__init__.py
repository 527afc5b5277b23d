"""The readable result of a run: HTML that opens without a network, for three kinds of readers."""

from pipeline.report.copy import CopyView, copy_view
from pipeline.report.page import places_of, write_report
from pipeline.report.person import Reader, copy_path, marked, pages_about, write_page
from pipeline.report.tally import Entry
from pipeline.report.views import PersonView, Queue, person_view

__all__ = [
    "CopyView",
    "Entry",
    "PersonView",
    "Queue",
    "Reader",
    "copy_path",
    "copy_view",
    "marked",
    "pages_about",
    "person_view",
    "places_of",
    "write_page",
    "write_report",
]
