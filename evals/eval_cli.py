"""`grader eval`: a run held against labels, with a verdict and an exit code.

What needs pandas is imported inside the commands: it would slow down every other command too.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.console import Console

from pipeline.config import prompt_set_folder
from pipeline.errors import ConfigError
from pipeline.prompt import load_prompts

Beside = Annotated[
    Path | None, typer.Option(show_default="beside the label file", help="Another file.")
]


def eval_command(
    run: Annotated[Path, typer.Argument(help="Run folder of `grader grade`.")],
    labels: Annotated[Path, typer.Option(help="labels.csv: item_id,criterion,rater,score,note.")],
    raters: Beside = None,
    splits: Beside = None,
    pairs: Beside = None,
    thresholds: Beside = None,
    ledger: Beside = None,
    split: Annotated[
        Literal["train", "dev", "test", "all"] | None,
        typer.Option(help="Which split to measure on.", show_default="dev, if there are splits"),
    ] = None,
    test: Annotated[
        bool, typer.Option("--test", help="Read locked test labels; the look is recorded.")
    ] = False,
    against: Annotated[
        str | None,
        typer.Option(help="Rater to hold against.", show_default="adjudicated, else the first"),
    ] = None,
    label_scale: Annotated[
        str | None, typer.Option(help="Scale of the labels, such as 0-10.", show_default="rubric's")
    ] = None,
    accept_model_labels: Annotated[
        bool,
        typer.Option(
            "--accept-model-labels", help="Let labels that are not all by people give a PASS."
        ),
    ] = False,
    max_doubt: Annotated[
        float | None, typer.Option(help="Also hold answers up to this doubt to `adjacent`.")
    ] = None,
    prompts: Annotated[
        Path | None, typer.Option(help="Prompt set of the run.", show_default="interview")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the bootstrap.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="All figures as JSON.")] = False,
    markdown: Annotated[Path | None, typer.Option(help="Write a Markdown page.")] = None,
    out: Annotated[
        Path | None, typer.Option(help="Write eval.html, figures and items into this folder.")
    ] = None,
) -> None:
    """Measure how far a run agrees with labels.

    Exit code: 0 all rules hold, 1 a rule fails, 3 inconclusive, 2 wrong usage.
    """
    from evals.agreement_tables import agreement_sections
    from evals.measure import agreement
    from evals.outputs import write_outputs
    from evals.printing import agreement_json, agreement_markdown, show, verdict_lines

    result = agreement(
        run,
        labels,
        prompts=load_prompts(prompts or prompt_set_folder()),
        raters=raters,
        splits=splits,
        pairs=pairs,
        thresholds=thresholds,
        ledger=ledger,
        split=split,
        test=test,
        against=against,
        label_scale=parse_scale(label_scale),
        accept_model_labels=accept_model_labels,
        max_doubt=max_doubt,
        seed=seed,
    )
    if as_json:
        typer.echo(agreement_json(result))
    else:
        console = Console(highlight=False)
        show(console, verdict_lines(result), agreement_sections(result))
    if markdown is not None:
        markdown.write_text(agreement_markdown(result), encoding="utf-8")
    if out is not None:
        write_outputs(out, result)
    raise typer.Exit(result.exit_code)


def parse_scale(text: str | None) -> tuple[int, int] | None:
    """`0-10` as (0, 10). Raises ConfigError."""
    if text is None:
        return None
    low, _, high = text.partition("-")
    if not (low.isdecimal() and high.isdecimal() and int(low) < int(high)):
        raise ConfigError(f"--label-scale {text!r}: give two whole points, such as 0-10.")
    return int(low), int(high)
