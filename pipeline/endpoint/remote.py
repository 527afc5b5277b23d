"""An endpoint behind a URL: any server that speaks the OpenAI chat completions protocol."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from hashlib import sha256
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from pipeline.endpoint.base import EndpointInfo
from pipeline.endpoint.client import Target, open_client
from pipeline.endpoint.form import Adapted, Form
from pipeline.endpoint.retry import RetryPolicy
from pipeline.endpoint.slots import Slots
from pipeline.errors import ConfigError
from pipeline.records import Complete

OPENAI = "https://api.openai.com/v1"


class RemoteEndpoint:
    """Calls one model at one address."""

    def __init__(
        self, target: Target, policy: RetryPolicy | None = None, form: Form | None = None
    ) -> None:
        self._target = target
        self._policy = policy or RetryPolicy()
        self._adapted = Adapted(form or Form(), ["form by a profile"] if form else [])
        self.info = EndpointInfo(
            kind="url",
            host=host_of(target.base_url),
            route=route_of(target.base_url),
            model=target.model,
            score_mode="expected" if target.logprobs else "verdict",
            concurrency="auto",
        )

    def parameters(self) -> dict[str, Any]:
        """The request parameters, the key left out."""
        return self._target.parameters()

    def steps(self) -> tuple[str, ...]:
        """How requests were adapted to what the endpoint accepts."""
        return tuple(self._adapted.steps)

    def session(
        self, context_tokens: int, slots: Slots | None = None
    ) -> AbstractAsyncContextManager[Complete]:
        """An open client; the context of a remote model is not ours to set."""
        return open_client(self._target, self._policy, self._adapted, slots)


def route_of(base_url: str) -> str:
    """A short digest of path and query, which may hold a key; "" for the usual /v1."""
    parts = urlsplit(base_url)
    path = parts.path.rstrip("/") + (f"?{parts.query}" if parts.query else "")
    return "" if path == "/v1" else f"path-{sha256(path.encode()).hexdigest()[:8]}"


def checked_address(base_url: str) -> str:
    """The address with its scheme in lower case. Raises ConfigError where it cannot be called."""
    host_of(base_url)
    parts = urlsplit(base_url)
    if "@" in parts.netloc:
        raise ConfigError(
            "the base URL holds a user name or password, which calls cannot carry: leave out what "
            "stands before the @, and give the key as OPENAI_API_KEY."
        )
    if parts.fragment:
        raise ConfigError("the base URL holds a #: leave it out, with all behind it.")
    return urlunsplit(parts)


def host_of(base_url: str) -> str:
    """Host and port of an address, for people. Raises ConfigError for what is no http address."""
    parts = urlsplit(base_url)
    try:
        port = parts.port
    except ValueError:
        port = -1
    if parts.scheme not in ("http", "https") or not parts.hostname or port == -1:
        raise ConfigError(
            "the base URL is not an http or https address; it looks like https://host/v1."
        )
    return parts.hostname if port is None else f"{parts.hostname}:{port}"
