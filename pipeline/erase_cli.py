"""The command `grader erase`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pipeline.cache import default_path, open_cache
from pipeline.config import prompt_set_folder
from pipeline.erase import erase, erasure_text
from pipeline.prompt import load_prompts
from pipeline.secret import user_secret
from pipeline.verify import verify


def erase_command(
    run: Annotated[Path, typer.Argument(help="Run folder.")],
    interviews: Annotated[list[str], typer.Argument(help="Ids of interviews, as in the tables.")],
    prompts: Annotated[
        Path | None,
        typer.Option("--prompts", help="Prompt set of the run.", show_default="interview"),
    ] = None,
) -> None:
    """Delete all words of interviews from a run and the reply cache, and write its outputs anew."""
    prompt_set = load_prompts(prompts or prompt_set_folder())
    with open_cache(default_path()) as cache:
        erasure = erase(run, interviews, prompts=prompt_set, cache=cache, secret=user_secret())
    typer.echo(erasure_text(erasure))
    faults, lines = verify(run)
    for fault in faults:
        typer.echo(fault)
    if faults:
        raise typer.Exit(1)
    typer.echo(f"{run}: {lines} journal lines, the chain is whole.")
