"""One call over the `openai` package: request body, reply, and nothing retried twice."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from ipaddress import ip_address
from typing import Any
from urllib.parse import parse_qsl, urlsplit, urlunsplit

import openai
from openai import DefaultAioHttpClient

from pipeline.endpoint.exchange import QuickClient, TooLong
from pipeline.endpoint.faults import NOT_READABLE, TOO_LONG, BrokenReply, NoReplyInTime
from pipeline.endpoint.form import Adapted, Form, request_body
from pipeline.endpoint.replies import read_reply
from pipeline.endpoint.retry import RetryPolicy, with_retries
from pipeline.endpoint.slots import Slots
from pipeline.endpoint.watch import NO_ALTERNATIVES, Watch
from pipeline.endpoint.wire import Encoder, QuickOpenAI, text_of_body
from pipeline.errors import EndpointError, StopRun
from pipeline.records import Complete, Messages, Record, Reply

TOP_LOGPROBS = 10
MOST_STEPS = 10
"""More than there are parameters to leave out and rungs to step down."""


class Target(Record):
    """Where and how to call."""

    base_url: str
    """Address up to and including /v1; a query goes behind the path of each call."""
    api_key: str
    """Never logged, never stored."""
    model: str
    """The model to ask for."""
    logprobs: bool = False
    """Whether to ask for log-probabilities."""
    seed: int | None = 0
    """Sampling seed; None leaves it out."""
    temperature: float = 0.0
    """Above 0 only where several samples are to differ."""
    timeout: float = 120.0
    """Seconds for one request from connect to the last byte."""
    connections: int = 1024
    """Largest number of open connections."""

    def parameters(self) -> dict[str, Any]:
        """The request parameters besides messages, schema and allowance."""
        chosen: dict[str, Any] = {"model": self.model, "temperature": self.temperature or 0}
        if self.seed is not None:
            chosen["seed"] = self.seed
        if self.logprobs:
            chosen |= {"logprobs": True, "top_logprobs": TOP_LOGPROBS}
        return chosen


@asynccontextmanager
async def connected(
    target: Target, http_client: Callable[..., DefaultAioHttpClient] = QuickClient
) -> AsyncIterator[QuickOpenAI]:
    """The SDK's client for one event loop, closed at the end. Its own retries are off."""
    address = urlsplit(target.base_url)
    transport = http_client(
        timeout=openai.Timeout(target.timeout, connect=min(10.0, 0.8 * target.timeout)),
        limits=_limits(target.connections),
        # Certificates take a while to load, and plain HTTP shows none.
        verify=address.scheme != "http",
        trust_env=not is_loopback(target.base_url),
        # Texts go to the address that was named before the first call, and to no other.
        follow_redirects=False,
    )
    client = QuickOpenAI(
        base_url=urlunsplit(address._replace(query="")),
        # Gateways want it behind the path of every call: `?api-version=...`.
        default_query=dict(parse_qsl(address.query, keep_blank_values=True)),
        api_key=target.api_key,
        max_retries=0,
        http_client=transport,
    )
    try:
        yield client
    finally:
        await client.close()


@asynccontextmanager
async def open_client(
    target: Target, policy: RetryPolicy, adapted: Adapted, slots: Slots | None = None
) -> AsyncIterator[Complete]:
    """Calls to one model.

    `adapted` holds the form of the requests, and takes down what the endpoint rejects; `slots`
    learn how the endpoint takes the load.
    """
    async with connected(target) as client:
        yield completing(client, target, policy, adapted, slots)


def completing(
    client: QuickOpenAI, target: Target, policy: RetryPolicy, adapted: Adapted, slots: Slots | None
) -> Complete:
    """Calls to one model over an open client."""
    post = _posting(client, target)
    host = urlsplit(target.base_url).netloc.rpartition("@")[2]
    watched = Watch(slots, host, policy.unreachable)
    pause = partial(slots.pause, sleep=policy.sleep) if slots else None

    async def complete(messages: Messages) -> Reply:
        started, made = time.monotonic(), 0
        for _ in range(MOST_STEPS):
            form = adapted.form
            try:
                request = partial(watched.request, partial(post, messages, form))
                reply, attempts = await watched.call(with_retries(request, policy, pause))
            except EndpointError as error:
                made += error.attempts
                rejection = error.__cause__
                if isinstance(rejection, openai.APIStatusError) and adapted.adopt(form, rejection):
                    check_form(target, adapted.form)
                    continue
                raise
            made += attempts
            if target.logprobs:
                watched.check_alternatives(reply)
            seconds = time.monotonic() - started
            return reply.model_copy(update={"attempts": made, "seconds": seconds})
        raise EndpointError("the endpoint rejects every form of the request", attempts=made)

    return complete


def _headers(messages: Messages) -> dict[str, str]:
    named = {"X-Client-Request-Id": messages.call_id} if messages.call_id else {}
    return {"Content-Type": "application/json", **named}


def _posting(client: QuickOpenAI, target: Target) -> Callable[[Messages, Form], Awaitable[Reply]]:
    """One request: a reply, or one of the errors that the failure policy knows."""

    encoder, base = Encoder(), client.base_url
    address = str(base.copy_with(raw_path=base.raw_path + b"chat/completions"))

    async def post(messages: Messages, form: Form) -> Reply:
        content = encoder.encoded(request_body(messages, target.parameters(), form))
        try:
            async with asyncio.timeout(target.timeout):
                told = await client.post_bytes(address, content, _headers(messages))
            text = text_of_body(told)
        except openai.APIError:
            raise
        except TimeoutError:
            raise NoReplyInTime from None
        except Exception as error:
            # What is no HTTP or no text comes through as errors of the libraries below the SDK.
            raise BrokenReply(TOO_LONG if isinstance(error, TooLong) else NOT_READABLE) from error
        return read_reply(text)

    return post


def check_form(target: Target, form: Form) -> None:
    """Raise StopRun where expected scores are wanted and what they are made of is not to be had."""
    if target.logprobs and {"logprobs", "top_logprobs"} & {*form.dropped}:
        raise StopRun(NO_ALTERNATIVES)


def is_loopback(base_url: str) -> bool:
    """Whether an address is this machine: then no proxy of the environment may see the call."""
    host = (urlsplit(base_url).hostname or "").removesuffix(".")
    try:
        address = ip_address(host)
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
    # One that names no interface reaches this machine as well.
    meant = getattr(address, "ipv4_mapped", None) or address
    return bool(meant.is_loopback or meant.is_unspecified)


def _limits(connections: int) -> Any:
    defaults = openai.DEFAULT_CONNECTION_LIMITS
    return type(defaults)(max_connections=connections, max_keepalive_connections=connections)
