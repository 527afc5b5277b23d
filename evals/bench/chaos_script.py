"""What the chaos server does to each item, drawn by seed, and the end that must follow from it.

`end_of` is a second, independent statement of the failure policy: what a product that keeps to
its policy makes of a row of faults, and with how many requests.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from itertools import chain, repeat
from typing import NamedTuple

GOOD = ("good", "fenced", "thought", "other_model")
"""Replies that are a verdict."""
RETRIED = {
    "busy": ("busy", 8),
    "busy_for": ("busy", 8),
    "busy_until": ("busy", 8),
    "unavailable": ("busy", 8),
    "server_error": ("server", 6),
    "html": ("broken", 4),
    "stream_error": ("broken", 4),
    "error_inside": ("broken", 4),
    "torn": ("connection", 6),
    "torn_body": ("connection", 6),
    "hung": ("time", 3),
}
"""Faults of a moment, with their family and how many requests a call may meet of that family."""
REASKED = ("malformed", "off_scale")
CUT = "cut"
FINAL = {
    "filtered": "content_filtered",
    "filtered_late": "content_filtered",
    "refused": "refused",
    "short_prompt": "prompt_truncated",
}
"""Replies that end an item at once, with its status."""
FATES = (
    ("hung",) * 3,
    ("html",) * 4,
    ("malformed", "off_scale"),
    ("off_scale",) * 2,
    (CUT,) * 2,
    *((kind,) for kind in FINAL),
)
"""Rows of faults that an item cannot survive."""
MOST = 8
"""Requests of one call, whatever it meets."""
Script = tuple[str, ...]


class End(NamedTuple):
    """How an item ends."""

    status: str
    requests: int


def script_of(seed: int, number: int) -> Script:
    """The faults that an item meets, request by request; after the last one comes the verdict."""
    chance = random.Random(f"{seed}/{number}")
    roll = chance.random()
    if roll < 0.05:
        return chance.choice(FATES)
    if roll < 0.35:
        faults = [*RETRIED, *REASKED, CUT]
        weights = [1 if kind == "hung" else 4 for kind in faults]
        return tuple(chance.choices(faults, weights, k=chance.choice((1, 1, 2, 3))))
    return (chance.choice(GOOD),)


def end_of(script: Sequence[str]) -> End:
    """What has to become of an item that meets these faults in a session without disturbance."""
    left, requests = chain(script, repeat("good")), 0
    for _ in range(2):
        for _ in range(2):
            kind, made, failed = _call(left)
            requests += made
            if failed:
                return End("endpoint_error", requests)
            if kind in FINAL:
                return End(FINAL[kind], requests)
            if kind != CUT:
                break
        else:
            return End("truncated_reply", requests)
        if kind in GOOD:
            return End("scored", requests)
    return End("unparseable", requests)


def _call(left: chain[str]) -> tuple[str, int, bool]:
    """One call with its attempts: the last kind met, the requests made, whether it gave up."""
    met: Counter[str] = Counter()
    for kind in left:
        if kind not in RETRIED:
            return kind, met.total() + 1, False
        family, most = RETRIED[kind]
        met[family] += 1
        if met[family] == most or met.total() == MOST:
            return kind, met.total(), True
    raise AssertionError("unreachable: the faults end with a verdict")
