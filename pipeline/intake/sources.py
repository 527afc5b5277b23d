"""Paths to sources: files, folders walked in sorted order, zips read in place, standard input."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from pipeline.errors import InputError
from pipeline.intake.archive import members
from pipeline.intake.draft import Source

STDIN = "-"
MAX_WHOLE = 64 * 1024 * 1024
"""Largest file that is read as a whole; streamed tables have no such bound."""


def expand(paths: Iterable[str | Path]) -> Iterator[Source | InputError]:
    """The sources behind `paths` in their order, an error in place of each that is none."""
    seen: set[Path] = set()
    for path in paths:
        if str(path) == STDIN:
            yield _standard_input()
            continue
        for found in _files(Path(path)):
            if isinstance(found, InputError):
                yield found
            elif found.resolve() not in seen:
                seen.add(found.resolve())
                yield from _sources(found)


def read_whole(source: Source) -> bytes:
    """All bytes of a source; InputError where it is empty, too large or cannot be opened."""
    try:
        with source.open() as stream:
            data = stream.read(MAX_WHOLE + 1)
    except OSError as fault:
        raise unopened(source.name, fault) from None
    if len(data) > MAX_WHOLE:
        raise InputError(
            f"is larger than {MAX_WHOLE // 1024**2} MB, the most that is read as a whole.",
            source=source.name,
            remedy="Split it, or give it as JSON lines or CSV, which are streamed.",
        )
    if not data:
        raise InputError("is empty.", source=source.name, remedy="Remove it, or export it again.")
    return data


def unopened(name: str, fault: OSError) -> InputError:
    """What to say of a file that the system does not let us read."""
    reason = fault.strerror or type(fault).__name__
    return InputError(f"cannot be opened ({reason}).", source=name, remedy="Check path and rights.")


def _files(path: Path) -> Iterator[Path | InputError]:
    if path.is_file():
        yield path
    elif path.is_dir():
        found = False
        for file in sorted(path.rglob("*")):
            if file.is_file() and not _hidden(file.relative_to(path)):
                found = True
                yield file
        if not found:
            yield InputError(
                "is a folder without files.", source=str(path), remedy="Name another folder."
            )
    elif path.exists():
        yield InputError("is neither a file nor a folder.", source=str(path))
    else:
        yield InputError("does not exist.", source=str(path), remedy="Check the path.")


def _hidden(inside: Path) -> bool:
    """Dot files, and the lock and system files that offices and desktops leave behind."""
    return any(part.startswith((".", "~$", "__MACOSX")) for part in inside.parts) or (
        inside.name in {"Thumbs.db", "desktop.ini"}
    )


def _sources(file: Path) -> Iterator[Source | InputError]:
    if file.suffix.lower() == ".zip":
        yield from members(file)
        return
    yield Source(
        name=str(file),
        parts=(*file.resolve().parent.parts[1:], file.stem),
        suffix=file.suffix.lower(),
        open=lambda: file.open("rb"),
    )


def _standard_input() -> Source:
    def stream() -> BinaryIO:
        return io.BytesIO(sys.stdin.buffer.read(MAX_WHOLE + 1))

    return Source(name="standard input", parts=("stdin",), suffix="", open=stream)
