"""The embedded endpoint: the model on this machine, served by a child while the session lasts."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import AbstractContextManager, AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped, unused-ignore]

from pipeline.endpoint.base import EndpointInfo
from pipeline.endpoint.client import Target
from pipeline.endpoint.lazy_server import LazyServer, Start
from pipeline.endpoint.llama_server import Served, memory_needed, require_extra, serve
from pipeline.endpoint.model_choice import describe
from pipeline.endpoint.model_file import EMBEDDED, READER, LocalModel, model_path
from pipeline.endpoint.proof import require_proved
from pipeline.endpoint.reader_file import require_reader
from pipeline.endpoint.slots import Slots
from pipeline.records import Complete, Messages, Reply

SERVERS = 2
"""Calls at a time, the cores shared out among them, each with a server of its own. One server with
two calls is as fast on an idle machine, but its threads wait for one another at every layer: beside
other work it was measured at a tenth of that."""
SLOTS = 2
"""Of a server that reads and writes: a reading in the same slot would cost the turns their cached
beginning, which is most of their prompt."""
READING_CONTEXT = 1_024
CONTEXT = (4_096, 32_768)
"""Least and most tokens of a prompt and its reply, if the model was trained on so many."""
TEXT_LIMIT = 40
"""Characters of a quote, problem or rationale: output is the slow part."""
ANSWER_LIMIT = 2_000
"""Characters of an answer from which evidence is taken: at some 70 tokens a second ten thousand
would take minutes."""


class EmbeddedEndpoint:
    """The published model file, or another GGUF file that the user names."""

    def __init__(
        self, model: Path | None = None, *, timeout: float = 600.0, planning: bool = False
    ) -> None:
        self._model = describe(model) if model else EMBEDDED
        # A plan says what a run would take, also before the model has been fetched.
        self._path = model or model_path()
        if not (model or planning):
            require_proved(self._path, EMBEDDED)
        self._timeout = timeout
        self.info = EndpointInfo(
            kind="embedded",
            host="127.0.0.1",
            model=self._model.name,
            reader=READER.name if self._model is EMBEDDED else "",
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
        nowhere = Target(base_url="", api_key="", model=self._model.name, **self._fixed())
        return nowhere.parameters()

    def steps(self) -> tuple[str, ...]:
        """None: this server accepts all that is sent."""
        return ()

    @asynccontextmanager
    async def session(
        self, context_tokens: int, slots: Slots | None = None
    ) -> AsyncIterator[Complete]:
        """Servers with room for the longest prompt, started when first called, and stopped on
        every way out."""
        require_extra()
        free: asyncio.Queue[Complete] = asyncio.Queue()
        tokens = slot_size(context_tokens, self._model.context_tokens)
        calls = servers_that_fit(self._model, tokens, psutil.virtual_memory().available)
        threads = max(1, (os.cpu_count() or 1) // calls)
        target = partial(Target, model=self._model.name, **self._fixed())
        async with AsyncExitStack() as stack:
            for _ in range(calls):
                writer = LazyServer(stack, self._writing(tokens, threads), target)
                reader = writer
                if self.info.reader:
                    reader = LazyServer(stack, reading(self._path, threads), target)
                free.put_nowait(partial(read_and_complete, reader.read, writer.complete))
            yield partial(call_a_free_one, free)

    def _writing(self, tokens: int, threads: int) -> Start:
        reads = not self.info.reader
        slots = SLOTS if reads else 1
        return partial(
            serve,
            self._path,
            context_tokens=tokens,
            slots=slots,
            threads=threads,
            expected=self._model,
            reads=reads,
        )

    def _fixed(self) -> dict[str, Any]:
        return {"logprobs": True, "timeout": self._timeout, "connections": 1}


def reading(whole: Path, threads: int) -> Start:
    """A server of the first layers, which only reads."""

    def start() -> AbstractContextManager[Served]:
        path = require_reader(whole)
        return serve(
            path, context_tokens=READING_CONTEXT, slots=1, threads=threads, expected=READER
        )

    return start


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
            "unread_frame": seen.unread_frame,
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
    needed = memory_needed(model, tokens * SLOTS)
    if model is EMBEDDED:
        needed += memory_needed(READER, READING_CONTEXT)
    return max(1, min(SERVERS, available // needed))
