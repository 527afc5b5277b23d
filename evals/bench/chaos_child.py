"""The grader in a process of its own, with a wall clock that jumps and short waits.

Standard input is not touched; the first argument is JSON: `jumps`, pairs of seconds since the
start and seconds by which the wall clock then moves. The monotonic clock stays as it is, as on a
machine whose time is set. Waits between attempts begin at 0.05 s, so that a round is short.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime, tzinfo
from functools import partial

INTERRUPTED = 130
FIRST_WAIT = 0.05
"""Seconds before the second attempt; the grader's own default is longer."""


def set_clock(jumps: Sequence[tuple[float, float]]) -> None:
    """Move the wall clock of this process at the given moments."""
    true_time, started = time.time, time.monotonic()

    def moved() -> float:
        since = time.monotonic() - started
        return true_time() + sum(by for at, by in jumps if since >= at)

    class Moved(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> Moved:
            return cls.fromtimestamp(moved(), tz or UTC)

    import pipeline.manifest

    time.time = moved
    vars(pipeline.manifest)["datetime"] = Moved


def main() -> None:
    """Run one command of the grader."""
    settings = json.loads(sys.argv.pop(1))
    # An interrupt while modules are read shows where Python was; that is not the grader's doing.
    signal.signal(signal.SIGINT, lambda *given: os._exit(INTERRUPTED))
    from pipeline.endpoint import remote
    from pipeline.endpoint.retry import RetryPolicy

    vars(remote)["RetryPolicy"] = partial(RetryPolicy, first_wait=FIRST_WAIT)
    if settings["jumps"]:
        set_clock(settings["jumps"])
    from pipeline.cli import app, run_app
    from pipeline.cli.grade import grade_command as read_in  # noqa: F401

    signal.signal(signal.SIGINT, signal.default_int_handler)
    run_app(app)


if __name__ == "__main__":
    main()
