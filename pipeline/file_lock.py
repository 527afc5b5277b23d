"""A lock between processes that vanishes with its holder, also after kill -9."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

if sys.platform == "win32":
    import msvcrt

    def _try_lock(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _try_lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


@contextmanager
def file_lock(path: Path, on_wait: Callable[[], None], every: float = 0.5) -> Iterator[None]:
    """Hold the lock file; while another process has it, call `on_wait` and try again."""
    with path.open("ab") as file:
        while True:
            try:
                _try_lock(file.fileno())
                break
            except OSError:
                on_wait()
                time.sleep(every)
        yield
