"""`grader parse`: what is read, before anything is graded."""

from __future__ import annotations

import json
from typing import Annotated

import typer
from rich.console import Console

from pipeline.cli.inputs import InputOptions, read_inputs
from pipeline.cli.options import Columns, EmptyCell, Language, Paths, Strict
from pipeline.screen import Screen, show_reading


def parse_command(
    paths: Paths,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document.")] = False,
    as_jsonl: Annotated[bool, typer.Option("--jsonl", help="One interview a line.")] = False,
    language: Language = "auto",
    skip_unreadable: Annotated[
        bool, typer.Option("--skip-unreadable", help="Show what could be read.")
    ] = False,
    columns: Columns = None,
    empty_cell: EmptyCell = "blank",
    strict: Strict = False,
) -> None:
    """Show what would be read, without grading."""
    how = InputOptions(language, skip_unreadable, strict, columns or [], empty_cell)
    interviews = list(read_inputs(paths, how, Screen(quiet=as_json or as_jsonl)))
    documents = [interview.model_dump(mode="json") for interview in interviews]
    if as_json:
        print(json.dumps({"interviews": documents}, ensure_ascii=False, indent=2))
    elif as_jsonl:
        for document in documents:
            print(json.dumps(document, ensure_ascii=False))
    else:
        show_reading(Console(highlight=False), interviews)
