"""`grader eval`: a run held against labels, with a verdict and an exit code.

What needs pandas is imported inside the commands: it would slow down every other command too.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evals.options import (
    AcceptModelLabels,
    Against,
    Json,
    Labels,
    LabelScale,
    Markdown,
    Prompts,
    Seed,
    Split,
    Test,
    check_places,
    console,
    parse_scale,
)
from pipeline.config import prompt_set_folder
from pipeline.prompt import load_prompts

Beside = Annotated[
    Path | None, typer.Option(show_default="beside the label file", help="Another file.")
]


def eval_command(
    run: Annotated[Path, typer.Argument(help="Run folder of `grader grade`.")],
    labels: Labels,
    raters: Beside = None,
    splits: Beside = None,
    pairs: Beside = None,
    thresholds: Beside = None,
    ledger: Beside = None,
    split: Split = None,
    test: Test = False,
    against: Against = None,
    label_scale: LabelScale = None,
    accept_model_labels: AcceptModelLabels = False,
    max_doubt: Annotated[
        float | None,
        typer.Option(min=0, help="Also hold answers up to this doubt to `adjacent`."),
    ] = None,
    prompts: Prompts = None,
    seed: Seed = 0,
    as_json: Json = False,
    markdown: Markdown = None,
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

    check_places(markdown, out)
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
        show(console(), verdict_lines(result), agreement_sections(result))
    if markdown is not None:
        markdown.write_text(agreement_markdown(result), encoding="utf-8")
    if out is not None:
        write_outputs(out, result)
    raise typer.Exit(result.exit_code)
