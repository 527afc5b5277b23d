"""The commands `grader review sheet` and `grader review apply`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pipeline.config import prompt_set_folder
from pipeline.prompt import load_prompts
from pipeline.results import check_rubric, read_results, write_review_sheet
from pipeline.review_apply import apply_sheet

review_app = typer.Typer(help="What people decide about grades.", no_args_is_help=True)
RunFolder = Annotated[Path, typer.Argument(help="Run folder.")]
Prompts = Annotated[
    Path | None,
    typer.Option("--prompts", help="Prompt set of the run.", show_default="interview"),
]


@review_app.command("sheet")
def review_sheet_command(
    run: RunFolder,
    blind: Annotated[
        bool,
        typer.Option("--blind", help="Questions and answers only: decide before you see a score."),
    ] = False,
    prompts: Prompts = None,
) -> None:
    """Write the review sheet of a run again; what was filled in there stays."""
    prompt_set = load_prompts(prompts or prompt_set_folder())
    results = read_results(run, prompt_set.rubric)
    check_rubric(run, dict(results.manifest), prompt_set)
    typer.echo(f"Sheet: {write_review_sheet(results, results.rubric, blind=blind)}")


@review_app.command("apply")
def review_apply_command(
    run: RunFolder,
    sheet: Annotated[Path, typer.Argument(help="The sheet with decisions filled in.")],
    prompts: Prompts = None,
) -> None:
    """Take decisions into the run's journal. The grader's own grades stay as they are."""
    applied = apply_sheet(run, sheet, load_prompts(prompts or prompt_set_folder()))
    typer.echo(
        f"Decisions: {applied.changed} changed the overall, {applied.confirmed} confirmed it; "
        f"taken in before: {applied.known}. Tables, report and queue are written anew."
    )
