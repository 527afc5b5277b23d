"""From the system's memory to the disk: every few seconds, beside the work, and at the end.

A line that was handed to the system survives the end of the process by any means. It survives a
power cut once the disk has it. Waiting for that after each line would take milliseconds of each
item; a thread that does it every few seconds takes none, and leaves so many seconds in doubt.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable
from pathlib import Path

EVERY = 5.0
"""Seconds that a line waits at most; and then as long as one writing-out takes."""
MANY = 16
"""From so many files on the system is asked to write out all that it holds, which is quicker."""


class Syncer:
    """The files that were written to and may not be on the disk yet."""

    def __init__(self) -> None:
        self._waiting: dict[Path, None] = {}
        self._failed: list[Path] = []
        self._lock = threading.Lock()
        self._ending = threading.Event()
        self._thread: threading.Thread | None = None

    def note(self, path: Path) -> None:
        """Remember that a file was written to; it is on the disk some seconds from now.

        What was noted last is written through last.
        """
        with self._lock:
            self._waiting.pop(path, None)
            self._waiting[path] = None
            if self._thread is None:
                self._thread = threading.Thread(target=self._write_now_and_then, daemon=True)
                self._thread.start()

    def finish(self) -> None:
        """Wait until all is on the disk. Raises OSError."""
        self._ending.set()
        if (thread := self._thread) is not None:
            thread.join()
        self._ending.clear()
        write_through([*self._failed, *self._waiting])
        self._failed, self._waiting = [], {}

    def _write_now_and_then(self) -> None:
        while True:
            ending = self._ending.wait(EVERY)
            with self._lock:
                if ending or not self._waiting:
                    self._thread = None
                    return
                paths, self._waiting = [*self._waiting], {}
            try:
                write_through(paths)
            except OSError:
                # Said at the end, where it is tried again: until then nothing is lost.
                self._failed += paths


def write_through(paths: Iterable[Path]) -> None:
    """Wait until these files are on the disk; one that is gone by now is passed. Raises OSError."""
    paths = list(paths)
    if len(paths) >= MANY and hasattr(os, "sync"):
        os.sync()
        return
    for path in paths:
        try:
            descriptor = os.open(path, os.O_RDWR | getattr(os, "O_BINARY", 0))
        except FileNotFoundError:
            continue
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
