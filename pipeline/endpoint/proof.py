"""A model file's digest, proved once: a stamp beside the file says which bytes were proved.

A start has no second to spare for reading a gigabyte, and a size alone says nothing of the bytes.
"""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

from pipeline.atomic import replace_text
from pipeline.endpoint.model_file import LocalModel, check_digest, require_model, stamp_path
from pipeline.errors import ModelError


def require_proved(path: Path, model: LocalModel) -> Path:
    """The path of a file whose digest is the model's. Raises ModelError."""
    if not is_proved(require_model(path, model), model):
        raise ModelError(
            f"the model at {path} is damaged: its bytes are not those that were published. "
            "Run `grader model pull` to get it again."
        )
    return path


def is_proved(path: Path, model: LocalModel) -> bool:
    """Whether a file has the model's digest; read through where no stamp of it fits.

    Bytes that change without a new time of change, as on a failing disk, go unseen.
    """
    try:
        stamp = _stamp_of(path, model)
        if _stamped(path) == stamp:
            return True
        check_digest(path, model, lambda done, total, what: None)
        # Changed while it was read: what was proved is not what lies there.
        if _stamp_of(path, model) != stamp:
            return False
    except (OSError, ModelError):
        return False
    # Without a stamp, as in a folder that cannot be written, the next start reads it again.
    with suppress(OSError):
        replace_text(stamp_path(path), json.dumps(stamp) + "\n")
    return True


def _stamp_of(path: Path, model: LocalModel) -> dict[str, int | str]:
    seen = path.stat()
    return {
        "sha256": model.sha256,
        "size": seen.st_size,
        "mtime_ns": seen.st_mtime_ns,
        "inode": seen.st_ino,
    }


def _stamped(path: Path) -> object:
    try:
        return json.loads(stamp_path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
