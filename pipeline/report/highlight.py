"""Split an answer at the edges of its quotes, which may overlap."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

Span = tuple[int, int]


@dataclass(frozen=True, kw_only=True)
class Segment:
    """A stretch of the answer that is covered by the same quotes from end to end."""

    text: str
    """The stretch itself."""
    labels: tuple[str, ...] = ()
    """Labels of the quotes that cover it."""
    opens: tuple[str, ...] = ()
    """Labels of the quotes that begin with it."""
    closes: tuple[str, ...] = ()
    """Labels of the quotes that end with it."""


def split_answer(answer: str, spans: Mapping[str, Span]) -> tuple[Segment, ...]:
    """Segments that together are the answer; `spans` holds one quote per label."""
    inside = {
        label: (start, end)
        for label, (start, end) in spans.items()
        if 0 <= start < end <= len(answer)
    }
    edges = sorted({0, len(answer), *(edge for span in inside.values() for edge in span)})
    return tuple(
        Segment(
            text=answer[start:end],
            labels=tuple(label for label, (a, b) in inside.items() if a <= start and end <= b),
            opens=tuple(label for label, (a, _) in inside.items() if a == start),
            closes=tuple(label for label, (_, b) in inside.items() if b == end),
        )
        for start, end in pairwise(edges)
    )
