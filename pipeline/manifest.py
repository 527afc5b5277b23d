"""The manifest of a run: what it was made with, and what came of it."""

from __future__ import annotations

import hashlib
import json
import platform
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from pipeline.atomic import replace_file
from pipeline.errors import ConfigError
from pipeline.records import Interview, Outcome

NAME = "manifest.json"
MUST_MATCH = (
    "prompt_version",
    "endpoint",
    "model",
    "score_mode",
    "parameters",
    "redaction",
    "weights",
)
"""What has to be the same for a run to be continued."""
BEFORE = {"redaction": "off", "weights": "type"}
"""What held in runs whose manifest does not say."""
TOKENS = ("input_tokens", "output_tokens", "cached_tokens")
Manifest = dict[str, Any]


def start_manifest(
    *,
    prompt_version: str,
    endpoint: str,
    model: str,
    score_mode: str,
    parameters: dict[str, Any],
    redaction: str = "off",
    weights: str = "type",
    reader: str = "",
) -> Manifest:
    """The part that is known before the first call; a `reader` that is not the model is named."""
    return {
        "format": 1,
        "started": now(),
        "prompt_version": prompt_version,
        "endpoint": endpoint,
        "model": model,
        **({"reader": reader} if reader else {}),
        "score_mode": score_mode,
        "parameters": parameters,
        "redaction": redaction,
        "weights": weights,
        "versions": {
            "interview-grader": version("interview-grader"),
            "openai": version("openai"),
            "pydantic": version("pydantic"),
            "python": platform.python_version(),
        },
    }


def read_manifest(folder: Path) -> Manifest | None:
    """The manifest of a run folder, or None where there is none yet."""
    path = folder / NAME
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except NotADirectoryError:
        raise ConfigError(f"{folder}: no folder can be made there: a file is in the way.") from None
    except (OSError, ValueError):
        raise ConfigError(f"{path}: cannot be read. Use --fresh; the old run is kept.") from None
    if not isinstance(manifest, dict):
        raise ConfigError(f"{path}: is no manifest. Use --fresh; the old run is kept.")
    return manifest


def is_unused(folder: Path) -> bool:
    """Whether a folder may become a run: it holds nothing of anybody else's.

    A process that was killed before it wrote a manifest leaves an empty texts/ and a lock.
    """
    begun = {".lock", "texts", f".{NAME}.tmp"}
    return not folder.is_dir() or all(
        path.name in begun and not (path.is_dir() and any(path.iterdir()))
        for path in folder.iterdir()
    )


def check_same(old: Mapping[str, Any], new: Mapping[str, Any], folder: Path) -> None:
    """Raise ConfigError naming every difference that forbids going on with a run."""
    known = {**BEFORE, **old}
    differences = [
        f"{name} was {known.get(name)!r} and is now {new.get(name)!r}"
        for name in MUST_MATCH
        if known.get(name) != json.loads(json.dumps(new.get(name)))
    ]
    if differences:
        raise ConfigError(
            f"{folder}: this run was made in another way: {'; '.join(differences)}. "
            "Choose another --out, or --fresh to keep the old run as a backup and start anew."
        )


@dataclass
class Totals:
    """What came of a run, taken in one interview after the other. Counts are over all items."""

    status: Counter[str] = field(default_factory=Counter)
    models: set[str] = field(default_factory=set)
    tokens: Counter[str] = field(default_factory=Counter)
    requests: int = 0
    called: Counter[str] = field(default_factory=Counter)
    """Items that calls were made for, not answered by the reply cache, and their tokens."""

    def add(self, interview: Interview, outcomes: Mapping[str, Outcome]) -> None:
        """Take in one interview; an item without an outcome was not run."""
        for item in interview.items:
            outcome = outcomes.get(item.item_id)
            self.status[outcome.status if outcome else "not_run"] += 1
            if outcome is None:
                continue
            self.requests += outcome.attempts
            used = {name: getattr(outcome.usage, name) or 0 for name in TOKENS}
            self.tokens.update(used)
            if outcome.attempts and not outcome.cached:
                self.called.update({"items": 1, **used})
            if outcome.model:
                self.models.add(outcome.model)


def finish_manifest(
    manifest: Manifest, totals: Totals, *, wall_seconds: float, journal: Mapping[str, Any]
) -> Manifest:
    """The manifest with what came of the run."""
    return {
        **manifest,
        "finished": now(),
        "wall_seconds": round(manifest.get("wall_seconds", 0) + wall_seconds, 3),
        "items": totals.status.total(),
        "status": dict(sorted(totals.status.items())),
        "models_answered": sorted(totals.models),
        "tokens": {name: totals.tokens[name] for name in TOKENS},
        "requests": totals.requests,
        "called": {name: totals.called[name] for name in ("items", *TOKENS)},
        "journal": dict(journal),
    }


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Replace the manifest in one step."""
    text = json.dumps(manifest, ensure_ascii=False, indent=2) + "\n"

    def fill(path: Path) -> None:
        path.write_text(text, encoding="utf-8")

    replace_file(folder / NAME, fill)


def hash_inputs(interviews: Iterable[Interview]) -> dict[str, str]:
    """SHA-256 over questions, objectives and answers of each interview, by interview id."""
    return {interview.id: _hash_items(interview) for interview in interviews}


def _hash_items(interview: Interview) -> str:
    said = [[item.question, item.objective, item.answer] for item in interview.items]
    return hashlib.sha256(json.dumps(said).encode()).hexdigest()


def check_renamed(
    old: Mapping[str, str], new: Mapping[str, str], spoken: Collection[str], folder: Path
) -> None:
    """Raise ConfigError where an interview of the run comes back under another id.

    It would stand in the tables twice. Ids change when a file is renamed, or when another file
    of the same name is added and both are told apart by their folders. Only interviews with an
    answer, `spoken`, can be told by their items.
    """
    gone = {content: name for name, content in old.items() if name not in new}
    for name, content in new.items():
        if name in spoken and name not in old and content in gone:
            raise ConfigError(
                f"{folder}: interview {name!r} has the very items of {gone[content]!r}, which is "
                "in this run already and not among the inputs now. Was it renamed? Give it its "
                "old name, or use --fresh to grade all inputs anew; the old run is kept."
            )


def now() -> str:
    """The time in UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")
