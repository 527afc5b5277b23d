"""What is known about an endpoint and model by trying: found by `grader doctor`, kept in a file."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from pathlib import Path

from platformdirs import user_config_path
from pydantic import Field, ValidationError

from pipeline.atomic import replace_text
from pipeline.endpoint.form import Form
from pipeline.errors import ConfigError
from pipeline.records import Record


class Finding(Record):
    """What one probe found."""

    name: str
    """What was tried."""
    works: bool | None
    """None where it could not be told."""
    seen: str
    """What the endpoint did, in a few words."""
    means: str
    """What follows for grading."""


class Profile(Record):
    """How to call one model at one endpoint."""

    host: str
    """Host and port."""
    model: str
    """The model asked for."""
    probed: str = Field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))
    """When, in UTC."""
    form: Form = Form()
    """The form of requests that works."""
    logprobs: bool = False
    """Whether log-probabilities of the alternatives come at a score."""
    varies: bool = False
    """Whether another seed or a temperature above 0 can give another reply."""
    context_tokens: int | None = None
    """Prompt tokens that were seen from end to end; None where it was not tried."""
    findings: tuple[Finding, ...] = ()
    """All that was found."""


def default_folder() -> Path:
    """Where the user's profiles lie."""
    return user_config_path("interview-grader", appauthor=False) / "profiles"


def path_of(base_url: str, model: str, folder: Path) -> Path:
    """The profile of one endpoint and model; a digest, since addresses may hold keys."""
    name = hashlib.sha256(f"{base_url.rstrip('/')}\n{model}".encode()).hexdigest()[:24]
    return folder / f"{name}.json"


def load_profile(base_url: str, model: str, folder: Path | None = None) -> Profile | None:
    """The profile, or None where there is none. Raises ConfigError for a damaged file."""
    path = path_of(base_url, model, folder or default_folder())
    try:
        return Profile.model_validate_json(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValidationError, UnicodeDecodeError):
        raise ConfigError(f"{path}: cannot be read. Delete it, or run `grader doctor`.") from None


def save_profile(profile: Profile, base_url: str, folder: Path | None = None) -> Path:
    """Keep a profile; the path it lies at."""
    path = path_of(base_url, profile.model, folder or default_folder())
    path.parent.mkdir(parents=True, exist_ok=True)
    text = profile.model_dump_json(indent=2) + "\n"
    replace_text(path, text)
    return path
