"""`grader fit-public`: what the states of the embedded model are worth against people."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import Progress

from evals.options import KeptStates
from pipeline.cli.options import ModelFile
from pipeline.config import open_endpoint, prompt_set_folder
from pipeline.prompt import load_prompts

if TYPE_CHECKING:
    import pandas as pd

    from evals.public_answers import PublicAnswers
    from evals.sections import Section


def fit_public_command(
    files: Annotated[
        list[Path], typer.Argument(help="Public sets, as `grader label from-public` takes them.")
    ],
    answers: Annotated[
        int, typer.Option(help="Answers of each set, dealt over its questions.", min=1)
    ] = 120,
    prompts: Annotated[
        Path | None,
        typer.Option(help="Prompt set whose readings are used.", show_default="compact"),
    ] = None,
    model_file: ModelFile = None,
    states: KeptStates = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the sample and of the bootstrap.")] = 0,
) -> None:
    """Fit lines to published human scores and measure them on questions that were left out.

    Nothing is written: it says whether the states of the model know what people score, beyond
    answer length and shared words. Reading takes about 3 seconds an answer once.
    """
    import numpy as np

    from evals.fit import default_states
    from evals.fit_beside import unseen_by
    from evals.fit_features import plain_features
    from evals.hidden_states import states_of
    from evals.printing import show
    from evals.public_answers import public_answers
    from evals.public_shipped import shipped_points
    from evals.public_worth import SHIPPED, left_out_points

    prompt_set = load_prompts(prompts or prompt_set_folder("compact"))
    chosen = public_answers(files, prompt_set, answers, seed=seed)
    endpoint = open_endpoint(model_file=model_file)
    with Progress(console=Console(stderr=True, highlight=False)) as bar:
        task = bar.add_task("answers read", total=None)
        read = states_of(
            chosen.readings,
            endpoint,
            states or default_states(),
            lambda done, total: bar.update(task, completed=done, total=total),
        )
    items = chosen.items
    points = left_out_points(items, read)
    if prompt_set.scorer and prompt_set.scorer.model == endpoint.info.read_by:
        plain = plain_features(items, items["read"])
        shipped = shipped_points(items, read, plain, prompt_set)
        points[SHIPPED] = np.where(unseen_by(prompt_set.scorer, items), shipped, np.nan)
    show(
        Console(highlight=False),
        opening_lines(chosen, endpoint.info.read_by, answers, seed),
        public_sections(items, points, seed),
    )


def opening_lines(chosen: PublicAnswers, model: str, size: int, seed: int) -> list[str]:
    """What was measured, on whose labels, and how."""
    items = chosen.items
    return [
        f"{len(items)} answers to {items['cluster'].nunique()} questions of "
        f"{items['set'].nunique()} sets, read by {model}. "
        "Labels: published scores by HUMAN raters.",
        f"Sample: up to {size} answers of each set, dealt over its questions, seed {seed}; "
        f"{chosen.stopped} blank or copied answers, which never reach the model, are not in it.",
        "Every answer is scored by lines that saw no answer to its question, penalty and equating "
        "included. Points 0 to 10, kappa on whole points. Intervals: 95%, bootstrap by question. "
        "The way `as it came` is the prompt set's own scorer, fitted to none of these scores.",
    ]


def public_sections(items: pd.DataFrame, points: pd.DataFrame, seed: int) -> list[Section]:
    """Kappa of all ways pooled and by set, the scorer's lead, and how much of it is length."""
    from evals.bootstrap import DRAWS
    from evals.public_worth import SCORER, gains, kappas, length_held
    from evals.sections import Section, number
    from evals.worth import with_ends

    sets = sorted(items["set"].unique())
    masks = {name: items["set"] == name for name in sets}
    pooled, lead = (found(items, points, DRAWS, seed) for found in (kappas, gains))
    parts = {
        name: (
            kappas(items[mask], points[mask], DRAWS, seed),
            gains(items[mask], points[mask], DRAWS, seed),
        )
        for name, mask in masks.items()
    }
    ways = [
        (way, with_ends(pooled[way]), *(number(parts[name][0][way].value) for name in sets))
        for way in map(str, points)
    ]
    leads = [
        (way, with_ends(lead[way]), *(with_ends(parts[name][1][way]) for name in sets))
        for way in map(str, points)
        if way != SCORER
    ]
    sizes = [
        (name, str(int(mask.sum())), str(items[mask]["cluster"].nunique()))
        for name, mask in masks.items()
    ]
    length = length_held(items, points[SCORER])
    return [
        Section(title="Answers", header=("set", "answers", "questions"), rows=tuple(sizes)),
        Section(
            title="QWK with the human score",
            header=("way of scoring", "all sets [95%]", *sets),
            rows=tuple(ways),
        ),
        Section(
            title="QWK of the scorer less that of",
            header=("way of scoring", "all sets [95%]", *sets),
            rows=tuple(leads),
        ),
        Section(
            title="Answer length (rank correlation within sets)",
            header=("of", "r"),
            rows=tuple((name, number(value)) for name, value in length.items()),
        ),
    ]
