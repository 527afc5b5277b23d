"""The items that end before the model, and with which status."""

from __future__ import annotations

from pipeline.folding import fold
from pipeline.gates.copied import is_copy
from pipeline.records import Item, Record, Status


class Gate(Record):
    """The end of an item that needs no call."""

    status: Status
    """blank, copied or missing."""
    reason: str
    """Why, in plain words."""


def check(item: Item) -> Gate | None:
    """The gate that stops this item before the model, or None if it is to be graded."""
    if item.answer is None:
        return Gate(status="missing", reason="no answer to grade: absent or marked unavailable")
    answer = fold(item.answer).text
    if not answer:
        return Gate(status="blank", reason="the answer is empty")
    for name, target in (("question", item.question), ("objective", item.objective)):
        if target and is_copy(answer, fold(target).text):
            return Gate(status="copied", reason=f"the answer repeats the {name} and adds nothing")
    return None
