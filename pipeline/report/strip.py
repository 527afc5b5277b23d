"""How the questions of one candidate ended: one cell each, told apart by sign and not by colour."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.records import FAILED, STATUSES, Language
from pipeline.report.words import STATUS_WORDS, word

SIZE, PER_ROW = 24, 12
_SIGNS = {"scored": "", "blank": "", "copied": "=", "missing": "?", "not_run": "…"}


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One question."""

    left: int
    top: int
    number: str
    """Its number, or as much of it as there is room for."""
    sign: str
    """Beside the number: what kind of end it was."""
    kind: str
    """scored, blank, copied, missing, failed or not_run."""


@dataclass(frozen=True, kw_only=True)
class Strip:
    """All questions of a candidate."""

    cells: list[Cell]
    width: int
    height: int
    legend: list[tuple[str, str, int]]
    """Kind, meaning and number, in the order of the contract."""


def strip(ended: Sequence[tuple[str, str]], language: Language) -> Strip:
    """The cells for (number, status) of each question in order."""
    cells = [
        Cell(
            left=place % PER_ROW * (SIZE + 2),
            top=place // PER_ROW * (SIZE + 2),
            number=number[:3],
            sign="!" if status in FAILED else _SIGNS.get(status, ""),
            kind=kind_of(status),
        )
        for place, (number, status) in enumerate(ended)
    ]
    counts = Counter(status for _, status in ended)
    rows = -(-len(ended) // PER_ROW)
    return Strip(
        cells=cells,
        width=min(len(ended), PER_ROW) * (SIZE + 2),
        height=rows * (SIZE + 2),
        legend=[
            (kind_of(status), word(STATUS_WORDS, status, language), counts[status])
            for status in STATUSES
            if counts[status]
        ],
    )


def kind_of(status: str) -> str:
    """All failures are of one kind."""
    return "failed" if status in FAILED else status
