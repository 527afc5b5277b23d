"""The file that readings are made with: the first layers of the embedded model, cut when wanted."""

from __future__ import annotations

from pathlib import Path

from pipeline.endpoint.gguf_cut import cut_layers
from pipeline.endpoint.model_file import (
    READER,
    READING_LAYERS,
    LocalModel,
    lock_path,
    model_path,
    reader_path,
    require_model,
)
from pipeline.endpoint.proof import is_proved
from pipeline.errors import ModelError
from pipeline.file_lock import file_lock


def require_reader(whole: Path | None = None) -> Path:
    """The path of the file, made anew where it is missing or damaged. Raises ModelError.

    It takes some seconds and 0.9 GB of disk, once.
    """
    path = reader_path()
    if not is_proved(path, READER):
        make_reader(require_model(whole or model_path()), path, READER, READING_LAYERS)
    return path


def make_reader(whole: Path, path: Path, model: LocalModel, layers: int) -> None:
    """Cut the first layers and prove them; of two at a time, the second takes the first's."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with file_lock(lock_path(path), lambda: None):
            if is_proved(path, model):
                return
            cut_layers(whole, path, layers)
            if not is_proved(path, model):
                path.unlink()
                raise ModelError(
                    f"the first layers of {whole} are not what they should be, so it is damaged, "
                    "or the disk is. Run `grader model pull`: it proves the file."
                )
    except OSError as error:
        raise ModelError(f"{path}: cannot be written ({error.strerror}).") from None
