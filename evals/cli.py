"""The console script `grader`: the pipeline's commands, and those that measure agreement."""

from __future__ import annotations

from pipeline.cli import app, run_app


def main() -> None:
    """Entry point of the console script."""
    run_app(app)
