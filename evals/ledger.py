"""The ledger of looks at test labels: every look makes the next one worth less.

One JSON line per look, appended and never rewritten. Of twenty prompts that are equally good the
best one looks better by luck, so the count per rubric version matters.
"""

from __future__ import annotations

import hashlib
import json
import os
from datetime import UTC, datetime
from pathlib import Path

from pipeline.errors import ConfigError
from pipeline.records import Rubric

MAX_LOOKS = 5
"""After so many looks under one version of the rubric the test split is worn out."""


def rubric_version(rubric: Rubric) -> str:
    """Name and 8 hex digits of what the rubric says; prompts may change without changing it."""
    digest = hashlib.sha256(rubric.model_dump_json().encode()).hexdigest()
    return f"{rubric.name}-{digest[:8]}"


def count_looks(path: Path, rubric: str) -> int:
    """Looks so far under this version of the rubric. Raises ConfigError for a damaged ledger."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return 0
    except (OSError, UnicodeDecodeError):
        raise ConfigError(f"{path}: the ledger cannot be read.") from None
    looks = 0
    for number, line in enumerate(lines, start=1):
        try:
            looks += json.loads(line)["rubric"] == rubric
        except (ValueError, KeyError, TypeError):
            raise ConfigError(f"{path}, line {number}: is no line of a ledger.") from None
    return looks


def record_look(
    path: Path, *, rubric: str, prompt_version: str, metric: str, result: float | None, n: int
) -> int:
    """Append one look and return the count with it. Raises ConfigError where it cannot be kept."""
    count = count_looks(path, rubric) + 1
    entry = {
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "rubric": rubric,
        "prompt_version": prompt_version,
        "metric": metric,
        "result": result,
        "n": n,
        "count": count,
    }
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry, ensure_ascii=False) + "\n")
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise ConfigError(
            f"{path}: the look at test labels cannot be recorded ({error.strerror}), so no result "
            "is shown."
        ) from None
    return count


def look_warning(count: int, rubric: str) -> str | None:
    """What to say once the test split has been looked at too often."""
    if count <= MAX_LOOKS:
        return None
    return (
        f"this is look {count} at the test labels under {rubric}; after {MAX_LOOKS} their figure "
        "is no longer independent. Label new interviews and put them into test."
    )
