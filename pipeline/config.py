"""Settings: the one reader of the environment, turned into an endpoint."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from platformdirs import user_data_path

from pipeline.endpoint.base import Endpoint, EndpointInfo
from pipeline.errors import ConfigError
from pipeline.scorer import scorer_model

if TYPE_CHECKING:
    from pipeline.endpoint.client import Target
    from pipeline.endpoint.panel import Judge, PanelEndpoint

ENVIRONMENT = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "GRADER_MODEL")
NO_KEY = "none"
"""Sent where an address needs no key: the protocol's client insists on one."""
LONGEST_WAIT = 86_400
"""Seconds that a request may be given: a day."""
SAMPLING = 0.7
"""Temperature where several samples of an item are asked for."""


def open_endpoint(
    *,
    model: str | None = None,
    base_url: str | None = None,
    api_key: str | None = None,
    timeout: float | None = None,
    seed: int | None = 0,
    score_mode: Literal["verdict", "expected"] = "verdict",
    samples: int = 1,
    planning: bool = False,
    model_file: Path | None = None,
    environ: Mapping[str, str] | None = None,
) -> Endpoint:
    """The endpoint that arguments and environment ask for; without key or address, the embedded.

    `model_file` names the file that the embedded endpoint serves. `timeout` is in seconds for one
    request. Several samples need a temperature, to differ at all. What `grader doctor` found about
    an endpoint shapes the requests; score_mode "expected" rests on it. For `planning` nothing is
    called, so the model's file need not be there. Raises ConfigError.
    """
    settings = os.environ if environ is None else environ
    check_timeout(timeout)
    if model_file is not None:
        # A file that is named counts for more than what happens to be set in the environment.
        if model or base_url or api_key:
            raise ConfigError("--model-file is served on this machine: no --model or --base-url.")
        return _embedded(None, timeout, planning=planning, model_file=model_file)
    api_key = api_key or settings.get("OPENAI_API_KEY", "").strip() or None
    base_url = base_url or settings.get("OPENAI_BASE_URL", "").strip() or None
    model = model or settings.get("GRADER_MODEL", "").strip() or None
    if api_key is None and base_url is None:
        return _embedded(model, timeout, planning=planning)
    from pipeline.endpoint.profile import load_profile
    from pipeline.endpoint.remote import RemoteEndpoint

    target = _target(model, base_url, api_key, timeout, seed)
    profile = load_profile(target.base_url, target.model)
    if samples > 1:
        target = target.model_copy(update={"temperature": SAMPLING})
    if score_mode == "expected":
        if profile is None or not profile.logprobs:
            raise ConfigError(
                "--score-mode expected needs log-probabilities at the scores: run `grader doctor` "
                "with this endpoint and model, and see whether it sends them."
            )
        target = target.model_copy(update={"logprobs": True})
    return RemoteEndpoint(target, form=profile.form if profile else None)


def open_panel(
    judges: Sequence[str],
    *,
    base_url: str | None = None,
    timeout: float | None = None,
    seed: int = 0,
    environ: Mapping[str, str] | None = None,
) -> PanelEndpoint:
    """Several models as judges, each `model` or `model@https://host/v1`. Raises ConfigError."""
    from pipeline.endpoint.panel import PanelEndpoint, judge_of
    from pipeline.endpoint.remote import OPENAI, host_of

    settings = os.environ if environ is None else environ
    common = base_url or settings.get("OPENAI_BASE_URL", "").strip() or OPENAI
    panel = [judge_of(text) for text in judges]
    hosts = {judge: host_of(judge.base_url or common) for judge in panel}

    def key_for(judge: Judge) -> str | None:
        # What one host gave is none of another's business.
        meant = len({*hosts.values()}) == 1 or hosts[judge] == host_of(common)
        return settings.get(judge.key_name, "").strip() or (None if meant else NO_KEY)

    return PanelEndpoint(
        [
            open_endpoint(
                model=judge.model,
                base_url=judge.base_url or base_url,
                api_key=key_for(judge),
                timeout=timeout,
                seed=seed,
                environ=environ,
            )
            for judge in panel
        ]
    )


