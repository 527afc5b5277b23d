"""The command line: a thin shell over what a script calls, one module for each command."""

from __future__ import annotations

import typer

from pipeline.cli.doctor import doctor_command
from pipeline.cli.ending import run_app
from pipeline.cli.grade import grade_command
from pipeline.cli.model import model_app
from pipeline.cli.parse import parse_command
from pipeline.cli.rubric import rubric_app
from pipeline.erase_cli import erase_command
from pipeline.review_cli import review_app
from pipeline.show_cli import show_command

app = typer.Typer(
    help="Grade interview answers with an LLM against a written rubric.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
app.command("grade")(grade_command)
app.command("parse")(parse_command)
app.command("doctor")(doctor_command)
app.command("show")(show_command)
app.command("erase")(erase_command)
app.add_typer(review_app, name="review")
app.add_typer(rubric_app, name="rubric")
app.add_typer(model_app, name="model")

__all__ = ["app", "run_app"]
