"""Settings: the one reader of the environment, turned into an endpoint."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from pipeline.endpoint.base import Endpoint
from pipeline.errors import ConfigError

ENVIRONMENT = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "GRADER_MODEL")
NO_KEY = "none"
"""Sent where an address needs no key: the protocol's client insists on one."""


def open_endpoint(
    *,
    model: str | None = None,
    base_url: str | None = None,
    api_key: str | None = None,
    timeout: float | None = None,
    seed: int | None = 0,
    environ: Mapping[str, str] | None = None,
) -> Endpoint:
    """The endpoint that arguments and environment ask for; without key or address, the embedded.

    `timeout` is in seconds for one request. Raises ConfigError.
    """
    settings = os.environ if environ is None else environ
    api_key = api_key or settings.get("OPENAI_API_KEY", "").strip() or None
    base_url = base_url or settings.get("OPENAI_BASE_URL", "").strip() or None
    model = model or settings.get("GRADER_MODEL", "").strip() or None
    if api_key is None and base_url is None:
        return _embedded(model, timeout)
    if model is None:
        raise ConfigError(
            "a key or base URL is set, but no model: give --model or set GRADER_MODEL. "
            f"(To use the embedded model, unset {' and '.join(ENVIRONMENT[:2])}.)"
        )
    from pipeline.endpoint.client import Target
    from pipeline.endpoint.remote import OPENAI, RemoteEndpoint

    target = Target(
        base_url=base_url or OPENAI,
        api_key=api_key or NO_KEY,
        model=model,
        seed=seed,
        timeout=timeout or 120.0,
    )
    return RemoteEndpoint(target)


def _embedded(model: str | None, timeout: float | None) -> Endpoint:
    if model is not None:
        raise ConfigError(
            "a model is named, but neither key nor base URL: set OPENAI_API_KEY or give "
            "--base-url, or leave the model out to use the embedded one."
        )
    from pipeline.endpoint.embedded import EmbeddedEndpoint

    return EmbeddedEndpoint(timeout=timeout or 600.0)


def prompt_set_folder(name: str = "interview") -> Path:
    """A prompt set that comes with the program: beside the package, or inside an installed one."""
    package = Path(__file__).resolve().parent
    for folder in (package / "prompts" / name, package.parent / "prompts" / name):
        if (folder / "rubric.yaml").is_file():
            return folder
    raise ConfigError(f"the prompt set {name!r} did not come with this installation.")
