"""`grader model`: the embedded model's file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from pipeline.cli.options import ModelFile

model_app = typer.Typer(help="The embedded model's file.", no_args_is_help=True)


@model_app.command("pull")
def model_pull() -> None:
    """Fetch the embedded model (1.1 GB) and check its digest."""
    from pipeline.endpoint.model_pull import pull
    from pipeline.endpoint.reader_file import require_reader

    screen = PullScreen()
    path = pull(screen.update)
    require_reader(path)
    screen.console.print(f"The model is in place and its digest is right: {path}", soft_wrap=True)


@model_app.command("path")
def model_path_command() -> None:
    """Print where the model's file lies."""
    from pipeline.endpoint.model_file import require_model

    print(require_model())


@model_app.command("remove")
def model_remove() -> None:
    """Delete the model's file and what an interrupted pull left."""
    from pipeline.endpoint.model_file import model_path, remove

    print(f"Deleted {model_path()}." if remove() else "There is no model to delete.")


@model_app.command("cut")
def model_cut(
    out: Annotated[Path, typer.Argument(help="File to write, such as reading.gguf.")],
    layers: Annotated[int, typer.Option(min=1, help="So many of the first layers.")] = 20,
    model_file: ModelFile = None,
) -> None:
    """Write the first layers of a model as a file that reads faster, and cannot write.

    Its states were measured to suit a scorer better than those of the whole model: fit one with
    `grader fit --model-file OUT`, then grade with `--model-file OUT --no-explanations`.
    """
    from pipeline.endpoint.gguf_cut import cut_layers
    from pipeline.endpoint.model_file import require_model

    path = cut_layers(model_file or require_model(), out, layers)
    print(f"{path}: {path.stat().st_size / 1e6:,.0f} MB. Next: grader fit ANSWERS --labels")
    print(f"labels.csv --model-file {path}; it cannot write, so grade with --no-explanations.")


class PullScreen:
    """Progress of a pull: a line that moves on a terminal, one line per tenth elsewhere."""

    def __init__(self) -> None:
        self.console = Console(stderr=True, highlight=False)
        self._said = ""

    def update(self, done: int, total: int, what: str) -> None:
        """Called with bytes done, bytes in all, and what is going on."""
        share = 100 * done // total if total else 0
        step = share if self.console.is_terminal else share // 10 * 10
        text = f"{what}: {step}% of {total / 1e6:,.0f} MB"
        if text != self._said:
            self._said = text
            end = "\r" if self.console.is_terminal and done < total else "\n"
            self.console.print(text, end=end, soft_wrap=True)