def names_an_address(base_url: str | None, environ: Mapping[str, str] | None = None) -> bool:
    """Whether option or environment name a key or an address: else the embedded model is meant."""
    settings = os.environ if environ is None else environ
    return bool(base_url or any(settings.get(name, "").strip() for name in ENVIRONMENT[:2]))


def open_target(
    *,
    model: str | None = None,
    base_url: str | None = None,
    timeout: float | None = None,
    environ: Mapping[str, str] | None = None,
) -> Target:
    """Where and how to call, for the doctor. Raises ConfigError without an address or key."""
    settings = os.environ if environ is None else environ
    api_key = settings.get("OPENAI_API_KEY", "").strip() or None
    base_url = base_url or settings.get("OPENAI_BASE_URL", "").strip() or None
    if api_key is None and base_url is None:
        raise ConfigError("the doctor examines an address: give --base-url or OPENAI_BASE_URL.")
    model = model or settings.get("GRADER_MODEL", "").strip() or None
    check_timeout(timeout)
    return _target(model, base_url, api_key, timeout, 0)


def check_timeout(timeout: float | None) -> None:
    """Raise ConfigError for a time limit that is none."""
    if timeout is not None and not 0 < timeout <= LONGEST_WAIT:
        raise ConfigError(
            f"--timeout is a number of seconds above 0 and up to {LONGEST_WAIT:,}: without a "
            "limit, a server that never answers would hold the run for ever."
        )


def _target(
    model: str | None,
    base_url: str | None,
    api_key: str | None,
    timeout: float | None,
    seed: int | None,
) -> Target:
    if model is None:
        raise ConfigError(
            "a key or base URL is set, but no model: give --model or set GRADER_MODEL. "
            f"(To use the embedded model, unset {' and '.join(ENVIRONMENT[:2])}.)"
        )
    if api_key is not None and not (api_key.isascii() and api_key.isprintable()):
        raise ConfigError(
            "the key holds a character that no request header may carry: copy it again into "
            f"{ENVIRONMENT[0]}, without line ends, quotes or full-width letters."
        )
    if not model.isprintable():
        raise ConfigError(
            "the model's name holds a sign that cannot be shown or is no UTF-8: type it anew as "
            "--model or GRADER_MODEL."
        )
    from pipeline.endpoint.client import Target
    from pipeline.endpoint.remote import OPENAI, checked_address

    return Target(
        base_url=checked_address(base_url or OPENAI),
        api_key=api_key or NO_KEY,
        model=model,
        seed=seed,
        timeout=timeout or 120.0,
    )


def _embedded(
    model: str | None, timeout: float | None, *, planning: bool, model_file: Path | None = None
) -> Endpoint:
    if model is not None:
        raise ConfigError(
            "a model is named, but neither key nor base URL: set OPENAI_API_KEY or give "
            "--base-url, or leave the model out to use the embedded one."
        )
    from pipeline.endpoint.embedded import EmbeddedEndpoint

    return EmbeddedEndpoint(model_file, timeout=timeout or 600.0, planning=planning)


def default_prompt_set(info: EndpointInfo) -> Path:
    """The set that suits an endpoint: one whose scorer was fitted to its states, if there is one.

    What the user fitted goes before what came with the program.
    """
    if not info.reads:
        return prompt_set_folder()
    own, shipped = fitted_set_folder(info.read_by), prompt_set_folder("compact")
    if scorer_model(own) == info.read_by:
        return own
    suits = not info.named or scorer_model(shipped) == info.read_by
    return shipped if suits else prompt_set_folder()


def fitted_set_folder(model: str) -> Path:
    """Where `grader fit` puts the prompt set with a scorer for a model of the user's."""
    name = "".join(sign if sign.isalnum() or sign in "._-" else "-" for sign in model)
    return user_data_path("interview-grader", appauthor=False) / "prompts" / name


def prompt_set_folder(name: str = "interview") -> Path:
    """A prompt set that comes with the program: beside the package, or inside an installed one."""
    package = Path(__file__).resolve().parent
    for folder in (package / "prompts" / name, package.parent / "prompts" / name):
        if (folder / "rubric.yaml").is_file():
            return folder
    raise ConfigError(f"the prompt set {name!r} did not come with this installation.")
