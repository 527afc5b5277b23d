"""`grader doctor`: what an endpoint can do, found by trying, and how its scores come about."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from pipeline.cli.options import ModelFile
from pipeline.config import default_prompt_set, names_an_address, open_endpoint, open_target
from pipeline.errors import CallError, StopRun
from pipeline.prompt import load_prompts
from pipeline.screen import show_findings, show_lines, show_profile

if TYPE_CHECKING:
    from pipeline.endpoint.modes import Mode


def doctor_command(
    model: Annotated[str | None, typer.Option(help="Model to ask for [env: GRADER_MODEL].")] = None,
    base_url: Annotated[
        str | None, typer.Option(help="Address up to /v1 [env: OPENAI_BASE_URL].")
    ] = None,
    model_file: ModelFile = None,
    context: Annotated[
        int | None, typer.Option(min=500, help="Also try prompts of up to so many tokens.")
    ] = None,
    timeout: Annotated[
        float | None, typer.Option(min=0.1, help="Seconds for one request.", show_default="120")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The profile as JSON.")] = False,
) -> None:
    """Try what an endpoint can do, with about 15 small calls; `grade` goes by what is found.

    Without key and address it is the embedded model, or that of --model-file. How scores come
    about, what that is worth and how to calibrate it is said at the end.
    """
    if model_file is None and names_an_address(base_url):
        _examine_address(model, base_url, context, timeout, as_json=as_json)
    else:
        _examine_embedded(model, base_url, model_file, timeout, as_json=as_json)


def _examine_address(
    model: str | None,
    base_url: str | None,
    context: int | None,
    timeout: float | None,
    *,
    as_json: bool,
) -> None:
    from pipeline.endpoint.doctor import examine
    from pipeline.endpoint.modes import expected_mode, verdict_mode
    from pipeline.endpoint.profile import save_profile

    target = open_target(model=model, base_url=base_url, timeout=timeout)
    try:
        profile = asyncio.run(examine(target, context=context))
    except CallError as error:
        raise StopRun(f"The endpoint does not answer a plain call: {error}.") from None
    path = save_profile(profile, target.base_url)
    mode = expected_mode() if profile.logprobs else verdict_mode()
    if as_json:
        _print_json(profile.model_dump(mode="json"), mode)
        return
    console = Console(highlight=False)
    show_profile(console, profile, path)
    show_lines(console, mode.lines())


def _examine_embedded(
    model: str | None,
    base_url: str | None,
    model_file: Path | None,
    timeout: float | None,
    *,
    as_json: bool,
) -> None:
    from pipeline.endpoint.doctor_embedded import examine_embedded
    from pipeline.endpoint.modes import expected_mode, states_mode

    endpoint = open_endpoint(model=model, base_url=base_url, model_file=model_file, timeout=timeout)
    info = endpoint.info
    findings = asyncio.run(examine_embedded(endpoint))
    works = {finding.name for finding in findings if finding.works}
    prompts = load_prompts(default_prompt_set(info))
    option = " --model-file FILE" if info.named else ""
    if prompts.scorer is not None and "states" in works:
        mode = states_mode(prompts.name, prompts.scorer.measured, option)
    else:
        mode = expected_mode(option, reads=True, seen="logprobs" in works)
    if as_json:
        found = [finding.model_dump(mode="json") for finding in findings]
        which = {"host": info.host, "model": info.model, "reader": info.read_by}
        _print_json({**which, "findings": found}, mode)
        return
    console = Console(highlight=False)
    console.print(f"{info.model} on this machine", markup=False)
    if info.reader:
        console.print(f"Readings by {info.reader}", markup=False)
    show_findings(console, findings)
    show_lines(console, mode.lines())


def _print_json(tree: dict[str, object], mode: Mode) -> None:
    print(json.dumps(tree | {"mode": mode.model_dump(mode="json")}, indent=2, ensure_ascii=False))
