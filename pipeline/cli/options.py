"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from pipeline.endpoint.slots import Concurrency
from pipeline.errors import ConfigError

Paths = Annotated[
    list[str], typer.Argument(help="Files, folders or zips of interviews; - is standard input.")
]
Columns = Annotated[
    list[str] | None,
    typer.Option(
        "--map", help="Columns of a table: question=题目,answer=3 (a name or a 1-based position)."
    ),
]
EmptyCell = Annotated[
    Literal["blank", "missing"],
    typer.Option(help="Whether an empty answer cell is a blank answer or no answer at all."),
]
Strict = Annotated[
    bool, typer.Option("--strict", help="Treat every warning about an input as an error.")
]
Prompts = Annotated[
    Path | None, typer.Option("--prompts", help="Folder of a prompt set.", show_default="interview")
]


def model_file(text: str) -> Path:
    """The path. Raises ConfigError where an empty text, as of a variable not set, is given."""
    if not text.strip():
        raise ConfigError(
            "--model-file is empty: give the path of a GGUF file, or leave the option out."
        )
    return Path(text)


ModelFile = Annotated[
    Path | None,
    typer.Option(
        "--model-file",
        parser=model_file,
        metavar="PATH",
        help="GGUF file to serve here, in place of the one that came.",
    ),
]
Language = Annotated[
    Literal["auto", "zh", "en"], typer.Option(help="Language of the prompt; auto follows the text.")
]


def read_concurrency(text: str | None) -> Concurrency | None:
    """`auto` or a number. Raises ConfigError."""
    if text is None or text == "auto":
        return "auto" if text else None
    if text.isascii() and text.isdigit() and 1 <= int(text) <= 1024:
        return int(text)
    raise ConfigError("--concurrency is a number from 1 to 1024, or auto.")
