"""`grader calibrate`: bend a grader's scores towards the labels, and say what that is worth."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evals.options import AcceptModelLabels, Against, Labels, Prompts, Seed, console
from pipeline.config import prompt_set_folder
from pipeline.prompt import load_prompts

if TYPE_CHECKING:
    from evals.calibrate import Calibration
    from evals.sections import Section


def calibrate_command(
    run: Annotated[Path, typer.Argument(help="Run folder of `grader grade`.")],
    labels: Labels,
    out: Annotated[
        Path | None,
        typer.Option(help="File to write.", show_default="calibration.json in the prompt set"),
    ] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Overwrite one that holds for another model.")
    ] = False,
    against: Against = None,
    accept_model_labels: AcceptModelLabels = False,
    prompts: Prompts = None,
    seed: Seed = 0,
) -> None:
    """Fit a monotone curve per criterion on train and dev; its worth is measured on candidates left
    out.

    The file holds for this model, prompt version and way of scoring only; `grader grade` applies it
    as columns beside the raw scores. The same `grader grade` command on the run adds them to it.
    Exit code: 0 fit for use with it, 1 not, 3 too little to say.
    """
    from evals.calibrate import calibrate, calibration_path, write_calibration
    from evals.fitness import fitness_lines
    from evals.printing import show

    prompt_set = load_prompts(prompts or prompt_set_folder())
    result = calibrate(
        run,
        labels,
        prompts=prompt_set,
        against=against,
        accept_model_labels=accept_model_labels,
        seed=seed,
    )
    path = calibration_path(out, prompt_set)
    write_calibration(result, path, replace=replace)
    about = result.about
    lines = [
        f"{path}: for {about['model']} with {about['prompt_version']}, scores "
        f"{about['score_mode']}; fitted to {about['n']} answers.",
        f"Measured: {about['measured']}.",
    ]
    show(console(), lines, [worth_section(result)])
    show(console(), ["", "Calibrated scores:", *fitness_lines(result.fitness)], [])
    raise typer.Exit(result.fitness.exit_code)


def worth_section(result: Calibration) -> Section:
    """Before and after by criterion."""
    from evals.sections import KIND_WORDS, Section, interval, number

    rows = tuple(
        (row["criterion"], row["metric"], number(row["raw"]), number(row["calibrated"]),
         number(row["difference"], 3), interval(row), str(row["n"]), row["why"])
        for _, row in result.worth.iterrows()
    )  # fmt: skip
    return Section(
        title=f"Calibration on left-out candidates ({KIND_WORDS[result.kind]})",
        header=("criterion", "metric", "raw", "calibrated", "difference", "95% interval", "n",
                "why"),
        rows=rows,
    )  # fmt: skip
