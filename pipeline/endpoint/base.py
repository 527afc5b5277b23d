"""What an endpoint is: something that maps messages to a reply."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, Literal, Protocol

from pipeline.endpoint.slots import Concurrency, Slots
from pipeline.records import Complete, Messages, Record, Reply

PlainFunction = Callable[[Messages], "Reply | str | Awaitable[Reply | str]"]


class EndpointInfo(Record):
    """What a run records about its endpoint."""

    kind: Literal["url", "embedded", "function"]
    """url: an address the user gave; embedded: the model on this machine; function: Python."""
    host: str
    """Host and port; never a key, a path with a key, or a user name."""
    route: str = ""
    """Digest of the address's path where it is not /v1: a gateway may choose the server by it."""
    model: str
    """The model asked for."""
    score_mode: Literal["verdict", "expected"] = "verdict"
    """verdict: the whole points written; expected: from the log-probabilities of the points."""
    text_limit: int = 300
    """Characters allowed for each quote, problem and rationale."""
    schema_bounds_texts: bool = False
    """Whether the reply schema states that limit; some endpoints refuse a schema that does."""
    answer_limit: int = 12_000
    """Characters of an answer that are sent; of longer ones the ends."""
    max_tokens: int = 2048
    """First allowance of reply tokens; a cut reply gets twice as many, once."""
    concurrency: Concurrency = 8
    """Calls at a time that suit this endpoint; auto finds out."""
    reads: bool = False
    """Whether it answers a reading with a state, as a scorer needs it."""
    reader: str = ""
    """The model that reads, where it is not the one that writes."""
    named: bool = False
    """Whether the user named the model's file."""

    @property
    def read_by(self) -> str:
        """The model whose states answer a reading."""
        return self.reader or self.model

    @property
    def identity(self) -> str:
        """What has to be the same for replies to be those of the same endpoint."""
        return " ".join(filter(None, (self.kind, self.host, self.route)))


class Endpoint(Protocol):
    """Opened once per run, used from one event loop."""

    @property
    def info(self) -> EndpointInfo:
        """What this endpoint is."""

    def session(
        self, context_tokens: int, slots: Slots | None = None
    ) -> AbstractAsyncContextManager[Complete]:
        """Ready to be called; `context_tokens` is what the longest prompt and reply may need.

        A call that waits to try again does so without its slot.
        """

    def parameters(self) -> dict[str, Any]:
        """The request parameters asked for, messages and schema left out."""

    def steps(self) -> tuple[str, ...]:
        """How requests were adapted to what the endpoint accepts, in words."""


class FunctionEndpoint:
    """A Python function as an endpoint: for tests and for models called in another way."""

    def __init__(self, function: PlainFunction, info: EndpointInfo | None = None) -> None:
        self._function = function
        name = getattr(function, "__name__", type(function).__name__)
        self.info = info or EndpointInfo(kind="function", host="", model=name)

    def parameters(self) -> dict[str, Any]:
        return {}

    def steps(self) -> tuple[str, ...]:
        return ()

    @asynccontextmanager
    async def session(
        self, context_tokens: int, slots: Slots | None = None
    ) -> AsyncIterator[Complete]:
        yield self._complete

    async def _complete(self, messages: Messages) -> Reply:
        answer = self._function(messages)
        reply = await answer if inspect.isawaitable(answer) else answer
        return Reply(text=reply) if isinstance(reply, str) else reply


def as_endpoint(endpoint: Endpoint | PlainFunction) -> Endpoint:
    """The endpoint itself, or a plain function made into one."""
    if callable(endpoint):
        return FunctionEndpoint(endpoint)
    return endpoint
