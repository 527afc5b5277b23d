"""`grader compare`: what a change of prompt or model did, answer by answer."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evals.options import (
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


def compare_command(
    run_a: Annotated[Path, typer.Argument(help="Run folder before the change.")],
    run_b: Annotated[Path, typer.Argument(help="Run folder after it.")],
    labels: Labels,
    split: Split = None,
    test: Test = False,
    against: Against = None,
    label_scale: LabelScale = None,
    prompts: Prompts = None,
    prompts_a: Annotated[Path | None, typer.Option(help="Prompts of A, for the diff.")] = None,
    prompts_b: Annotated[Path | None, typer.Option(help="Prompts of B, for the diff.")] = None,
    seed: Seed = 0,
    as_json: Json = False,
    markdown: Markdown = None,
) -> None:
    """Compare two runs on the same labels: B less A, paired, with intervals.

    Exit code: 0 B is better or no difference is shown, 1 B is worse, 3 inconclusive.
    """
    from evals.compare_tables import compare_json, compare_lines, compare_sections
    from evals.contrast import compare
    from evals.printing import show, to_markdown

    check_places(markdown)
    result = compare(
        run_a,
        run_b,
        labels,
        prompts=load_prompts(prompts or prompt_set_folder()),
        prompts_a=prompts_a,
        prompts_b=prompts_b,
        split=split,
        test=test,
        against=against,
        label_scale=parse_scale(label_scale),
        seed=seed,
    )
    lines, sections = compare_lines(result), compare_sections(result)
    if as_json:
        typer.echo(compare_json(result))
    else:
        show(console(), lines, sections)
    if markdown is not None:
        title = f"{result.facts['run_a']} and {result.facts['run_b']}: {result.outcome}"
        markdown.write_text(to_markdown(title, lines, sections), encoding="utf-8")
    raise typer.Exit(result.exit_code)
