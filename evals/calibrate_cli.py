"""`grader calibrate`: bend a grader's scores towards the labels, and say what that is worth."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from pipeline.config import prompt_set_folder
from pipeline.prompt import load_prompts


def calibrate_command(
    run: Annotated[Path, typer.Argument(help="Run folder of `grader grade`.")],
    labels: Annotated[Path, typer.Option(help="labels.csv; train and dev are used.")],
    out: Annotated[Path, typer.Option(help="File to write, such as calibration.json.")],
    against: Annotated[
        str | None,
        typer.Option(help="Rater to fit to.", show_default="adjudicated, else the first"),
    ] = None,
    prompts: Annotated[
        Path | None, typer.Option(help="Prompt set of the run.", show_default="interview")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the bootstrap.")] = 0,
) -> None:
    """Fit a monotone curve per criterion; its worth is measured on candidates left out.

    The file holds for this model and prompt version only.
    """
    from evals.calibrate import calibrate, write_calibration
    from evals.printing import show
    from evals.sections import KIND_WORDS, Section, interval, number

    result = calibrate(
        run,
        labels,
        prompts=load_prompts(prompts or prompt_set_folder()),
        against=against,
        seed=seed,
    )
    write_calibration(result, out)
    rows = tuple(
        (row["criterion"], row["metric"], number(row["raw"]), number(row["calibrated"]),
         number(row["difference"], 3), interval(row), str(row["n"]), row["why"])
        for _, row in result.worth.iterrows()
    )  # fmt: skip
    title = f"Calibration on left-out candidates ({KIND_WORDS[str(result.about['kind'])]})"
    header = ("criterion", "metric", "raw", "calibrated", "difference", "95% interval", "n", "why")
    line = f"{out}: for {result.about['model']} with {result.about['prompt_version']} only."
    show(Console(highlight=False), [line], [Section(title=title, header=header, rows=rows)])
