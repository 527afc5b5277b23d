"""Another model file than the published one: what it is, told from the file itself."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from pipeline.endpoint.gguf import read_header
from pipeline.endpoint.model_file import EMBEDDED, LocalModel, check_digest
from pipeline.errors import ModelError

SAMPLES, SAMPLE = 256, 16 << 10
"""Pieces of the file, and their bytes, that tell it from others; the whole would take seconds."""
NOT_GIVEN = (
    "Give the path of a GGUF file, or leave --model-file out: `grader model pull` fetches the "
    "model that comes with this program."
)


def describe(path: Path) -> LocalModel:
    """The model in a file that a user names. Raises ModelError."""
    if not path.is_file():
        what = "is a folder" if path.is_dir() else "there is no such file"
        raise ModelError(f"--model-file {path}: {what}. {NOT_GIVEN}")
    header, size = read_header(path), path.stat().st_size
    if header.number("context_length") < 1 or header.number("block_count") < 1:
        raise ModelError(f"--model-file {path}: holds no language model. {NOT_GIVEN}")
    if header.count("split.count", 1) > 1:
        raise ModelError(f"--model-file {path}: is one of several parts. Merge them first.")
    if size == EMBEDDED.size and _is_published(path):
        return EMBEDDED
    return LocalModel(
        name=f"{path.stem} {short_digest(path)}",
        size=size,
        kv_bytes_per_token=header.kv_bytes_per_token,
        context_tokens=header.number("context_length"),
    )


def short_digest(path: Path) -> str:
    """Eight hex digits over the file's size, its beginning and pieces all through it."""
    size = path.stat().st_size
    digest = hashlib.sha256(str(size).encode())
    with path.open("rb") as file:
        for number in range(SAMPLES):
            file.seek(size * number // SAMPLES, os.SEEK_SET)
            digest.update(file.read(SAMPLE))
    return digest.hexdigest()[:8]


def _is_published(path: Path) -> bool:
    try:
        check_digest(path, EMBEDDED, lambda done, total, what: None)
    except ModelError:
        return False
    return True
