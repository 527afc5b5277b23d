"""A server of the embedded model that is started by its first call: no run waits for what it does
not use."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractContextManager, AsyncExitStack
from functools import partial

from pipeline.endpoint.client import Target, completing, connected
from pipeline.endpoint.exchange import LONGEST_STATES, QuickClient
from pipeline.endpoint.form import Adapted
from pipeline.endpoint.llama_server import Served
from pipeline.endpoint.retry import RetryPolicy
from pipeline.endpoint.states import read_state
from pipeline.endpoint.wire import QuickOpenAI
from pipeline.records import Complete, Messages, Reply

Start = Callable[[], AbstractContextManager[Served]]
POLICY = RetryPolicy(attempts=2, unreachable=(0.0, 0.0))
"""A server of ours that is not there has ended, and nobody starts it again in this session."""


class LazyServer:
    """One server, called by one item at a time; `stack` stops it."""

    def __init__(self, stack: AsyncExitStack, start: Start, target: Callable[..., Target]) -> None:
        self._stack, self._start, self._target = stack, start, target
        self._open: tuple[QuickOpenAI, Target] | None = None
        self._complete: Complete | None = None

    async def read(self, messages: Messages) -> Reply:
        """The state of what is to be read. Raises ModelError, EndpointError, StopRun."""
        client, target = await self._opened()
        return await read_state(client, target, POLICY, messages)

    async def complete(self, messages: Messages) -> Reply:
        """The reply to the turns. Raises the same."""
        client, target = await self._opened()
        if self._complete is None:
            self._complete = completing(client, target, POLICY, Adapted(), None)
        return await self._complete(messages)

    async def _opened(self) -> tuple[QuickOpenAI, Target]:
        if self._open is None:
            served = await self._started()
            target = self._target(base_url=served.base_url, api_key=served.api_key)
            client = await self._stack.enter_async_context(
                connected(target, partial(QuickClient, longest=LONGEST_STATES))
            )
            self._open = (client, target)
        return self._open

    async def _started(self) -> Served:
        """The server, begun in a thread so that the others are answered meanwhile."""

        def start() -> tuple[AbstractContextManager[Served], Served]:
            server = self._start()
            return server, server.__enter__()

        starting = asyncio.ensure_future(asyncio.to_thread(start))
        try:
            _, served = await asyncio.shield(starting)
        finally:
            # A run that is stopped meanwhile still has to stop what it started.
            await asyncio.wait([starting])
            if not starting.cancelled() and starting.exception() is None:
                self._stack.push(starting.result()[0])
        return served
