"""`grader model`: the embedded model's file."""

from __future__ import annotations

import typer
from rich.console import Console

model_app = typer.Typer(help="The embedded model's file.", no_args_is_help=True)


@model_app.command("pull")
def model_pull() -> None:
    """Fetch the embedded model (1.1 GB) and check its digest."""
    from pipeline.endpoint.model_pull import pull

    screen = PullScreen()
    path = pull(screen.update)
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
