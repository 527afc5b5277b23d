"""`grader label agreement` and `grader label from-public`: whole label files."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Annotated, Literal

import typer

from evals.options import check_places, console
from pipeline.config import prompt_set_folder
from pipeline.errors import ConfigError
from pipeline.prompt import load_prompts


def agreement_command(
    labels: Annotated[Path, typer.Option(help="The label file, labels.csv.")],
    prompts: Annotated[
        Path | None, typer.Option("--prompts", help="Prompt set with the rubric to rate by.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="All figures as JSON.")] = False,
    markdown: Annotated[Path | None, typer.Option(help="Write a Markdown page.")] = None,
) -> None:
    """Show how far the raters agree with each other, by criterion; no run is needed."""
    from evals.printing import records, show, to_markdown
    from evals.rater_agreement import rater_agreement, rater_sections

    check_places(markdown)
    rubric = load_prompts(prompts or prompt_set_folder()).rubric
    figures = rater_agreement(labels, criteria=rubric.keys, scale=rubric.scale)
    if figures.empty:
        raise ConfigError(f"{labels}: there are no two raters to compare.")
    sections = rater_sections(figures)
    if as_json:
        typer.echo(json.dumps(records(figures), ensure_ascii=False, allow_nan=False))
    else:
        show(console(), [], sections)
    if markdown is not None:
        page = to_markdown("Agreement of the raters", [], sections)
        markdown.write_text(page, encoding="utf-8")


def from_public(
    file: Annotated[Path, typer.Argument(help="Human-graded answers as JSON lines.")],
    out: Annotated[Path, typer.Option(help="Folder for interviews.jsonl and labels.csv.")],
    group: Annotated[
        Literal["answer", "question"],
        typer.Option(help="Intervals about further answers, or about further questions."),
    ] = "answer",
    limit: Annotated[int | None, typer.Option(min=1, help="So many answers by chance.")] = None,
    seed: Annotated[int, typer.Option(help="Decides which.")] = 0,
) -> None:
    """Turn a public set with human scores into interviews and labels."""
    from evals.public import label_scale, read_public, write_public

    scored = read_public(file)
    if limit is not None and limit < len(scored):
        scored = random.Random(seed).sample(scored, limit)
    write_public(scored, out, group=group)
    low, high = label_scale(scored)
    questions = len({row.question_id for row in scored})
    typer.echo(
        f"{out}: {len(scored)} answers to {questions} questions, labels from {low} to {high}.\n"
        f"Then: grader grade {out / 'interviews.jsonl'} --out RUN\n"
        f"and: grader eval RUN --labels {out / 'labels.csv'} --label-scale {low}-{high}"
    )
