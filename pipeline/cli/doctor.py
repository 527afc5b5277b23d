"""`grader doctor`: what an endpoint can do, found by trying."""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer
from rich.console import Console

from pipeline.config import open_target
from pipeline.errors import CallError, StopRun
from pipeline.screen import show_profile


def doctor_command(
    model: Annotated[str | None, typer.Option(help="Model to ask for [env: GRADER_MODEL].")] = None,
    base_url: Annotated[
        str | None, typer.Option(help="Address up to /v1 [env: OPENAI_BASE_URL].")
    ] = None,
    context: Annotated[
        int | None, typer.Option(min=500, help="Also try prompts of up to so many tokens.")
    ] = None,
    timeout: Annotated[
        float | None, typer.Option(min=0.1, help="Seconds for one request.", show_default="120")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The profile as JSON.")] = False,
) -> None:
    """Try what an endpoint can do, with about 15 small calls; `grade` goes by what is found."""
    from pipeline.endpoint.doctor import examine
    from pipeline.endpoint.profile import save_profile

    target = open_target(model=model, base_url=base_url, timeout=timeout)
    try:
        profile = asyncio.run(examine(target, context=context))
    except CallError as error:
        raise StopRun(f"The endpoint does not answer a plain call: {error}.") from None
    path = save_profile(profile, target.base_url)
    if as_json:
        print(profile.model_dump_json(indent=2))
    else:
        show_profile(Console(highlight=False), profile, path)
