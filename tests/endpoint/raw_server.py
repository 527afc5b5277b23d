"""A server below HTTP: it says byte for byte what a test wants, and when."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

Talk = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n"


@asynccontextmanager
async def raw_server(talk: Talk) -> AsyncIterator[str]:
    """The base URL of a server that handles each connection with `talk`."""
    open_: set[asyncio.Task[None]] = set()

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        open_.add(task)
        try:
            await talk(reader, writer)
        except (ConnectionError, asyncio.CancelledError):
            pass
        finally:
            open_.discard(task)
            writer.close()

    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        server.close()
        for task in tuple(open_):
            task.cancel()
        await asyncio.sleep(0)


async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Accepts, and says nothing."""
    await asyncio.sleep(60)


async def stalled(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Sends headers, and stops."""
    writer.write(HEAD)
    await writer.drain()
    await asyncio.sleep(60)


async def dripping(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Sends a byte every now and then, each well within any time limit for one read."""
    writer.write(HEAD)
    while True:
        writer.write(b" ")
        await writer.drain()
        await asyncio.sleep(0.05)


async def closing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Reads the request and hangs up in the middle of the reply."""
    await reader.readuntil(b"\r\n\r\n")
    writer.write(HEAD + b"{")
    await writer.drain()
