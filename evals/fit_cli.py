"""`grader fit`: a scorer for a prompt set, from labelled answers and a model's states."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.console import Console
from rich.progress import Progress

from evals.options import AcceptModelLabels, KeptStates, LabelScale, parse_scale
from pipeline.cli.options import ModelFile
from pipeline.config import open_endpoint, prompt_set_folder
from pipeline.prompt import PromptSet, load_prompts

if TYPE_CHECKING:
    from evals.fit import Fitted
    from evals.fit_beside import Beside
    from evals.fitness import Fitness
    from evals.sections import Section


def fit_command(
    paths: Annotated[list[Path], typer.Argument(help="The labelled interviews.")],
    labels: Annotated[Path, typer.Option(help="labels.csv; train and dev are used.")],
    prompts: Annotated[
        Path | None,
        typer.Option(
            help="Prompt set to fit for, and to write into.", show_default="compact, in a copy"
        ),
    ] = None,
    model_file: ModelFile = None,
    states: KeptStates = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Measure, and write no scorer.")
    ] = False,
    tables: Annotated[
        Literal["dev", "fit"] | None,
        typer.Option(help="Show all tables of `grader eval` for this split's left-out scores."),
    ] = None,
    features: Annotated[
        bool,
        typer.Option(
            "--features", help="Give the lines answer length and words shared with the aim, too."
        ),
    ] = False,
    label_scale: LabelScale = None,
    accept_model_labels: AcceptModelLabels = False,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the bootstrap.")] = 0,
) -> None:
    """Fit a line per criterion through the embedded model's states, and measure it.

    It is measured on candidates that were left out of the fit. The scorer goes into a copy of
    `compact` in your data folder, which `grader grade` then takes, or into the set of --prompts,
    whose version changes with it. Exit code: 0 fit for use, 1 not, 3 too little to say.
    """
    from evals.fit import default_states, fit_scorer
    from evals.fit_beside import beside
    from evals.fit_labels import read_fit_labels
    from evals.fitness import fitness, fitness_lines
    from evals.printing import show
    from pipeline.intake import read_interviews

    scale = parse_scale(label_scale)
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
            label_scale=scale,
            features=features,
            seed=seed,
            on_progress=lambda done, total: bar.update(task, completed=done, total=total),
        )
    shipped = prompt_set_folder("compact")
    old = beside(result, shipped, prompt_set, seed=seed)
    found = fitness(
        old.study if old and old.better and prompts is None else result.study,
        prompt_set.rubric,
        read_fit_labels(labels, prompt_set.rubric, scale),
        seed=seed,
        accept_model_labels=accept_model_labels,
    )
    lines = [
        *absent_lines(result),
        *beside_lines(old),
        features_line(result, prompt_set, features, seed),
    ]
    if not dry_run:
        worse = why_not_kept(old, found) if prompts is None else ""
        lines += [worse] if worse else kept_lines(result, prompt_set, own=prompts is None)
    show(Console(highlight=False), lines, sections(result, seed))
    if tables is not None:
        from evals.agreement_tables import agreement_sections
        from evals.fit_agreement import left_out_agreement
        from evals.printing import verdict_lines

        all_found = left_out_agreement(
            result, labels, prompt_set, split=tables, label_scale=scale, seed=seed
        )
        show(Console(highlight=False), verdict_lines(all_found), agreement_sections(all_found))
    # The verdict stands at the end, where it is read.
    show(Console(highlight=False), ["", *fitness_lines(found)], [])
    raise typer.Exit(found.exit_code)


def absent_lines(result: Fitted) -> list[str]:
    """How many labelled answers are not among the interviews."""
    absent = int((result.study.labelled == "absent").sum())
    return [f"{absent} labelled answers are not in these interviews: left out."] if absent else []


def beside_lines(old: Beside | None) -> list[str]:
    """How the scorer that came with the program does on the same answers."""
    if old is None:
        return []
    from evals.worth import with_ends

    return [
        f"The scorer that came with the program, on the {old.gain.n} answers it was not fitted to: "
        f"QWK {with_ends(old.qwk)}; the new one is better by {with_ends(old.gain)}."
    ]


def features_line(result: Fitted, prompts: PromptSet, taken: bool, seed: int) -> str:
    """What plain features beside the states do on these answers, and how to have them or not."""
    from evals.fit_features import gain_of_features
    from evals.worth import with_ends

    gain = with_ends(gain_of_features(result, prompts, seed=seed))
    how = "taken by --features" if taken else "--features takes them"
    return (
        "With plain features (length, words shared with the aim) beside the states the QWK is "
        f"better by {gain} on left-out candidates; {how}."
    )


def why_not_kept(old: Beside | None, found: Fitness) -> str:
    """Why nothing is written unless a prompt set is named; "" where the scorer is worth taking."""
    anyway = "--prompts FOLDER writes the new one all the same."
    if old is not None and old.better:
        return (
            "Nothing is written: the scorer that came with the program does better, and stays. "
            f"The verdict below is about it. {anyway}"
        )
    if not found.beats or not (found.qwk.value or 0) > 0:
        return (
            "Nothing is written: the new scorer does no better than counting characters and words. "
            f"{anyway}"
        )
    return ""


def kept_lines(result: Fitted, prompts: PromptSet, *, own: bool) -> list[str]:
    """Write the scorer; what was done."""
    from evals.fit import write_scorer
    from evals.fit_place import own_copy

    about = result.about
    path = write_scorer(result, own_copy(prompts, str(about["model"])) if own else prompts)
    taken = ["`grader grade` takes it from now on; deleting its folder undoes that."] if own else []
    return [
        f"{path}: for {about['model']}, fitted to {about['n']} answers.",
        *taken,
        f"Measured: {about['measured']}.",
    ]


def sections(result: Fitted, seed: int) -> list[Section]:
    """Agreement by criterion, baselines, length, and how it grows with labels."""
    from evals.figures import Setting
    from evals.fit_worth import degradations, length_table
    from evals.pooled import baseline_figures, pooled_figures
    from evals.sections import Section, number
    from evals.study import GRADER
    from evals.uncertainty_worth import uncertainty_section
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
        uncertainty_section(study, setting.draws, seed),
    ]
