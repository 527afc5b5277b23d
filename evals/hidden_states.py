"""The states of labelled answers, read once by the model and kept in a file of digests."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from evals.metrics.arrays import Floats
from pipeline.endpoint.base import Endpoint
from pipeline.errors import ConfigError
from pipeline.records import Complete, Messages, Reading
from pipeline.vectors import pack, unpack

CONTEXT = 1_024
"""Tokens of a reading at most."""


def states_of(
    readings: Sequence[Reading],
    endpoint: Endpoint,
    kept: Path,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> Floats:
    """readings x parts. What `kept` holds is not read again; the rest is added to it one by one.

    Raises ConfigError where the endpoint cannot read.
    """
    if not endpoint.info.reads:
        raise ConfigError(
            "this needs a model whose states can be seen: leave key and base URL unset, so that "
            "the embedded model reads."
        )
    keys = [key_of(endpoint.info.read_by, reading) for reading in readings]
    _check_place(kept)
    known = read_kept(kept)
    todo = {key: one for key, one in zip(keys, readings, strict=True) if key not in known}
    if todo:
        asyncio.run(_read_all(todo, endpoint, kept, known, on_progress))
    return np.array([known[key] for key in keys])


def _check_place(kept: Path) -> None:
    try:
        kept.parent.mkdir(parents=True, exist_ok=True)
        with kept.open("a", encoding="utf-8"):
            pass
        kept.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "not text"
        raise ConfigError(
            f"{kept}: states cannot be kept there ({why}). Name a file with --states."
        ) from None


def key_of(model: str, reading: Reading) -> str:
    """SHA-256 over what shapes a state."""
    text = json.dumps([model, reading.before, reading.answer], ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def read_kept(path: Path) -> dict[str, tuple[float, ...]]:
    """States by digest; a torn last line is left out."""
    known = {}
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    for line in lines:
        try:
            entry = json.loads(line)
            known[entry["key"]] = unpack(entry["state"])
        except (ValueError, KeyError, TypeError):
            continue
    return known


async def _read_all(
    todo: dict[str, Reading],
    endpoint: Endpoint,
    kept: Path,
    known: dict[str, tuple[float, ...]],
    on_progress: Callable[[int, int], None],
) -> None:
    done = 0
    async with endpoint.session(CONTEXT) as complete:

        async def one(key: str, reading: Reading) -> None:
            nonlocal done
            known[key] = await _state(complete, reading)
            with kept.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"key": key, "state": pack(known[key])}) + "\n")
            done += 1
            on_progress(done, len(todo))

        async with asyncio.TaskGroup() as group:
            for key, reading in todo.items():
                group.create_task(one(key, reading))


async def _state(complete: Complete, reading: Reading) -> tuple[float, ...]:
    return (await complete(Messages(turns=(), reading=reading))).state
