"""The file that readings are made with: the first layers of the embedded model, cut when wanted."""

from __future__ import annotations

from pathlib import Path

from pipeline.endpoint.gguf_cut import cut_layers
from pipeline.endpoint.model_file import (
    READER,
    READING_LAYERS,
    model_path,
    reader_path,
    require_model,
)


def require_reader(whole: Path | None = None) -> Path:
    """The path of a file of the right size, made anew where there is none. Raises ModelError.

    It takes some seconds and 0.9 GB of disk, once. Two processes may both make it: each puts its
    own in place at one stroke, and they are equal.
    """
    path = reader_path()
    if not path.is_file() or path.stat().st_size != READER.size:
        path.parent.mkdir(parents=True, exist_ok=True)
        cut_layers(require_model(whole or model_path()), path, READING_LAYERS)
    return require_model(path, READER)
