"""One call over the `openai` package: request body, reply, and nothing retried twice."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

import openai
from openai import AsyncOpenAI, DefaultAioHttpClient

from pipeline.endpoint.form import Adapted, Form, request_body
from pipeline.endpoint.retry import BrokenReply, RetryPolicy, with_retries
from pipeline.errors import EndpointError
from pipeline.records import Complete, Messages, Record, Reply, Token, Usage

TOP_LOGPROBS = 10
MOST_STEPS = 10
"""More than there are parameters to leave out and rungs to step down."""


class Target(Record):
    """Where and how to call."""

    base_url: str
    """Address up to and including /v1."""
    api_key: str
    """Never logged, never stored."""
    model: str
    """The model to ask for."""
    logprobs: bool = False
    """Whether to ask for log-probabilities."""
    seed: int | None = 0
    """Sampling seed; None leaves it out."""
    timeout: float = 120.0
    """Seconds for one request from connect to the last byte."""
    connections: int = 64
    """Largest number of open connections."""

    def parameters(self) -> dict[str, Any]:
        """The request parameters besides messages, schema and allowance."""
        chosen: dict[str, Any] = {"model": self.model, "temperature": 0}
        if self.seed is not None:
            chosen["seed"] = self.seed
        if self.logprobs:
            chosen |= {"logprobs": True, "top_logprobs": TOP_LOGPROBS}
        return chosen


@asynccontextmanager
async def open_client(
    target: Target, policy: RetryPolicy, adapted: Adapted
) -> AsyncIterator[Complete]:
    """A client for one event loop, closed at the end. The SDK's own retries are off.

    `adapted` holds the form of the requests, and takes down what the endpoint rejects.
    """
    transport = DefaultAioHttpClient(
        timeout=openai.Timeout(target.timeout, connect=min(10.0, target.timeout)),
        limits=_limits(target.connections),
        trust_env=not is_loopback(target.base_url),
    )
    client = AsyncOpenAI(
        base_url=target.base_url, api_key=target.api_key, max_retries=0, http_client=transport
    )

    async def post(messages: Messages, form: Form) -> Reply:
        body = request_body(messages, target.parameters(), form)
        headers = {"X-Client-Request-Id": messages.call_id} if messages.call_id else {}
        text = await client.post(
            "/chat/completions", cast_to=str, body=body, options={"headers": headers}
        )
        return read_reply(text)

    async def complete(messages: Messages) -> Reply:
        started, made = time.monotonic(), 0
        for _ in range(MOST_STEPS):
            form = adapted.form
            try:
                reply, attempts = await with_retries(partial(post, messages, form), policy)
            except EndpointError as error:
                made += error.attempts
                rejection = error.__cause__
                if isinstance(rejection, openai.APIStatusError) and adapted.adopt(form, rejection):
                    continue
                raise
            made += attempts
            seconds = time.monotonic() - started
            return reply.model_copy(update={"attempts": made, "seconds": seconds})
        raise EndpointError("the endpoint rejects every form of the request", attempts=made)

    try:
        yield complete
    finally:
        await client.close()


def is_loopback(base_url: str) -> bool:
    """Whether an address is this machine: then no proxy of the environment may see the call."""
    host = urlsplit(base_url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _limits(connections: int) -> Any:
    defaults = openai.DEFAULT_CONNECTION_LIMITS
    return type(defaults)(max_connections=connections, max_keepalive_connections=connections)


def read_reply(text: str) -> Reply:
    """A completion's JSON as a Reply. Raises BrokenReply where it is none."""
    try:
        body = json.loads(text)
        choice = body["choices"][0]
        message = choice["message"]
    except (ValueError, KeyError, IndexError, TypeError):
        raise BrokenReply("status 200 without a completion in it") from None
    if not isinstance(message, dict):
        raise BrokenReply("status 200 without a completion in it")
    return Reply(
        text=message.get("content") or arguments_of(message),
        finish_reason=choice.get("finish_reason"),
        refusal=message.get("refusal"),
        model=body.get("model"),
        fingerprint=body.get("system_fingerprint"),
        usage=read_usage(body.get("usage")),
        tokens=read_tokens(choice.get("logprobs")),
    )


def arguments_of(message: dict[str, Any]) -> str:
    """The arguments of a reply's only tool call; "" where there is none."""
    calls = message.get("tool_calls")
    if not isinstance(calls, list) or len(calls) != 1:
        return ""
    try:
        arguments = calls[0]["function"]["arguments"]
    except (KeyError, TypeError):
        return ""
    return arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)


def read_usage(usage: Any) -> Usage:
    """The usage block; what is absent or no number stays None."""
    if not isinstance(usage, dict):
        return Usage()
    details = usage.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, dict) else None
    counts = {
        "input_tokens": usage.get("prompt_tokens"),
        "output_tokens": usage.get("completion_tokens"),
        "cached_tokens": cached,
    }
    return Usage(**{name: count for name, count in counts.items() if isinstance(count, int)})


def read_tokens(logprobs: Any) -> tuple[Token, ...]:
    """The tokens with their alternatives; () where the reply has none."""
    content = logprobs.get("content") if isinstance(logprobs, dict) else None
    return tuple(
        Token(
            text=entry["token"],
            size=len(entry.get("bytes") or entry["token"].encode()),
            logprob=entry["logprob"],
            top=tuple((top["token"], top["logprob"]) for top in entry.get("top_logprobs") or ()),
        )
        for entry in content or ()
    )
