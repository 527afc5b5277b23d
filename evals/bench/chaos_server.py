"""A loopback endpoint that keeps to the scripts of its world, and writes down every request."""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NamedTuple

from evals.bench.chaos_replies import response
from evals.bench.chaos_world import World, number_in

LATENCY = 0.1
"""Seconds to a reply."""
HANG = 600.0
"""Seconds without a word: longer than any client waits."""


class Call(NamedTuple):
    """One request as the server saw it."""

    session: int
    number: int
    """Of the item."""
    kind: str
    """What was answered."""


@dataclass
class ChaosServer:
    """A running server. `session` and `blocked` are set from outside."""

    world: World
    base_url: str = ""
    session: int = 0
    blocked: str = ""
    """A kind that every request gets while it is set: locked_out, spent."""
    calls: list[Call] = field(default_factory=list)
    met: Counter[int] = field(default_factory=Counter)
    """By item, how much of its script has been played."""

    def next_kind(self, number: int) -> str:
        """What the next request about this item meets."""
        if self.blocked:
            return self.blocked
        script = self.world.script_of(number)
        place = self.met[number]
        self.met[number] += 1
        return script[place] if place < len(script) else "good"

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection; requests come one after the other."""
        ends = (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError)
        with contextlib.suppress(*ends):
            while await self.answered(reader, writer):
                pass
        writer.close()

    async def answered(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Take one request and answer it; whether the connection is good for another."""
        number = number_in(await read_prompt(reader))
        kind = self.next_kind(number)
        self.calls.append(Call(self.session, number, kind))
        await asyncio.sleep(HANG if kind == "hung" else LATENCY)
        if kind == "torn":
            writer.transport.abort()
            return False
        content = response(kind, self.world, number)
        writer.write(content[:-40] if kind == "torn_body" else content)
        await writer.drain()
        return kind != "torn_body"


async def read_prompt(reader: asyncio.StreamReader) -> str:
    """The texts of one request. Raises IncompleteReadError at the end of the connection."""
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    length = int(head.split(b"content-length:")[1].split(b"\r\n")[0])
    body = json.loads(await reader.readexactly(length))
    return "\n".join(turn["content"] for turn in body["messages"])


@contextmanager
def serving(world: World) -> Iterator[ChaosServer]:
    """A server in a thread of its own, as long as the block lasts."""
    served, loop = ChaosServer(world), asyncio.new_event_loop()

    async def start() -> asyncio.Server:
        return await asyncio.start_server(served.handle, "127.0.0.1", 0, backlog=512)

    server = loop.run_until_complete(start())
    served.base_url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()

    async def stop() -> None:
        server.close()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    try:
        yield served
    finally:
        asyncio.run_coroutine_threadsafe(stop(), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
        loop.close()
