"""The embedded endpoint: the model on this machine, served by a child while the session lasts."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped, unused-ignore]

from pipeline.endpoint.base import EndpointInfo
from pipeline.endpoint.client import Target, completing, connected
from pipeline.endpoint.form import Adapted
from pipeline.endpoint.llama_server import memory_needed, serve
from pipeline.endpoint.model_choice import describe
from pipeline.endpoint.model_file import EMBEDDED, LocalModel, model_path, require_model
from pipeline.endpoint.retry import RetryPolicy
from pipeline.endpoint.slots import Slots
from pipeline.endpoint.states import read_state
from pipeline.records import Complete, Messages, Reply

SERVERS = 2
"""Processes with a call each, the cores shared out among them. One server with two calls is as
fast on an idle machine, but its threads wait for one another at every layer: beside other work
it was measured at a tenth of that."""
SLOTS = 2
"""One for readings and one for turns: a reading in the same slot would cost the turns their
cached beginning, which is most of their prompt."""
CONTEXT = (4_096, 32_768)
"""Least and most tokens of a prompt and its reply, if the model was trained on so many."""
TEXT_LIMIT = 40
"""Characters of a quote, problem or rationale: output is the slow part."""
ANSWER_LIMIT = 2_000
"""Characters of an answer from which evidence is taken: at some 70 tokens a second ten thousand
would take minutes."""

POLICY = RetryPolicy(attempts=2, unreachable=(0.0, 0.0))
"""A server of ours that is not there has ended, and nobody starts it again in this session."""


class EmbeddedEndpoint:
    """The published model file, or another GGUF file that the user names."""

    def __init__(
        self, model: Path | None = None, *, timeout: float = 600.0, planning: bool = False
    ) -> None:
        self._model = describe(model) if model else EMBEDDED
        # A plan says what a run would take, also before the model has been fetched.
        self._path = model or (model_path() if planning else require_model())
        self._timeout = timeout
        self.info = EndpointInfo(
            kind="embedded",
            host="127.0.0.1",
            model=self._model.name,
            named=model is not None,
            score_mode="expected",
            text_limit=TEXT_LIMIT,
            schema_bounds_texts=True,
            answer_limit=ANSWER_LIMIT,
            max_tokens=768,
            concurrency=SERVERS,
            reads=True,
        )

    def parameters(self) -> dict[str, Any]:
        """The request parameters actually sent."""
        return self._target("", "").parameters()

    def steps(self) -> tuple[str, ...]:
        """None: this server accepts all that is sent."""
        return ()

    @asynccontextmanager
    async def session(
        self, context_tokens: int, slots: Slots | None = None
    ) -> AsyncIterator[Complete]:
        """Start the servers with room for the longest prompt, and stop them on every way out."""
        free: asyncio.Queue[Complete] = asyncio.Queue()
        tokens = slot_size(context_tokens, self._model.context_tokens)
        servers = servers_that_fit(self._model, tokens, psutil.virtual_memory().available)
        start = partial(
            serve,
            self._path,
            context_tokens=tokens,
            slots=SLOTS,
            threads=max(1, (os.cpu_count() or 1) // servers),
            expected=self._model,
        )
        async with AsyncExitStack() as stack:
            for _ in range(servers):
                served = stack.enter_context(start())
                target = self._target(served.base_url, served.api_key)
                client = await stack.enter_async_context(connected(target))
                complete = completing(client, target, POLICY, Adapted(), None)
                read = partial(read_state, client, target, POLICY)
                free.put_nowait(partial(read_and_complete, read, complete))
            yield partial(call_a_free_one, free)

    def _target(self, base_url: str, api_key: str) -> Target:
        return Target(
            base_url=base_url,
            api_key=api_key,
            model=self._model.name,
            logprobs=True,
            timeout=self._timeout,
            connections=1,
        )


async def read_and_complete(read: Complete, complete: Complete, messages: Messages) -> Reply:
    """The reading, and then the turns; either may be missing."""
    if messages.reading is None:
        return await complete(messages)
    seen = await read(messages)
    if not messages.turns:
        return seen
    said = await complete(messages)
    return said.model_copy(
        update={
            "state": seen.state,
            "unread": seen.unread,
            "usage": seen.usage + said.usage,
            "attempts": seen.attempts + said.attempts,
            "seconds": seen.seconds + said.seconds,
        }
    )


async def call_a_free_one(free: asyncio.Queue[Complete], messages: Messages) -> Reply:
    """One call by whichever server is free first."""
    complete = await free.get()
    try:
        return await complete(messages)
    finally:
        free.put_nowait(complete)


def slot_size(needed: int, trained: int = CONTEXT[1]) -> int:
    """Tokens of context for a slot, in steps of 1,024. Longer prompts are refused, not cut."""
    least, most = CONTEXT
    return min(max(-(-needed // 1_024) * 1_024, least), most, trained)


def servers_that_fit(model: LocalModel, tokens: int, available: int) -> int:
    """How many servers there is memory for, at least one: that one says what is wanting."""
    return max(1, min(SERVERS, available // memory_needed(model, tokens * SLOTS)))
