"""What a reviewer should look at between the items of one interview."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from pipeline.claims import conflicts
from pipeline.folding import fold
from pipeline.gates.look import Noted
from pipeline.gates.mismatch import better_questions
from pipeline.records import Item

DUPLICATE_LENGTH = 20
"""A shorter answer, such as yes or Redis, may stand under two questions."""


def look_across(items: Sequence[Item]) -> dict[str, Noted]:
    """By item id, what its neighbours show; items without anything are left out."""
    found = [*_duplicates(items), *_mismatches(items), *_contradictions(items)]
    by_id: dict[str, list[Noted]] = {}
    for item_id, noted in found:
        by_id.setdefault(item_id, []).append(noted)
    return {item_id: reduce(Noted.__add__, all_noted) for item_id, all_noted in by_id.items()}


def _duplicates(items: Sequence[Item]) -> list[tuple[str, Noted]]:
    places: dict[str, list[int]] = {}
    for place, item in enumerate(items):
        folded = fold(item.answer or "").text
        if len(folded) >= DUPLICATE_LENGTH:
            places.setdefault(folded, []).append(place)
    found = []
    for same in (same for same in places.values() if len(same) > 1):
        for here in same:
            there = same[1] if here == same[0] else same[0]
            note = f"the same answer as item {there + 1}"
            found.append((items[here].item_id, _noted("duplicate_answer", note)))
    return found


def _mismatches(items: Sequence[Item]) -> list[tuple[str, Noted]]:
    return [
        (items[here].item_id, _noted("mismatch", f"the answer fits question {there + 1} better"))
        for here, there in better_questions(items).items()
    ]


def _contradictions(items: Sequence[Item]) -> list[tuple[str, Noted]]:
    answers = [item.answer or "" for item in items]
    found = []
    for one, other in conflicts(answers):
        for here, there in ((one, other), (other, one)):
            note = f"{here.text} here, {there.text} in item {there.place + 1}, about the same thing"
            found.append((items[here.place].item_id, _noted("self_contradiction", note)))
    return found


def _noted(flag: str, note: str) -> Noted:
    return Noted(flags=(flag,), notes=(note,))
