"""A fake endpoint for tests: it pops scripted replies and keeps the messages it was given."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from pipeline.records import Messages, Reply

KEYS = ("relevance", "correctness", "depth", "evidence", "clarity")
"""Criterion keys of the default rubric, in order."""


class Scripted:
    """`await endpoint(messages)` gives the next reply, or raises it if it is an exception."""

    def __init__(self, replies: Iterable[Reply | str | BaseException]) -> None:
        self.left = [Reply(text=reply) if isinstance(reply, str) else reply for reply in replies]
        self.seen: list[Messages] = []

    async def __call__(self, messages: Messages) -> Reply:
        """One call. A call more than was scripted fails the test."""
        self.seen.append(messages)
        if not self.left:
            raise AssertionError(f"call {len(self.seen)}, but nothing is scripted for it")
        reply = self.left.pop(0)
        if isinstance(reply, BaseException):
            raise reply
        return reply


def verdict_tree(scores: Mapping[str, int] | int, quote: str = "") -> dict[str, dict[str, Any]]:
    """A verdict as plain data: one score for all criteria, or a score by criterion key."""
    points = dict.fromkeys(KEYS, scores) if isinstance(scores, int) else scores
    return {
        key: {"quote": quote, "problems": "", "rationale": "because", "score": score}
        for key, score in points.items()
    }


def verdict_json(scores: Mapping[str, int] | int, quote: str = "") -> str:
    """The text of a valid reply for the default rubric."""
    return json.dumps(verdict_tree(scores, quote), ensure_ascii=False)
