"""Check a run's journal: is it the chain that was written, and are the words those graded."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pipeline.errors import ConfigError, InputError
from pipeline.journal import KINDS, read_chain
from pipeline.manifest import read_manifest
from pipeline.records import Interview
from pipeline.texts import digest_of, entries, last_interview, salted, texts_path
from pipeline.visible import on_one_line

SHOWN = 5
"""Interviews that are named."""


def verify(folder: Path) -> tuple[list[str], int]:
    """The faults found, in words, and the number of whole lines. Raises ConfigError: no run."""
    manifest = read_manifest(folder)
    if manifest is None:
        raise ConfigError(f"{folder}: not a run folder: it has no manifest.json.")
    try:
        chain = [entry for _, entry in read_chain(folder / "journal.jsonl")]
    except InputError as error:
        return [str(error)], 0
    faults = list(_words_that_changed(folder, chain))
    noted = manifest.get("journal", {}).get("lines", 0)
    if len(chain) < noted:
        faults.append(f"{folder}: the journal has {len(chain)} lines, and once had {noted}.")
    return faults, len(chain)


def words_gone(folder: Path) -> str:
    """Which interviews of the journal have no words left, in a sentence; "" where all have.

    That is no fault: whoever deletes a file of texts/ erases its candidate. A disk may lose one.
    """
    chain = [entry for _, entry in read_chain(folder / "journal.jsonl")]
    gone = {
        name: len(spoken)
        for name, spoken in _spoken_by_interview(chain).items()
        if last_interview(texts_path(folder, name)) is None
    }
    if not gone:
        return ""
    named = ", ".join(on_one_line(name, 40) for name in [*gone][:SHOWN])
    more = f" and {len(gone) - SHOWN} more" if len(gone) > SHOWN else ""
    return (
        f"{folder}: texts/ has no words of {named}{more} ({sum(gone.values())} journal lines): "
        "deleted by hand, or lost. Grading these inputs again into this run grades them anew."
    )


def _words_that_changed(folder: Path, chain: list[dict[str, Any]]) -> Iterator[str]:
    for interview_id, spoken in _spoken_by_interview(chain).items():
        path = texts_path(folder, interview_id)
        known = last_interview(path)
        if known is None:
            continue  # deleted by hand: the chain does not need it
        said = {entry["line"]: entry for entry in entries(path) if "line" in entry}
        asked = _digests_of_answers(path, known[1])
        for entry in spoken:
            if "answer_digest" in entry and entry["answer_digest"] not in asked:
                yield f"{path}: the answer of journal line {entry['line'] + 1} is not that graded."
            if entry["line"] not in said:
                yield f"{path}: the words of journal line {entry['line'] + 1} are missing."
                continue
            words = json.dumps(said[entry["line"]], ensure_ascii=False)
            if salted(words, known[1]) != entry["words_digest"]:
                yield f"{path}: the words of journal line {entry['line'] + 1} are not those graded."


def _digests_of_answers(path: Path, salt: str) -> list[str]:
    """Salted digests of every item that stands or stood in a texts file, last version or not."""
    versions = [Interview.model_validate(e["interview"]) for e in entries(path) if "interview" in e]
    return [digest_of(item, salt) for version in versions for item in version.items]


def _spoken_by_interview(chain: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """By interview id, the lines whose words must be in texts/: those since its last erasure."""
    spoken: dict[str, list[dict[str, Any]]] = {}
    for entry in chain:
        [about] = [entry[kind] for kind in KINDS if kind in entry]
        if "erased" in entry:
            spoken.pop(about["interview_id"], None)
        else:
            spoken.setdefault(about["interview_id"], []).append(entry)
    return dict(sorted(spoken.items()))
