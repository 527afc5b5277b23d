"""Every way out of the command line has its exit code, and users' faults no traceback."""

from __future__ import annotations

import gc
import os
import signal
import sys
import traceback
from types import FrameType

import typer

from pipeline.errors import GraderError

INTERNAL = 70
YOUNG = 50_000
"""Objects made before the collector looks: what a start imports stays, and is made at one go."""


def run_app(command: typer.Typer) -> None:
    """Run the command line; every way out has its exit code, and no traceback for users' faults."""
    gc.set_threshold(YOUNG, *gc.get_threshold()[1:])
    signal.signal(signal.SIGTERM, _interrupt)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="replace")
    try:
        command()
    except GraderError as error:
        print(f"grader: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except Exception as error:  # noqa: BLE001 - every way out has its exit code
        print(internal_error(error), file=sys.stderr)
        sys.exit(INTERNAL)


def internal_error(error: Exception) -> str:
    """Where the program failed, without the error's own message: it may quote a candidate."""
    places = "".join(traceback.format_tb(error.__traceback__))
    return (
        f"{places}grader: internal error ({type(error).__name__}). This is a fault of the program: "
        "please report the lines above. All results so far are kept; the same command goes on."
    )


def _interrupt(number: int, frame: FrameType | None) -> None:
    """End as Ctrl-C does, so that results are kept and the model's server is stopped."""
    # A shell starts what runs in its background with Ctrl-C ignored; a `kill` still means it.
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.raise_signal(signal.SIGINT)
