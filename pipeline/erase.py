"""Erase an interview from a run: its words, its salt, and every copy that was made of them.

The journal keeps ids, scores and codes, since its chain must verify; without the salt nothing in
it can be matched against a guess. Tables, report and queue are written anew without the interview.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from pipeline.cache import ReplyCache
from pipeline.errors import ConfigError
from pipeline.journal import KINDS, Journal, open_journal, read_chain
from pipeline.manifest import Manifest, now, read_manifest
from pipeline.prompt import PromptSet, opaque_id
from pipeline.redaction_map import map_path
from pipeline.report import marked, pages_about
from pipeline.results import check_rubric, sum_up
from pipeline.texts import read_texts, texts_path

LEFT_ALONE = frozenset({".lock", "journal.jsonl", "texts", "redaction"})


@dataclass(frozen=True)
class Erasure:
    """What was erased, and what was not reached."""

    interviews: tuple[str, ...]
    """Ids of the interviews."""
    cached: int
    """Entries deleted from the reply cache."""
    unreached: tuple[str, ...]
    """Places where words of the candidate may still be, in plain words."""


def erase(
    folder: Path,
    interview_ids: Sequence[str],
    *,
    prompts: PromptSet,
    cache: ReplyCache,
    secret: bytes,
) -> Erasure:
    """Erase interviews from a run; whatever was erased before stays so.

    Raises ConfigError before anything is deleted where an id is unknown or the rubric is another.
    """
    manifest = read_manifest(folder)
    if manifest is None:
        raise ConfigError(f"{folder}: not a run folder: it has no manifest.json.")
    # A journal that lost lines must not be noted as whole.
    with open_journal(folder, noted=manifest.get("journal", {}).get("lines", 0)) as journal:
        chain = [entry for _, entry in read_chain(folder / "journal.jsonl")]
        _check_known(interview_ids, _known_ids(folder, chain))
        check_rubric(folder, manifest, prompts)
        before = _stamps(folder)
        for name in interview_ids:
            _delete(folder, name, journal)
        cached = sum(cache.erase(opaque_id(name, secret)) for name in interview_ids)
        for draft in folder.glob(".*.tmp"):
            draft.unlink()
        inputs = {k: v for k, v in manifest.get("inputs", {}).items() if k not in interview_ids}
        sum_up(folder, {**manifest, "inputs": inputs}, prompts.rubric, journal)
    stale = [path for path, stamp in _stamps(folder).items() if before.get(path) == stamp]
    unreached = tuple(_unreached(folder, interview_ids, manifest, stale))
    return Erasure(tuple(interview_ids), cached, unreached)


def _delete(folder: Path, interview_id: str, journal: Journal) -> None:
    """The words first: what a crash leaves behind is at worst a missing line in the journal."""
    texts_path(folder, interview_id).unlink(missing_ok=True)
    map_path(folder, interview_id).unlink(missing_ok=True)
    for page in list(pages_about(folder, interview_id)):
        page.unlink()
    if interview_id not in journal.erased:
        journal.add_line({"erased": {"interview_id": interview_id, "when": now()}})
        journal.erased.add(interview_id)


def _known_ids(folder: Path, chain: Iterable[dict[str, Any]]) -> set[str]:
    journalled = {entry[kind]["interview_id"] for entry in chain for kind in KINDS if kind in entry}
    return journalled | set(read_texts(folder).interviews)


def _check_known(wanted: Iterable[str], known: set[str]) -> None:
    problems = []
    for name in wanted:
        if name not in known:
            near = get_close_matches(name, sorted(known), n=5, cutoff=0.5)
            problems.append(f"{name!r} ({'near: ' + ', '.join(near) if near else 'none is near'})")
    if problems:
        raise ConfigError(
            f"the run has no interview {'; '.join(problems)}. Nothing was erased. "
            "All ids are in candidates.csv."
        )


def _unreached(
    folder: Path, interview_ids: Sequence[str], manifest: Manifest, stale: Sequence[Path]
) -> Iterator[str]:
    yield (
        "journal.jsonl keeps the interview's id, scores and codes, since its chain must verify; "
        "where the id is a name, the name stays there."
    )
    for backup in sorted(folder.parent.glob(f"{folder.name}.bak-*")):
        if any(texts_path(backup, name).exists() for name in interview_ids):
            yield f"{backup}: an older run with the same interview; erase there too, or delete it."
    for path in stale:
        yield f"{path}: not written by grading; look whether it shows the candidate."
    if str(manifest.get("endpoint", "")).startswith("url"):
        yield f"the logs of the endpoint that graded ({manifest['endpoint']})."
    yield "the source files: grading them again brings the interview back."
    yield "copies, exports, eval and compare outputs elsewhere, other users' caches, disk backups."


def _stamps(folder: Path) -> dict[Path, tuple[int, int]]:
    """What changes when a file outside texts/ is written anew."""
    stamps = {}
    for path in sorted(folder.rglob("*")):
        inner = path.relative_to(folder).parts
        if path.is_file() and not {inner[0], inner[-1]} & LEFT_ALONE and not marked(path):
            stamps[path] = (path.stat().st_ino, path.stat().st_mtime_ns)
    return stamps


def erasure_text(erasure: Erasure) -> str:
    """The erasure in words."""
    names = ", ".join(erasure.interviews)
    lines = [
        f"Erased: {names}. {erasure.cached} replies deleted from the cache; tables, report and "
        "review queue are written anew.",
        "Not reached:",
        *(f"- {place}" for place in erasure.unreached),
    ]
    return "\n".join(lines)
