"""Check a run's journal: is it the chain that was written, and are the words those graded."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pipeline.errors import ConfigError, InputError
from pipeline.journal import read_chain
from pipeline.manifest import read_manifest
from pipeline.texts import entries, last_interview, salted, texts_path


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


def _words_that_changed(folder: Path, chain: list[dict[str, Any]]) -> Iterator[str]:
    for interview_id in sorted({entry["outcome"]["interview_id"] for entry in chain}):
        path = texts_path(folder, interview_id)
        known = last_interview(path)
        if known is None:
            continue  # erased on purpose: the chain does not need it
        said = {entry["line"]: entry for entry in entries(path) if "line" in entry}
        for entry in chain:
            if entry["outcome"]["interview_id"] != interview_id:
                continue
            words = json.dumps(said.get(entry["line"]), ensure_ascii=False)
            if salted(words, known[1]) != entry["words_digest"]:
                yield f"{path}: the words of journal line {entry['line'] + 1} are not those graded."
