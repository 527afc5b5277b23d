"""A loopback endpoint in a process of its own: set latency, refusals and faults, little else.

It parses no more of HTTP than the client sends, so that it is never what is measured.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

CRITERIA = ("relevance", "correctness", "depth", "evidence", "clarity")
REFUSED = b'{"error":{"message":"busy","type":"rate_limit","code":"rate_limit"}}'


@dataclass(frozen=True)
class Behaviour:
    """What the server does; shares are of all requests."""

    latency: float = 0.05
    """Seconds from request to reply."""
    refused: float = 0.0
    """Share answered with 429 and a Retry-After of 0.2 s."""
    malformed: float = 0.0
    """Share of replies that are no verdict."""
    failed: float = 0.0
    """Share answered with 500."""


@contextmanager
def running(behaviour: Behaviour) -> Iterator[str]:
    """The base URL of a server that lives as long as the block."""
    command = [sys.executable, "-m", "evals.bench.server"]
    command += [f"--{name}={value}" for name, value in vars(behaviour).items()]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(process.stdout.readline())}/v1"
        finally:
            process.kill()


def reply_body(text: str) -> bytes:
    """A completion as a server would send it."""
    completion = {
        "id": "bench",
        "object": "chat.completion",
        "model": "bench-1",
        "choices": [
            {
                "index": 0,
                "finish_reason": "stop",
                "message": {"role": "assistant", "content": text},
            }
        ],
        "usage": {"prompt_tokens": 2_500, "completion_tokens": 200, "total_tokens": 2_700},
    }
    return json.dumps(completion, ensure_ascii=False).encode()


def verdict() -> str:
    """A valid reply of usual length, with quotes of the answer that the bench sends."""
    entry = {
        "quote": "写入时要多维护一棵树",
        "problems": "没有说明写放大的具体代价，也没有给出任何测量数据来支持这个结论。",
        "rationale": "指出了索引维护的成本，方向正确，但停留在一般描述，没有展开机制。",
        "score": 3,
    }
    return json.dumps(dict.fromkeys(CRITERIA, entry), ensure_ascii=False)


class Connection(asyncio.Protocol):
    """One connection; requests come one after the other."""

    def __init__(self, behaviour: Behaviour, chance: random.Random, bodies: list[bytes]) -> None:
        self._behaviour, self._chance, self._bodies = behaviour, chance, bodies
        self._buffer = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        head, found, rest = self._buffer.partition(b"\r\n\r\n")
        if not found:
            return
        lines = head.lower().split(b"\r\n")
        lengths = [line for line in lines if line.startswith(b"content-length:")]
        length = int(lengths[0].split(b":")[1]) if lengths else 0
        if len(rest) >= length:
            self._buffer = rest[length:]
            loop = asyncio.get_running_loop()
            loop.call_later(self._behaviour.latency, self._answer)

    def _answer(self) -> None:
        roll, told = self._chance.random(), self._behaviour
        good, bad = self._bodies
        if roll < told.refused:
            self._send(b"429 Too Many Requests", REFUSED, b"Retry-After-Ms: 200\r\n")
        elif roll < told.refused + told.failed:
            self._send(b"500 Internal Server Error", REFUSED)
        elif roll < told.refused + told.failed + told.malformed:
            self._send(b"200 OK", bad)
        else:
            self._send(b"200 OK", good)

    def _send(self, status: bytes, body: bytes, more: bytes = b"") -> None:
        head = b"HTTP/1.1 %s\r\nContent-Type: application/json\r\n%sContent-Length: %d\r\n\r\n"
        assert isinstance(self._transport, asyncio.Transport)
        if not self._transport.is_closing():
            self._transport.write(head % (status, more, len(body)) + body)


async def serve(behaviour: Behaviour) -> None:
    """Serve for ever, after printing the port."""
    chance = random.Random(1)
    bodies = [reply_body(verdict()), reply_body("Score: 4 of 5.")]
    loop = asyncio.get_running_loop()
    server = await loop.create_server(
        lambda: Connection(behaviour, chance, bodies), "127.0.0.1", 0, backlog=2_048
    )
    sys.stdout.write(f"{server.sockets[0].getsockname()[1]}\n")
    sys.stdout.flush()
    await server.serve_forever()


def main() -> None:
    """Run one server."""
    parser = argparse.ArgumentParser()
    for name, value in vars(Behaviour()).items():
        parser.add_argument(f"--{name}", type=float, default=value)
    asyncio.run(serve(Behaviour(**vars(parser.parse_args()))))


if __name__ == "__main__":
    main()
