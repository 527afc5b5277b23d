"""The flags an outcome can carry, and which of them block a recommendation.

A flag never lowers a score. README repeats this table; a test holds the two together.
"""

from __future__ import annotations

from collections.abc import Iterable

FLAGS: dict[str, tuple[str, bool]] = {
    "injection": ("the answer tries to steer the grader", True),
    "truncated_start": ("the answer starts in mid-sentence; its beginning may be lost", True),
    "mismatch": ("the answer fits another question of this interview (two in a row block)", False),
    "prompt_doubt": ("the endpoint may not have seen the whole prompt", True),
    "unsupported_credit": ("a score of 3 or more without a quote found in the answer", True),
    "spread": ("samples or judges differ by 2 points or more", True),
    "truncated_end": ("the answer ends in mid-sentence", False),
    "question_echo": ("the answer restates the question first", False),
    "repetition": ("one sentence pattern repeated", False),
    "padding": ("much text without content", False),
    "other_language": ("the answer is not in the question's language", False),
    "code_only": ("the answer is code without explanation", False),
    "duplicate_answer": ("the same answer stands under two questions", False),
    "hidden_characters": ("the answer holds invisible characters", False),
    "quote_not_found": ("a quote of the grader is not in the answer", False),
    "quote_approximate": ("a quote was found with small deviations", False),
    "self_contradiction": ("the answer contradicts itself or another answer", False),
    "repaired": ("the reply's JSON needed a structural repair", False),
    "over_length": ("the answer was too long to be sent whole", False),
    "low_confidence": ("the scorer's points are too uncertain to go by", False),
}


def blocking(flags: Iterable[str]) -> tuple[str, ...]:
    """The flags among `flags` that block a recommendation until a reviewer clears them."""
    return tuple(flag for flag in flags if flag in FLAGS and FLAGS[flag][1])


def in_order(flags: Iterable[str]) -> tuple[str, ...]:
    """Each flag once, in the order of the table."""
    wanted = set(flags)
    return tuple(flag for flag in FLAGS if flag in wanted)
