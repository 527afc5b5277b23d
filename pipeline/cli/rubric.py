"""`grader rubric`: the rubric of a prompt set."""

from __future__ import annotations

import typer

from pipeline.cli.options import Prompts
from pipeline.config import prompt_set_folder
from pipeline.prompt import load_prompts

rubric_app = typer.Typer(help="The rubric of a prompt set.", no_args_is_help=True)


@rubric_app.command("check")
def rubric_check(prompts: Prompts = None) -> None:
    """Say what is doubtful about a rubric; exit code 1 where there is anything."""
    from pipeline.points_check import doubts_about_points
    from pipeline.rubric_check import doubts_about

    folder = prompts or prompt_set_folder()
    checked = load_prompts(folder)
    entries = {entry.id: entry for entry in checked.points.values()}.values()
    doubts = [*doubts_about(checked.rubric), *doubts_about_points(entries)]
    for doubt in doubts:
        print(doubt)
    print(
        f"{folder}: {len(checked.rubric.criteria)} criteria, key points for {len(entries)} "
        f"questions, {len(doubts)} doubts."
    )
    if doubts:
        raise typer.Exit(1)
