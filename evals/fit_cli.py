"""`grader fit`: a scorer for a prompt set, from labelled answers and a model's states."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.console import Console
from rich.progress import Progress

from pipeline.cli.options import ModelFile
from pipeline.config import open_endpoint, prompt_set_folder
from pipeline.prompt import load_prompts

if TYPE_CHECKING:
    from evals.fit import Fitted
    from evals.sections import Section


def fit_command(
    paths: Annotated[list[Path], typer.Argument(help="The labelled interviews.")],
    labels: Annotated[Path, typer.Option(help="labels.csv; train and dev are used.")],
    prompts: Annotated[
        Path | None, typer.Option(help="Prompt set to fit for.", show_default="compact")
    ] = None,
    model_file: ModelFile = None,
    states: Annotated[
        Path | None,
        typer.Option(help="File that keeps what was read.", show_default="in the user's cache"),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Measure, and write no scorer.")
    ] = False,
    tables: Annotated[
        Literal["dev", "fit"] | None,
        typer.Option(help="Show all tables of `grader eval` for this split's left-out scores."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the bootstrap.")] = 0,
) -> None:
    """Fit a line per criterion through the embedded model's states, and measure it.

    It is measured on candidates that were left out of the fit. The scorer becomes a file of the
    prompt set, whose version changes with it; for a model file of your own it is a copy of
    `compact` in your data folder, which `grader grade --model-file` then takes.
    """
    from evals.fit import default_states, fit_scorer, write_scorer
    from evals.fit_place import own_copy
    from evals.printing import show
    from pipeline.intake import read_interviews

    endpoint = open_endpoint(model_file=model_file)
    prompt_set = load_prompts(prompts or prompt_set_folder("compact"), with_scorer=False)
    screen = Console(stderr=True, highlight=False)
    with Progress(console=screen) as bar:
        task = bar.add_task("answers read", total=None)
        result = fit_scorer(
            read_interviews(*paths),
            labels,
            prompt_set,
            endpoint,
            states or default_states(),
            seed=seed,
            on_progress=lambda done, total: bar.update(task, completed=done, total=total),
        )
    about = result.about
    lines = [f"Measured: {about['measured']}."]
    if not dry_run:
        if prompts is None and endpoint.info.named:
            prompt_set = own_copy(prompt_set, endpoint.info.model)
        path = write_scorer(result, prompt_set)
        lines.insert(0, f"{path}: for {about['model']}, fitted to {about['n']} answers.")
    show(Console(highlight=False), lines, sections(result, seed))
    if tables is not None:
        from evals.agreement_tables import agreement_sections
        from evals.fit_agreement import left_out_agreement
        from evals.printing import verdict_lines

        found = left_out_agreement(result, labels, prompt_set, split=tables, seed=seed)
        show(Console(highlight=False), verdict_lines(found), agreement_sections(found))


def sections(result: Fitted, seed: int) -> list[Section]:
    """Agreement by criterion, baselines, length, and how it grows with labels."""
    from evals.figures import Setting
    from evals.fit_worth import degradations, length_table
    from evals.pooled import baseline_figures, pooled_figures
    from evals.sections import Section, number
    from evals.study import GRADER
    from evals.worth import with_ends

    study, setting = result.study, Setting(scale=result.study.scale, seed=seed)
    wanted = ("qwk", "ccc", "mae", "bias", "adjacent")
    own = [
        (figure.tag.criterion, figure.metric, with_ends(figure.estimate), str(figure.estimate.n))
        for figure in pooled_figures(study, setting)
        if figure.tag.first == GRADER and figure.tag.second == study.reference
        if figure.metric in wanted
    ]
    beside = [
        (figure.tag.first, figure.metric, with_ends(figure.estimate), str(figure.estimate.n))
        for figure in baseline_figures(study, setting)
        if figure.metric in ("qwk", "qwk difference")
    ]
    lost = [
        (pair, "degradation", with_ends(found), str(found.n))
        for pair, found in degradations(study, setting.draws, seed)
    ]
    length = [(name, number(value)) for name, value in length_table(study).items()]
    grown = [tuple(number(value, 2) for value in row) for row in result.curve.to_numpy()]
    head = ("criterion", "metric", "value [95%]", "n")
    return [
        Section(title="Scorer on left-out candidates", header=head, rows=tuple(own + lost)),
        Section(title="Baselines on the overall", header=head, rows=tuple(beside)),
        Section(title="Answer length (rank correlation)", header=("of", "r"), rows=tuple(length)),
        Section(
            title="Learning curve (mean over criteria)",
            header=("share of candidates", "candidates", "answers", "qwk"),
            rows=tuple(grown),
        ),
    ]
