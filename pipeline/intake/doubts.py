"""What a reader of the result should look at, in plain words and without candidate text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pipeline.intake.shifted import shifted
from pipeline.records import Item
from pipeline.truncation import truncation_flags

_REASONS = {
    "absent": "has no answer in the source",
    "unavailable": "has an answer that is marked as not available",
    "not_asked": "is marked as not asked",
    "described": "has a description in place of the answer",
    "empty_cell": "has an empty cell as its answer",
}


def answer_flags(answer: str | None) -> tuple[str, ...]:
    """`truncated_start` and `truncated_end`, seen from the answer's edges."""
    return truncation_flags(answer)


def doubts(items: Sequence[Item]) -> list[str]:
    """Warnings on a whole interview: numbering, missing and cut answers, doubled answers."""
    return [
        *_several_people(items),
        *_numbering(items),
        *_missing(items),
        *_cut(items),
        *_doubled(items),
        *shifted(items),
    ]


def _several_people(items: Sequence[Item]) -> list[str]:
    most, times = Counter(item.question for item in items).most_common(1)[0]
    if not most or times < 2:
        return []
    return [
        f"one question stands {times} times: if these are several people's answers, name the "
        "column that tells them apart (--map interview_id=COLUMN)"
    ]


def _numbering(items: Sequence[Item]) -> list[str]:
    numbers = [item.number for item in items if isinstance(item.number, int)]
    if len(numbers) < 2:
        return []
    found: list[str] = []
    repeated = sorted({number for number in numbers if numbers.count(number) > 1})[:20]
    if repeated:
        found.append(f"question numbers repeat: {_listed(repeated)}")
    skipped = sorted(set(range(min(numbers), min(max(numbers), min(numbers) + 500))) - set(numbers))
    if skipped:
        found.append(f"question numbers are skipped: {_listed(skipped[:20])}")
    if not repeated and numbers != sorted(numbers):
        found.append("question numbers are out of order")
    return found


def _missing(items: Sequence[Item]) -> list[str]:
    return [
        f"item {_position(item)} {_REASONS.get(item.missing_reason or 'absent', 'has no answer')}"
        for item in items
        if item.answer is None
    ]


def _cut(items: Sequence[Item]) -> list[str]:
    words = {"truncated_start": "starts", "truncated_end": "ends"}
    return [
        f"the answer of item {_position(item)} {words[flag]} in mid-sentence"
        for item in items
        for flag in item.flags
        if flag in words
    ]


def _doubled(items: Sequence[Item]) -> list[str]:
    first: dict[str, str] = {}
    found = []
    for item in items:
        answer = (item.answer or "").strip()
        if len(answer) < 20:
            continue
        if answer in first:
            found.append(f"items {first[answer]} and {_position(item)} have the same answer")
        first.setdefault(answer, _position(item))
    return found


def _position(item: Item) -> str:
    return item.item_id.rpartition("#")[2]


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers))
