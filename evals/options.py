"""Options that several commands of the eval suite share, and the places they write to."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.console import Console

from pipeline.errors import ConfigError
from pipeline.rubric import MAX_POINTS

WIDTH = 120
"""Columns of a table that is not printed on a terminal."""

Labels = Annotated[Path, typer.Option(help="labels.csv; what lies beside it is used too.")]
Split = Annotated[
    Literal["train", "dev", "test", "all"] | None,
    typer.Option(
        help="Which split to measure on.",
        show_default="dev, or test with --test, if there are splits",
    ),
]
Test = Annotated[
    bool, typer.Option("--test", help="Read locked test labels; the look is recorded.")
]
Against = Annotated[
    str | None,
    typer.Option(help="Rater to hold against.", show_default="adjudicated, else the first"),
]
LabelScale = Annotated[
    str | None, typer.Option(help="Scale of the labels, such as 0-10.", show_default="rubric's")
]
Prompts = Annotated[
    Path | None, typer.Option(help="Prompt set with the rubric.", show_default="interview")
]
AcceptModelLabels = Annotated[
    bool,
    typer.Option("--accept-model-labels", help="Let labels not all by people give a PASS."),
]
KeptStates = Annotated[
    Path | None,
    typer.Option(help="File that keeps what was read.", show_default="in the user's cache"),
]
Seed = Annotated[int, typer.Option(min=0, help="Seed of the bootstrap.")]
Json = Annotated[bool, typer.Option("--json", help="All figures as JSON.")]
Markdown = Annotated[Path | None, typer.Option(help="Write a Markdown page.")]


def parse_scale(text: str | None) -> tuple[int, int] | None:
    """`0-10` as (0, 10). Raises ConfigError."""
    if text is None:
        return None
    low, _, high = text.partition("-")
    if not (low.isdecimal() and high.isdecimal() and int(low) < int(high) <= MAX_POINTS):
        raise ConfigError(
            f"--label-scale {text!r}: give two whole points up to {MAX_POINTS}, such as 0-10."
        )
    return int(low), int(high)


def check_places(page: Path | None, folder: Path | None = None) -> None:
    """Raise ConfigError where a page or a folder cannot be written, before anything is measured.

    A look at test labels must not be spent on a result that nobody gets to see.
    """
    try:
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
        if page is not None:
            page.open("a").close()
    except OSError as error:
        raise ConfigError(f"{error.filename}: cannot be written ({error.strerror}).") from None


def console() -> Console:
    """Where tables go: as wide as the terminal, or as WIDTH in a file or pipe."""
    return Console(highlight=False, width=None if sys.stdout.isatty() else WIDTH)
