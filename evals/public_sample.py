"""A fixed sample of a public set, spread evenly over its questions."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from evals.public import Scored


def even_sample(scored: Sequence[Scored], size: int, *, seed: int = 0) -> list[Scored]:
    """`size` answers, or all: one of each question in turn, in an order drawn by `seed`.

    The order is that of a digest, not of the file: the same answers come out of any file that
    holds them, and a larger sample holds the smaller one.
    """
    rank: dict[tuple[str, str], int] = {}
    taken: dict[str, int] = {}
    for row in sorted(scored, key=lambda row: _drawn(row, seed)):
        rank[row.question_id, row.id] = taken.get(row.question_id, 0)
        taken[row.question_id] = taken.get(row.question_id, 0) + 1
    dealt = sorted(scored, key=lambda row: (rank[row.question_id, row.id], _drawn(row, seed)))
    return dealt[:size]


def _drawn(row: Scored, seed: int) -> str:
    return hashlib.sha256(f"{seed} {row.dataset} {row.id}".encode()).hexdigest()
