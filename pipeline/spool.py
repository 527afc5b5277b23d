"""Interviews kept on disk for one run, so that memory does not grow with their number."""

from __future__ import annotations

import pickle
import weakref
from array import array
from collections.abc import Iterable, Iterator
from tempfile import TemporaryFile

from pipeline.records import Interview


class Spool:
    """Interviews in a file without a name, which can be gone through again and again."""

    def __init__(self, interviews: Iterable[Interview]) -> None:
        self._file = TemporaryFile()  # noqa: SIM115  (open as long as the spool is)
        weakref.finalize(self, self._file.close)
        self._ends = array("Q", [0])
        for interview in interviews:
            self._file.write(pickle.dumps(interview, pickle.HIGHEST_PROTOCOL))
            self._ends.append(self._file.tell())

    def __len__(self) -> int:
        return len(self._ends) - 1

    def __iter__(self) -> Iterator[Interview]:
        for place in range(len(self)):
            # Several may go through at once: nobody relies on where the file stands.
            self._file.seek(self._ends[place])
            content = self._file.read(self._ends[place + 1] - self._ends[place])
            yield pickle.loads(content)


def held(interviews: Iterable[Interview]) -> tuple[Interview, ...] | Spool:
    """What can be gone through again: a list as it is, a stream by way of the disk."""
    if isinstance(interviews, Spool):
        return interviews
    if isinstance(interviews, list | tuple):
        return tuple(interviews)
    return Spool(interviews)
