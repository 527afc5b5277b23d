"""A second look at an answer that tries to steer the grader: graded again without those passages.

Both overalls are shown. Neither replaces the other: a flag never lowers a score, a person decides.
"""

from __future__ import annotations

from pipeline.gates import injected_spans
from pipeline.records import Item, Outcome


def needs_second_look(outcome: Outcome) -> bool:
    """Whether the answer was scored although it may steer the grader."""
    return outcome.status == "scored" and "injection" in outcome.flags


def without_passages(item: Item) -> Item:
    """The item as it would be without its suspicious passages; little or nothing may be left."""
    answer, kept, done = item.answer or "", [], 0
    for start, end in injected_spans(answer):
        kept.append(answer[done:start])
        done = end
    return item.model_copy(update={"answer": "".join((*kept, answer[done:]))})


def with_second_look(outcome: Outcome, again: Outcome) -> Outcome:
    """The outcome with what the second look gave; it counts the effort of both."""
    overall = again.grade.overall if again.grade else None
    without = f"the overall is {overall}" if again.grade else f"there is no grade ({again.status})"
    note = f"without the suspicious passage {without}"
    return outcome.model_copy(
        update={
            "overall_without_injection": overall,
            "reason": "; ".join(filter(None, (outcome.reason, note))),
            "attempts": outcome.attempts + again.attempts,
            "cached": outcome.cached and (again.cached or not again.attempts),
            "usage": outcome.usage + again.usage,
            "seconds": round(outcome.seconds + again.seconds, 3),
            "replies": (*outcome.replies, *again.replies),
        }
    )
