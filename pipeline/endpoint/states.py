"""The states of a text that the embedded model only reads, over its server's own routes.

The server gives the last hidden state at every token. The mean over the answer's tokens goes back:
what the model makes of an answer after having read question and aim (mean pooling).
"""

from __future__ import annotations

import asyncio
import json
import time
from functools import partial
from typing import Any

from openai import AsyncOpenAI

from pipeline.endpoint.client import Target
from pipeline.endpoint.faults import BrokenReply, NoReplyInTime
from pipeline.endpoint.retry import RetryPolicy, with_retries
from pipeline.records import ANSWER_TOKENS, FRAME_TOKENS, Messages, Reading, Reply, Usage

DECIMALS = 4
"""States are a few units wide; what is beyond is noise of the arithmetic."""


async def read_state(
    client: AsyncOpenAI, target: Target, policy: RetryPolicy, messages: Messages
) -> Reply:
    """The reply to a reading. Raises EndpointError, StopRun."""
    if messages.reading is None:
        raise ValueError("these messages ask for a text")
    started = time.monotonic()
    request = partial(_read, client, target, messages.reading)
    (state, tokens, unread, unread_frame), attempts = await with_retries(request, policy)
    return Reply(
        text="",
        model=target.model,
        state=state,
        unread=unread,
        unread_frame=unread_frame,
        usage=Usage(input_tokens=tokens, output_tokens=0),
        attempts=attempts,
        seconds=time.monotonic() - started,
    )


async def _read(
    client: AsyncOpenAI, target: Target, reading: Reading
) -> tuple[tuple[float, ...], int, int, int]:
    """The state, the tokens read, and those of the answer and of the frame that were not."""
    # Neither route has a name under /v1: pooled states leave no way to tell the answer's apart.
    root = target.base_url.removesuffix("/v1")

    async def post(route: str, body: dict[str, Any]) -> Any:
        return _parsed(await client.post(f"{root}/{route}", cast_to=str, body=body))

    async def tokens_of(text: str) -> list[int]:
        told = await post("tokenize", {"content": text, "parse_special": True})
        tokens: list[int] = _field(told, "tokens")
        return tokens

    try:
        async with asyncio.timeout(target.timeout):
            before = await tokens_of(reading.before)
            frame = ends_of(before, FRAME_TOKENS)
            whole = await tokens_of(reading.answer)
            answer = ends_of(whole, ANSWER_TOKENS)
            read = await post("embedding", {"content": [*frame, *answer]})
    except TimeoutError:
        raise NoReplyInTime from None
    state = _mean_state(read, len(frame))
    read_tokens = len(frame) + len(answer)
    return state, read_tokens, len(whole) - len(answer), len(before) - len(frame)


def ends_of(tokens: list[int], most: int) -> list[int]:
    """All tokens, or of a longer text the first two thirds of `most` and the last."""
    if len(tokens) <= most:
        return tokens
    head = most * 2 // 3
    return tokens[:head] + tokens[head - most :]


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        raise BrokenReply("status 200 without JSON in it", None) from None


def _field(tree: Any, name: str) -> Any:
    try:
        return tree[name]
    except (KeyError, IndexError, TypeError):
        raise BrokenReply(f"status 200 without {name} in it", None) from None


def _mean_state(told: Any, start: int) -> tuple[float, ...]:
    """Mean of the states from token `start` on."""
    import numpy as np

    rows = _field(told[0] if isinstance(told, list) and told else told, "embedding")
    try:
        states = np.array(rows, dtype=np.float64)
    except (TypeError, ValueError):
        states = np.empty(0)
    if states.ndim != 2 or len(states) <= start or not np.isfinite(states).all():
        raise BrokenReply("status 200 without a state for each token", None)
    return tuple(float(part) for part in states[start:].mean(axis=0).round(DECIMALS))
