"""Commands by name, each imported when it is asked for: a start pays for one command alone."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup


def lazy_app(places: Mapping[str, str], help_text: str) -> typer.Typer:
    """A command line. `places` says of each command `module:name`, a function or a Typer."""

    class Commands(TyperGroup):
        """The commands at their places."""

        def __init__(self, **given: Any) -> None:
            super().__init__(**given)
            # What a mistyped name is compared with.
            self.commands: Any = dict.fromkeys(places)

        def list_commands(self, ctx: Any) -> list[str]:
            """All names, in the order given."""
            return [*places]

        def get_command(self, ctx: Any, cmd_name: str) -> Any:
            """The command, or None where there is none of this name."""
            return command_at(places[cmd_name], cmd_name) if cmd_name in places else None

    app = typer.Typer(
        cls=Commands,
        help=help_text,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        add_completion=False,
    )
    app.callback()(_nothing)
    return app


def command_at(place: str, name: str) -> Any:
    """The command that a function or a Typer of a module stands for."""
    module, _, attribute = place.partition(":")
    found = getattr(import_module(module), attribute)
    if isinstance(found, typer.Typer):
        command: Any = typer.main.get_group(found)
    else:
        alone = typer.Typer(add_completion=False)
        alone.command(name)(found)
        command = typer.main.get_command(alone)
    command.name = name
    return command


def _nothing() -> None:
    # Typer makes a group only of what has a callback or commands already.
    pass
