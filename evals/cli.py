"""The console script `grader`: the pipeline's commands, and those that measure agreement."""

from __future__ import annotations

from evals.bench.bench_cli import bench_command
from evals.calibrate_cli import calibrate_command
from evals.compare_cli import compare_command
from evals.eval_cli import eval_command
from evals.fit_cli import fit_command
from evals.label_cli import label_app
from evals.label_files_cli import agreement_command, from_public
from evals.probe_cli import probe_command
from pipeline.cli import app, run_app

app.command("eval")(eval_command)
app.command("compare")(compare_command)
app.command("calibrate")(calibrate_command)
app.command("fit")(fit_command)
app.command("probe")(probe_command)
app.command("bench")(bench_command)
label_app.command("agreement")(agreement_command)
label_app.command("from-public")(from_public)
app.add_typer(label_app, name="label")


def main() -> None:
    """Entry point of the console script."""
    run_app(app)
