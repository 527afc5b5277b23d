"""A run's journal: what must survive a crash.

`journal.jsonl` has one line per attempted item, each with the SHA-256 of the line before. It holds
ids, statuses, scores, codes and salted digests; the words are in texts/ and may be deleted. Beside
the outcomes stand the decisions of reviewers (`review`) and erasures (`erased`).

Every line reaches the operating system before the next call is made, so it survives the end of
the process by any means. Words and lines are written through to the disk every few seconds and at
the end of a session (`syncing`): what came after that may be lost when the machine itself goes
down. A torn last line is cut off when a run goes on.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from typing import Any

from pipeline.appending import Lines
from pipeline.errors import ConfigError, InputError
from pipeline.file_lock import file_lock
from pipeline.records import Interview, Item, Outcome
from pipeline.syncing import Syncer
from pipeline.texts import (
    digest_of,
    last_interview,
    register,
    salted,
    texts_path,
    whole_lines,
    without_words,
    words_of,
)

GENESIS = "0" * 64
KINDS = ("outcome", "review", "erased")
"""What a line can be about; its entry has one of these keys."""


@dataclass
class Journal:
    """One run folder, open for appending."""

    folder: Path
    head: str = GENESIS
    """Hash of the last line."""
    lines: int = 0
    digests: dict[str, str] = field(default_factory=dict)
    """Of each item journalled by earlier sessions, the salted digest of what was graded."""
    statuses: dict[str, str] = field(default_factory=dict)
    """Of each of them, its last status."""
    salts: dict[str, str] = field(default_factory=dict)
    """Of each interview in texts/, its salt."""
    erased: set[str] = field(default_factory=set)
    """The interviews that were erased and did not come back."""
    unsummed: list[Decimal | None] = field(default_factory=list)
    """What each item cost that a session kept and was killed before it summed up; None: unknown."""
    files: Lines = field(default_factory=Lines)
    """The files that are being written."""
    disk: Syncer = field(default_factory=Syncer)
    """What of them may not be on the disk yet."""

    @cached_property
    def _path(self) -> Path:
        return self.folder / "journal.jsonl"

    def read(self, noted: int = 0) -> None:
        """Take in what earlier sessions wrote; lines after `noted` were never summed up."""
        for line, entry in read_chain(self._path):
            self.head, self.lines = hash_line(line), self.lines + 1
            if outcome := entry.get("outcome"):
                self.digests[outcome["item_id"]] = entry["answer_digest"]
                self.statuses[outcome["item_id"]] = outcome["status"]
                if self.lines > noted and outcome["attempts"] and not outcome["cached"]:
                    cost = outcome.get("cost_usd")
                    self.unsummed.append(None if cost is None else Decimal(cost))
            elif erased := entry.get("erased"):
                self.erased.add(erased["interview_id"])

    def holds(self, item: Item, interview: Interview) -> bool:
        """Whether an earlier session journalled this very item, with this very text."""
        salt = self.salts.get(interview.id)
        digest = self.digests.get(item.item_id)
        return salt is not None and digest == digest_of(item, salt)

    def register(self, interview: Interview) -> None:
        """Keep the interview itself."""
        self.salts[interview.id] = register(self.folder, interview)
        self.disk.note(texts_path(self.folder, interview.id))
        self.erased.discard(interview.id)

    def append(self, outcome: Outcome, item: Item) -> None:
        """Keep one outcome: its words first, then its line in the chain."""
        salt = self.salts[outcome.interview_id]
        words = json.dumps(words_of(outcome, self.lines), ensure_ascii=False)
        path = texts_path(self.folder, outcome.interview_id)
        self.files.append(path, words)
        self.disk.note(path)
        self.add_line(
            {
                "answer_digest": digest_of(item, salt),
                "words_digest": salted(words, salt),
                "outcome": without_words(outcome),
            }
        )

    def sync(self) -> None:
        """Wait until all words and lines of this session are on the disk. Raises OSError."""
        self.disk.finish()

    def add_line(self, content: dict[str, Any]) -> None:
        """Add one line to the chain; its words, if it has any, are in texts/ by now."""
        entry = {"line": self.lines, "previous": self.head, **content}
        line = json.dumps(entry, ensure_ascii=False)
        self.files.append(self._path, line)
        self.disk.note(self._path)
        self.head, self.lines = hash_line(line), self.lines + 1


@contextmanager
def sole_hand(folder: Path) -> Iterator[None]:
    """Hold the lock of an existing run folder. Raises ConfigError while another process does."""

    def refuse() -> None:
        raise ConfigError(
            f"{folder}: another process is grading into this folder. Wait for its end, stop it, "
            "or choose another --out."
        )

    with file_lock(folder / ".lock", on_wait=refuse):
        yield


@contextmanager
def open_journal(folder: Path, noted: int = 0) -> Iterator[Journal]:
    """The journal of a run folder, held by this process alone. Raises ConfigError or InputError.

    `noted` is how many lines it had by the manifest; where lines are lost, nothing is touched.
    """
    try:
        (folder / "texts").mkdir(parents=True, exist_ok=True)
    except OSError as error:
        problem = f"cannot be made or written ({error.strerror}). Choose another --out."
        raise ConfigError(f"{folder}: {problem}") from None

    with sole_hand(folder):
        journal = Journal(folder)
        path = folder / "journal.jsonl"
        journal.read(noted)
        if journal.lines + has_torn_line(path) < noted:
            raise lines_lost(path, journal.lines, noted)
        cut_torn_line(path)
        journal.erased = {name for name in journal.erased if not texts_path(folder, name).exists()}
        with closing(journal.files):
            yield journal


@dataclass(frozen=True)
class Held:
    """Which items a run has by now, without a hand on it."""

    items: frozenset[str]
    statuses: Mapping[str, str]

    def holds(self, item: Item, interview: Interview) -> bool:
        """Whether the run has the item by this id, with the text that was looked up."""
        return item.item_id in self.items


def held_items(folder: Path, interviews: Iterable[Interview]) -> Held:
    """Which of these items a run has, with these very texts; nothing is written or locked."""
    journal, items = Journal(folder), set[str]()
    journal.read()
    for interview in interviews:
        if known := last_interview(texts_path(folder, interview.id)):
            journal.salts[interview.id] = known[1]
            items |= {one.item_id for one in interview.items if journal.holds(one, interview)}
    return Held(frozenset(items), journal.statuses)


def read_chain(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each whole line with its content. Raises InputError where the chain is broken."""
    head = GENESIS
    for number, line in enumerate(whole_lines(path), start=1):
        try:
            entry = json.loads(line)
            previous = entry["previous"]
        except (ValueError, KeyError, TypeError):
            raise broken(path, number, "is not a line of a journal") from None
        if previous != head:
            raise broken(path, number, "does not follow from the line before it")
        if not any(isinstance(entry.get(kind), dict) for kind in KINDS):
            raise broken(path, number, "is of a kind that this version cannot read")
        head = hash_line(line)
        yield line, entry


def broken(path: Path, number: int, what: str) -> InputError:
    """The error of a journal that was changed after it was written."""
    remedy = "Somebody changed the journal. Grade anew with --fresh; the old run is kept."
    return InputError(f"{what}.", source=str(path), line=number, remedy=remedy)


def lines_lost(path: Path, lines: int, noted: int) -> InputError:
    """The error of a journal that is shorter than it was."""
    remedy = "Put the file back, or grade anew with --fresh; the old run is kept."
    return InputError(f"has {lines} lines, and once had {noted}.", source=str(path), remedy=remedy)


def hash_line(line: str) -> str:
    """SHA-256 in hex of one line without its end."""
    return hashlib.sha256(line.encode()).hexdigest()


def has_torn_line(path: Path) -> bool:
    """Whether the last line has no end."""
    return path.exists() and path.stat().st_size > 0 and not path.read_bytes().endswith(b"\n")


def cut_torn_line(path: Path) -> None:
    """Cut off a last line without an end: its writer was stopped in the middle of it."""
    if not path.exists():
        return
    with path.open("rb+") as file:
        content = file.read()
        whole = content.rfind(b"\n") + 1
        if whole < len(content):
            file.truncate(whole)
