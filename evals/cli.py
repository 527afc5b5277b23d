"""The console script `grader`: the pipeline's commands, and those that measure agreement."""

from __future__ import annotations

from pipeline.cli import COMMANDS, HELP, run_app
from pipeline.cli.lazy import lazy_app

MEASURING = {
    "eval": "evals.eval_cli:eval_command",
    "compare": "evals.compare_cli:compare_command",
    "calibrate": "evals.calibrate_cli:calibrate_command",
    "fit": "evals.fit_cli:fit_command",
    "fit-public": "evals.public_cli:fit_public_command",
    "probe": "evals.probe_cli:probe_command",
    "bench": "evals.bench.bench_cli:bench_command",
    "label": "evals.label_cli:label_app",
}
"""Where each command is written."""

app = lazy_app({**COMMANDS, **MEASURING}, HELP)


def main() -> None:
    """Entry point of the console script."""
    run_app(app)
