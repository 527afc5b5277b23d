"""The user's secret: makes fence marks unguessable and keeps them the same from run to run."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from platformdirs import user_data_path

from pipeline.errors import ConfigError

SIZE = 32


def user_secret(folder: Path | None = None) -> bytes:
    """32 random bytes, made once per user and readable by the user alone. Raises ConfigError."""
    folder = folder or user_data_path("interview-grader")
    path = folder / "secret"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _create(path)
        secret = path.read_bytes()
    except OSError as error:
        raise ConfigError(f"{path}: the secret cannot be kept there ({error.strerror}).") from None
    if len(secret) != SIZE:
        raise ConfigError(f"{path}: is damaged. Delete it; a new one is made.")
    return secret


def _create(path: Path) -> None:
    """Write a new secret whole or not at all; whoever comes first wins."""
    if path.exists():
        return
    draft = path.with_name(f".secret-{os.getpid()}-{secrets.token_hex(4)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(secrets.token_bytes(SIZE))
    try:
        os.link(draft, path)
    except FileExistsError:
        pass
    finally:
        draft.unlink()
