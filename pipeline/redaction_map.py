"""Where a run keeps which placeholder stands for what: apart from all else, for the user alone."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path

from pipeline.atomic import replace_file
from pipeline.texts import texts_path

Placeholders = Mapping[str, str]
"""By placeholder, what it stands for."""


def map_path(folder: Path, interview_id: str) -> Path:
    """The file of one interview; its name is a digest, as in texts/."""
    return folder / "redaction" / f"{texts_path(folder, interview_id).stem}.json"


def keep_map(folder: Path, interview_id: str, by_item: Mapping[str, Placeholders]) -> None:
    """Keep the placeholders of one interview by item id, beside those kept earlier."""
    path = map_path(folder, interview_id)
    path.parent.mkdir(mode=0o700, exist_ok=True)
    known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    merged = {**known, **{name: dict(placeholders) for name, placeholders in by_item.items()}}
    text = json.dumps(merged, ensure_ascii=False, indent=1) + "\n"

    def fill(draft: Path) -> None:
        draft.unlink(missing_ok=True)
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)

    replace_file(path, fill)
