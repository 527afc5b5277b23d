"""Checks before any call: what never reaches the model, and with which status it ends."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

from pipeline.quotes import fold
from pipeline.records import Item, Record, Status

COPY_MIN = 15
"""An answer of fewer folded characters is never called a copy."""
COPY_SHARE = 0.8
"""Share of the answer that must be one run of the question or objective."""
_STOCK = re.compile(
    "|".join(
        sorted(
            (
                "这是一个(很|非常)?好(的)?问题",
                "这个问题(问得)?(很|非常)?好",
                "(那)?我(来)?(回答|说|讲|谈)(一下|说)?",
                "(请|您|你|嗯|呃|啊|吧|呢|吗|的|是|好)",
                "thats?(is)?a(very|really)?(good|great|nice)question",
                "(good|great)question",
                "(thankyou|please|well|ok|okay|um|uh|so)",
            ),
            key=len,
            reverse=True,
        )
    )
)
"""Phrases that add nothing to a copied question."""


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


def is_copy(answer: str, target: str) -> bool:
    """Whether `answer` is one aligned run of `target` with nothing added; both folded."""
    if len(answer) < COPY_MIN or len(answer) * COPY_SHARE > len(target):
        return False
    run = SequenceMatcher(None, answer, target, autojunk=False).find_longest_match()
    if run.size < len(answer) * COPY_SHARE:
        return False
    rest = answer[: run.a] + " " + answer[run.a + run.size :]
    return not _STOCK.sub("", rest).strip()
