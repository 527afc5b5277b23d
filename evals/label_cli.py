"""`grader label`: blind sheets out, labels in."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evals.label_files_cli import agreement_command, from_public
from pipeline.config import prompt_set_folder
from pipeline.errors import ConfigError
from pipeline.intake import read_interviews
from pipeline.prompt import load_prompts
from pipeline.records import Rubric

if TYPE_CHECKING:
    from evals.sheets import SheetRow

label_app = typer.Typer(
    help="Labels by raters: make blind sheets, take them in.", no_args_is_help=True
)
label_app.command("agreement")(agreement_command)
label_app.command("from-public")(from_public)

Seeds = Annotated[list[str], typer.Argument(help="Files or folders of interviews.")]
Rater = Annotated[str, typer.Option(help="Name of the rater, as in raters.csv.")]
Labels = Annotated[Path, typer.Option(help="The label file, labels.csv.")]
Key = Annotated[
    Path | None,
    typer.Option(help="The key, which the rater must not see.", show_default="<sheet>.key.csv"),
]
Prompts = Annotated[
    Path | None, typer.Option("--prompts", help="Prompt set with the rubric to rate by.")
]
Between = Annotated[
    tuple[str, str] | None,
    typer.Option(help="The two raters to adjudicate.", show_default="the only two"),
]


@label_app.command("make")
def make(
    seeds: Seeds,
    out: Annotated[Path, typer.Option(help="The sheet to write, a CSV file.")],
    rater: Rater,
    key: Key = None,
    sample: Annotated[int | None, typer.Option(min=1, help="So many answers by chance.")] = None,
    seed: Annotated[int, typer.Option(help="Decides order and sample.")] = 0,
    prompts: Prompts = None,
) -> None:
    """Make a blind sheet: question, objective and answer, in an order of its own."""
    from evals.sheets import make_sheet

    rows = make_sheet(read_interviews(*seeds), rater=rater, seed=seed, sample=sample)
    _write(rows, _rubric(prompts), out, key, rater)


@label_app.command("take")
def take(
    sheet: Annotated[Path, typer.Argument(help="The filled sheet.")],
    labels: Labels,
    rater: Rater,
    key: Key = None,
    between: Between = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Put these in place of the rater's own.")
    ] = False,
    prompts: Prompts = None,
) -> None:
    """Check a filled sheet and put its labels into labels.csv."""
    from evals.adjudication import complete_adjudication, find_differences, two_raters
    from evals.labels import ADJUDICATED, read_labels
    from evals.sheet_intake import add_labels, read_sheet

    rubric = _rubric(prompts)
    new = read_sheet(sheet, key or _key_of(sheet), rubric.keys, rater=rater, scale=rubric.scale)
    without_note = sum(1 for label in new if label[1] == "overall" and not label[4])
    if rater == ADJUDICATED:
        known = read_labels(labels, scale=rubric.scale, criteria=rubric.keys)
        decided, undecided = find_differences(known, between or two_raters(known), rubric.keys)
        new = complete_adjudication(new, decided, undecided)
    count = add_labels(labels, new, rater=rater, replace=replace)
    items = len({label[0] for label in new})
    typer.echo(f"{labels}: {items} answers by {rater} taken in; {count} rows of theirs in all.")
    if without_note:
        typer.echo(f"{without_note} answers have no note; a note helps whoever adjudicates.")


@label_app.command("adjudicate")
def adjudicate(
    seeds: Seeds,
    labels: Labels,
    out: Annotated[Path, typer.Option(help="The sheet to write, a CSV file.")],
    key: Key = None,
    between: Between = None,
    seed: Annotated[int, typer.Option(help="Decides the order.")] = 0,
    prompts: Prompts = None,
) -> None:
    """Make the sheet of a third reading: the answers on which two raters differ.

    Scores on which they agree stand in the sheet; what is empty has to be decided.
    """
    from evals.adjudication import find_differences, two_raters
    from evals.labels import ADJUDICATED, read_labels
    from evals.sheets import make_sheet

    rubric = _rubric(prompts)
    known = read_labels(labels, scale=rubric.scale, criteria=rubric.keys)
    decided, undecided = find_differences(known, between or two_raters(known), rubric.keys)
    if not undecided:
        typer.echo("The raters agree on every answer; there is nothing to adjudicate.")
        return
    rows = make_sheet(
        read_interviews(*seeds),
        rater=ADJUDICATED,
        seed=seed,
        only={item: decided[item] for item in undecided},
    )
    if lacking := undecided - {row.item.item_id for row in rows}:
        raise ConfigError(f"{len(lacking)} of the items are not in these interviews.")
    _write(rows, rubric, out, key, ADJUDICATED)


def _write(rows: list[SheetRow], rubric: Rubric, out: Path, key: Path | None, rater: str) -> None:
    from evals.sheets import write_sheet

    key = key or _key_of(out)
    write_sheet(rows, rubric.keys, out, key)
    low, high = rubric.scale
    typer.echo(
        f"{out}: {len(rows)} answers. Fill in {', '.join(rubric.keys)} and overall with whole "
        f"numbers from {low} to {high} (N/A where a criterion is not asked for).\n"
        f"{key}: the key. Keep it from the rater.\n"
        f"Then: grader label take {out} --key {key} --labels labels.csv --rater {rater}"
    )


def _key_of(sheet: Path) -> Path:
    return sheet.with_name(f"{sheet.stem}.key.csv")


def _rubric(prompts: Path | None) -> Rubric:
    return load_prompts(prompts or prompt_set_folder()).rubric
