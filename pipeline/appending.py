"""Add lines to files that stay open: a line reaches the operating system before the call returns.

A line that a crash or a full disk tore is closed before the next one, so that no line is ever
joined to a torn one.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from pathlib import Path

from pipeline.errors import StopRun

FLAGS = os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0)
MOST_OPEN = 128
"""Files kept open; the one that was not used for longest is closed first."""


def append_line(path: Path, line: str) -> None:
    """Add one line to a file that is not kept open. Raises StopRun where it cannot be written."""
    lines = Lines()
    try:
        lines.append(path, line)
    finally:
        lines.close()


class Lines:
    """Files open for appending."""

    def __init__(self) -> None:
        self._open: OrderedDict[Path, int] = OrderedDict()

    def append(self, path: Path, line: str) -> None:
        """Add one line, or nothing. Raises StopRun where it cannot be written."""
        content = line.encode() + b"\n"
        try:
            _write(self._descriptor(path), content)
        except OSError as error:
            self._close(path)
            raise StopRun(
                f"{path}: cannot be written ({error.strerror}). All before it is kept."
            ) from None

    def close(self) -> None:
        """Close all files."""
        for path in [*self._open]:
            self._close(path)

    def _descriptor(self, path: Path) -> int:
        if path in self._open:
            self._open.move_to_end(path)
            return self._open[path]
        while len(self._open) >= MOST_OPEN:
            self._close(next(iter(self._open)))
        self._open[path] = descriptor = os.open(path, FLAGS, 0o666)
        size = os.fstat(descriptor).st_size
        if size and _last_byte(descriptor, size) != b"\n":
            _write(descriptor, b"\n")
        return descriptor

    def _close(self, path: Path) -> None:
        if (descriptor := self._open.pop(path, None)) is not None:
            os.close(descriptor)


def _last_byte(descriptor: int, size: int) -> bytes:
    os.lseek(descriptor, size - 1, os.SEEK_SET)
    return os.read(descriptor, 1)


def _write(descriptor: int, content: bytes) -> None:
    """All of it, or an OSError: a full disk takes a part first, which is taken back."""
    written = 0
    try:
        while written < len(content):
            written += os.write(descriptor, content[written:])
    except OSError:
        if written:
            os.ftruncate(descriptor, os.fstat(descriptor).st_size - written)
        raise
