"""How much of a long answer is sent: its beginning and its end, and a word on what is left out."""

from __future__ import annotations

from pipeline.records import Record

LIMIT = 12_000
"""Characters of an answer that are sent, where an endpoint sets no closer limit."""
HEAD_SHARE = 2 / 3
"""How much of them is taken from the beginning."""


class Sent(Record):
    """What of an answer is sent."""

    text: str
    """The text, with a mark where something is left out."""
    left_out: tuple[int, int] | None = None
    """Start and end of what is not sent, in characters of the answer."""
    note: str = ""
    """The same in words; empty where the answer is sent whole."""


def sent_part(answer: str, limit: int = LIMIT) -> Sent:
    """The whole answer, or its head and tail where it is longer than `limit`."""
    if len(answer) <= limit:
        return Sent(text=answer)
    head = int(limit * HEAD_SHARE)
    tail = limit - head
    start, end = head, len(answer) - tail
    return Sent(
        text=f"{answer[:start]}\n[… {end - start:,} characters left out …]\n{answer[end:]}",
        left_out=(start, end),
        note=f"of {len(answer):,} characters the first {head:,} and the last {tail:,} were sent",
    )
