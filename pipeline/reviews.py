"""Decisions of reviewers: lines of the journal beside the outcomes, which stay as they are.

A decision is about one outcome, by its line. When the item is graded again, the decision stays in
the journal but no longer counts. The words of its reason are in texts/, like all words.
"""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from pipeline.appending import append_line
from pipeline.errors import ConfigError
from pipeline.journal import Journal, broken, read_chain
from pipeline.records import Record, Text
from pipeline.texts import last_interview, read_texts, salted, texts_path


class Review(Record):
    """What a reviewer decided about one outcome."""

    item_id: str
    """The item."""
    interview_id: str
    """Its interview."""
    of_line: int
    """Line of the outcome in the journal, from 0."""
    reviewer: Text
    """Who decided."""
    when: str
    """When the decision was taken in, in UTC."""
    before: Decimal | None
    """The grader's overall; None where there is none."""
    after: Decimal | None
    """The reviewer's overall; the same where it was confirmed."""
    cleared_flags: tuple[str, ...] = ()
    """Flags that no longer block a recommendation."""
    blind: bool = False
    """Whether it was decided without sight of the grader's scores."""
    why: Text = ""
    """The reviewer's reason."""

    @property
    def changes(self) -> bool:
        """Whether the reviewer's overall differs from the grader's."""
        return self.after != self.before


def add_review(journal: Journal, review: Review) -> None:
    """Keep one decision: its words first, then its line in the chain."""
    path = texts_path(journal.folder, review.interview_id)
    known = last_interview(path)
    if known is None:
        raise ConfigError(f"the texts of {review.interview_id!r} are gone; nothing to decide on.")
    said = {"line": journal.lines, "item_id": review.item_id, "why": review.why}
    words = json.dumps(said, ensure_ascii=False)
    append_line(path, words)
    journal.add_line(
        {
            "words_digest": salted(words, known[1]),
            "review": review.model_dump(mode="json", exclude={"why"}),
        }
    )


def read_reviews(folder: Path) -> dict[str, Review]:
    """By item id, the last decision about its last outcome. Raises InputError."""
    path = folder / "journal.jsonl"
    last: dict[str, int] = {}
    found: dict[str, tuple[int, Review]] = {}
    for number, (_, entry) in enumerate(read_chain(path)):
        if outcome := entry.get("outcome"):
            last[outcome["item_id"]] = number
        elif content := entry.get("review"):
            review = _review(content, path, number)
            found[review.item_id] = (number, review)
    words = read_texts(folder).words if found else {}
    return {
        name: review.model_copy(update={"why": words[review.interview_id, number]["why"]})
        for name, (number, review) in found.items()
        if review.of_line == last.get(name) and (review.interview_id, number) in words
    }


def outcome_lines(folder: Path) -> dict[str, int]:
    """By item id, the line of its last outcome."""
    chain = enumerate(read_chain(folder / "journal.jsonl"))
    return {
        entry["outcome"]["item_id"]: number for number, (_, entry) in chain if "outcome" in entry
    }


def _review(content: dict[str, Any], path: Path, number: int) -> Review:
    try:
        return Review.model_validate(content)
    except ValidationError:
        raise broken(path, number + 1, "has a review that this version cannot read") from None
