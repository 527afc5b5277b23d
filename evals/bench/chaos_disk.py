"""A disk that fills up: a small file system of its own where that is allowed, else a limit.

Mounting needs root. The limit (Linux) is on the size of each file of one process: it stops
writing in the same way, in the middle of a line as well, with another error number.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

ROOMY = 64 << 20
"""Bytes that a round never needs."""


@dataclass
class Disk:
    """The folder of one round."""

    folder: Path
    mounted: bool

    def fill(self, pid: int, room: int) -> None:
        """Leave `room` bytes: to all, or to each file of one process beyond the longest so far."""
        if self.mounted:
            # What was written since the look at it may be more than the new size: then once more.
            while not self._resized(used(self.folder) + room):
                pass
            return
        import resource

        longest = max((p.stat().st_size for p in self.folder.rglob("*") if p.is_file()), default=0)
        limit = longest + room
        with suppress(ProcessLookupError):  # it may have ended by now
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (limit, limit))

    def free(self) -> None:
        """Give room again; a limit goes with its process."""
        if self.mounted and not self._resized(ROOMY):
            raise OSError(f"{self.folder}: cannot be given its room again")

    def _resized(self, size: int) -> bool:
        options = f"remount,size={max(size, 4_096)}"
        command = ["mount", "-o", options, str(self.folder)]
        return subprocess.run(command, check=False, capture_output=True).returncode == 0


def used(folder: Path) -> int:
    """Bytes in use on the file system of a folder."""
    stat = os.statvfs(folder)
    return (stat.f_blocks - stat.f_bfree) * stat.f_frsize


@contextmanager
def disk_at(folder: Path, *, mount: bool) -> Iterator[Disk]:
    """A disk at an empty folder; mounted if asked for and allowed."""
    command = ["mount", "-t", "tmpfs", "-o", f"size={ROOMY}", "tmpfs", str(folder)]
    allowed = mount and sys.platform == "linux" and os.geteuid() == 0
    mounted = allowed and subprocess.run(command, check=False, capture_output=True).returncode == 0
    try:
        yield Disk(folder, mounted)
    finally:
        if mounted:
            subprocess.run(["umount", "-l", str(folder)], check=True, capture_output=True)
