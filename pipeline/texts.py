"""A run's texts: one file per interview with all that was said, by candidate and grader.

Deleting a file erases its candidate. The salt of the digests in the journal lies in the same
file, so that after the deletion nothing in the journal can be matched against a guess.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from pipeline.appending import append_line
from pipeline.records import CriterionGrade, Interview, Item, Outcome

SPOKEN = ("quote", "problems", "rationale")
"""Fields of a criterion that hold words: they go to texts/, never into the journal."""
Words = dict[str, Any]


def register(folder: Path, interview: Interview) -> str:
    """Write the interview to its file, unless it stands there already; the file's salt."""
    path = texts_path(folder, interview.id)
    known = last_interview(path)
    if known is not None and known[0] == interview:
        return known[1]
    salt = known[1] if known else secrets.token_hex(16)
    entry = {"salt": salt, "interview": interview.model_dump(mode="json")}
    append_line(path, json.dumps(entry, ensure_ascii=False))
    return salt


def last_interview(path: Path) -> tuple[Interview, str] | None:
    """The interview and its salt, or None where the file does not exist or holds none."""
    found = None
    for entry in entries(path):
        if "interview" in entry:
            found = (Interview.model_validate(entry["interview"]), entry["salt"])
    return found


@dataclass
class Texts:
    """All that texts/ holds."""

    interviews: dict[str, Interview] = field(default_factory=dict)
    salts: dict[str, str] = field(default_factory=dict)
    words: dict[tuple[str, int], Words] = field(default_factory=dict)
    """By interview id and journal line."""


def read_texts(folder: Path) -> Texts:
    """Read every file of texts/; of what stands twice, the last counts."""
    texts = Texts()
    for path in (folder / "texts").glob("*.jsonl"):
        current = ""
        for entry in entries(path):
            if "interview" in entry:
                interview = Interview.model_validate(entry["interview"])
                current = interview.id
                texts.interviews[current] = interview
                texts.salts[current] = entry["salt"]
            else:
                texts.words[(current, entry["line"])] = entry
    return texts


def words_of(outcome: Outcome, line: int) -> dict[str, Any]:
    """All that an outcome says in words, with the journal line it belongs to."""
    criteria = outcome.grade.criteria if outcome.grade else ()
    return {
        "line": line,
        "item_id": outcome.item_id,
        "criteria": {part.key: {name: getattr(part, name) for name in SPOKEN} for part in criteria},
        "replies": list(outcome.replies),
    }


def without_words(outcome: Outcome) -> dict[str, Any]:
    """An outcome as it stands in the journal."""
    entry = outcome.model_dump(mode="json", exclude_none=True, exclude={"replies"})
    for part in entry.get("grade", {}).get("criteria", ()):
        for name in SPOKEN:
            del part[name]
    return entry


def with_words(outcome: Outcome, words: dict[str, Any] | None) -> Outcome:
    """The outcome with its words put back."""
    if words is None:
        return outcome
    grade = outcome.grade
    if grade is not None:
        said: dict[str, dict[str, str]] = words["criteria"]
        parts = tuple(_speaking(part, said.get(part.key, {})) for part in grade.criteria)
        grade = grade.model_copy(update={"criteria": parts})
    return outcome.model_copy(update={"grade": grade, "replies": tuple(words["replies"])})


def _speaking(part: CriterionGrade, said: dict[str, str]) -> CriterionGrade:
    return part.model_copy(update=said)


@lru_cache(maxsize=1024)
def texts_path(folder: Path, interview_id: str) -> Path:
    """The file of one interview; its name is a digest, since ids may hold names and slashes."""
    name = hashlib.sha256(interview_id.encode()).hexdigest()[:24]
    return folder / "texts" / f"{name}.jsonl"


def digest_of(item: Item, salt: str) -> str:
    """Salted digest of what is graded: question, objective, answer."""
    return salted(json.dumps([item.question, item.objective, item.answer]), salt)


def salted(text: str, salt: str) -> str:
    """HMAC-SHA256 in hex."""
    return hmac.digest(salt.encode(), text.encode(), "sha256").hex()


def entries(path: Path) -> Iterator[dict[str, Any]]:
    """The whole lines of a texts file; what a crash tore is passed over."""
    for line in whole_lines(path):
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        if isinstance(entry, dict):
            yield entry


def whole_lines(path: Path) -> Iterator[str]:
    if not path.exists():
        return
    with path.open(encoding="utf-8", errors="replace", newline="\n") as file:
        for line in file:
            if line.endswith("\n"):
                yield line[:-1]
