"""A run folder read back interview by interview, so that memory does not grow with its items."""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from pipeline.journal import broken, read_chain
from pipeline.records import Interview, Outcome
from pipeline.texts import Words, digest_of, entries, with_words

SMALL = 5_000
"""A run of so many journal lines fits into memory easily."""


class Ended(NamedTuple):
    """An interview and how its items ended."""

    interview: Interview
    outcomes: dict[str, Outcome]
    """By item id, the last outcome with its words; items that were not run are left out."""


class RunReader:
    """The interviews of a run by id. What is held of each item is its place in the journal."""

    def __init__(self, folder: Path) -> None:
        """Read the chain through once. Raises InputError where it is broken."""
        self._journal = folder / "journal.jsonl"
        self._files = _files_by_interview(folder)
        self._places = array("Q")
        self._lines: dict[str, array[int]] = {}
        self.has_reviews = False
        place = 0
        for number, (line, entry) in enumerate(read_chain(self._journal)):
            self._places.append(place)
            place += len(line.encode()) + 1
            if outcome := entry.get("outcome"):
                self._lines.setdefault(outcome["interview_id"], array("L")).append(number)
            self.has_reviews |= "review" in entry

    def __len__(self) -> int:
        return len(self._files)

    def at_hand(self) -> Iterable[Ended]:
        """All interviews, to be gone through several times; of a small run they are kept."""
        return self if len(self._places) > SMALL else tuple(self)

    def __iter__(self) -> Iterator[Ended]:
        for name in self._files:
            yield self.read(name)

    def read(self, interview_id: str) -> Ended:
        """One interview. An outcome whose item has another text by now graded something else."""
        texts = list(entries(self._files[interview_id]))
        last = [entry for entry in texts if "interview" in entry][-1]
        interview = Interview.model_validate(last["interview"])
        words = {entry["line"]: entry for entry in texts if "line" in entry}
        digests = {item.item_id: digest_of(item, last["salt"]) for item in interview.items}
        outcomes = {}
        for number, entry in self._entries(interview_id):
            outcome = self._outcome(number, entry)
            if digests.get(outcome.item_id) == entry["answer_digest"]:
                outcomes[outcome.item_id] = with_words(outcome, words.get(number))
        return Ended(interview, outcomes)

    def _entries(self, interview_id: str) -> Iterator[tuple[int, dict[str, Any]]]:
        if interview_id not in self._lines:
            return
        with self._journal.open("rb") as file:
            for number in self._lines[interview_id]:
                file.seek(self._places[number])
                yield number, json.loads(file.readline())

    def _outcome(self, number: int, entry: Words) -> Outcome:
        try:
            return Outcome.model_validate(entry["outcome"])
        except ValidationError:
            what = "has an outcome that this version cannot read"
            raise broken(self._journal, number + 1, what) from None


def _files_by_interview(folder: Path) -> dict[str, Path]:
    """The texts file of each interview, in the order of their ids."""
    found = {}
    for path in (folder / "texts").glob("*.jsonl"):
        first = next((entry for entry in entries(path) if "interview" in entry), None)
        if first:
            found[first["interview"]["id"]] = path
    return dict(sorted(found.items()))
