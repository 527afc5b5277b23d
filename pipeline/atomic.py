"""Replace a file in one step, so that a crash leaves the old one whole."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path


def replace_file(path: Path, write: Callable[[Path], None]) -> None:
    """Let `write` fill a temporary neighbour of `path`, then put it in the place of `path`."""
    with replacing(path) as draft:
        write(draft)


def replace_text(path: Path, text: str) -> None:
    """Put a file of this text, UTF-8 with its line ends as they stand, in the place of `path`."""
    with replacing(path) as draft:
        draft.write_text(text, encoding="utf-8", newline="\n")


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A temporary neighbour of `path`, which takes its place if the block ends well."""
    # A fixed name: what a killed run leaves behind is overwritten by the next, not collected.
    draft = path.with_name(f".{path.name}.tmp")
    try:
        yield draft
        _flush_to_disk(draft)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def _flush_to_disk(path: Path) -> None:
    """Wait until the bytes are on the disk, so that the rename cannot overtake them."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())
