"""When an endpoint counts as gone: nobody there, no certificate to trust, no probabilities."""

from __future__ import annotations

import asyncio
import json
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pipeline import grade
from pipeline.endpoint.client import Target, open_client
from pipeline.endpoint.connecting import connection_fault
from pipeline.endpoint.faults import NoReplyInTime, rule_for
from pipeline.endpoint.form import Adapted
from pipeline.endpoint.remote import RemoteEndpoint
from pipeline.endpoint.retry import RetryPolicy
from pipeline.endpoint.watch import BARE_AFTER
from pipeline.errors import StopRun
from pipeline.prompt import PromptSet
from pipeline.records import Message, Messages, Reply
from pipeline.verify import verify
from tests.conftest import SECRET
from tests.endpoint.raw_server import raw_server
from tests.endpoint.test_faults import interviews
from tests.loopback import Request, Response, completion, error, serve
from tests.scripted import verdict_json

MESSAGES = Messages(turns=(Message(role="user", content="x"),))
QUICK = RetryPolicy(first_wait=0.05, unreachable=(0.3, 30.0))


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def endpoint(url: str, policy: RetryPolicy = QUICK, *, logprobs: bool = False) -> RemoteEndpoint:
    target = Target(base_url=url, api_key="k", model="m", logprobs=logprobs, timeout=5.0)
    return RemoteEndpoint(target, policy)


def call(url: str, policy: RetryPolicy = QUICK) -> Reply:
    async def main() -> Reply:
        target = Target(base_url=url, api_key="k", model="m", timeout=5.0)
        async with open_client(target, policy, Adapted()) as complete:
            return await complete(MESSAGES)

    return asyncio.run(main())


@pytest.mark.parametrize("host", ["127.0.0.1", "nobody.invalid"])
def test_address_where_nobody_is_stops_the_run_with_the_remedy(
    prompts: PromptSet, tmp_path: Path, host: str
) -> None:
    url = f"http://{host}:{free_port()}/v1"
    with pytest.raises(StopRun, match=f"Nobody answers at {host}:.*same command again") as caught:
        grade(interviews(100), prompts=prompts, endpoint=endpoint(url), out=tmp_path, secret=SECRET)
    assert caught.value.exit_code == 4
    # No item is spent on it: the same command goes on, without --retry-errors.
    assert verify(tmp_path) == ([], 0)


def test_patience_of_a_command_is_a_few_seconds_at_first_and_longer_for_a_restart() -> None:
    first, later = RetryPolicy().unreachable
    assert 1 <= first <= 5
    assert 15 <= later <= 60


@contextmanager
def server_with_lives(*answers: int) -> Iterator[str]:
    """A server that ends after so many answers, and starts again a second later, if ever."""
    port, over = free_port(), threading.Event()

    async def live(enough: int) -> None:
        answered: list[None] = []

        async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await one_answer(reader, writer)
            answered.append(None)

        async with await asyncio.start_server(talk, "127.0.0.1", port):
            while len(answered) < enough and not over.is_set():
                await asyncio.sleep(0.01)

    def lives() -> None:
        for enough in answers:
            asyncio.run(live(enough))
            over.wait(1.0)

    thread = threading.Thread(target=lives)
    thread.start()
    try:
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        over.set()
        thread.join()


def test_server_that_starts_again_is_waited_for(prompts: PromptSet, tmp_path: Path) -> None:
    with server_with_lives(5, 1_000) as url:
        run = grade(
            interviews(20), prompts=prompts, endpoint=endpoint(url), out=tmp_path, secret=SECRET,
            concurrency=2,
        )  # fmt: skip
    assert set(run.grades["status"]) == {"scored"}
    assert sum(run.grades["attempts"]) > 20


def test_server_that_is_gone_for_good_stops_the_run(prompts: PromptSet, tmp_path: Path) -> None:
    policy = RetryPolicy(first_wait=0.05, unreachable=(30.0, 0.5))
    with server_with_lives(5) as url, pytest.raises(StopRun, match="Nobody answers"):
        grade(
            interviews(50), prompts=prompts, endpoint=endpoint(url, policy), out=tmp_path,
            secret=SECRET, concurrency=1,
        )  # fmt: skip
    faults, lines = verify(tmp_path)
    assert faults == []
    assert lines >= 5


async def one_answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """One request, one verdict, and the end of the connection."""
    try:
        await _answer_once(reader, writer)
    finally:
        writer.close()


async def _answer_once(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    await reader.readexactly(int(head.split(b"content-length:")[1].split(b"\r\n")[0]))
    body = json.dumps(completion(verdict_json(3))).encode()
    close = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n"
    writer.write(close + b"Content-Length: %d\r\n\r\n" % len(body) + body)
    await writer.drain()


def test_https_where_plain_http_is_spoken_is_told_at_once() -> None:
    async def plain(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        await writer.drain()

    async def main() -> Reply:
        async with raw_server(plain) as url:
            target = Target(base_url=url.replace("http:", "https:"), api_key="k", model="m")
            async with open_client(target, QUICK, Adapted()) as complete:
                return await complete(MESSAGES)

    with pytest.raises(StopRun, match="does not speak https"):
        asyncio.run(main())


def test_certificate_that_is_not_trusted_stops_the_run() -> None:
    refused = NoReplyInTime()
    refused.__cause__ = ssl.SSLCertVerificationError(1, "self-signed certificate")
    assert connection_fault(refused, slow=True) == "untrusted"
    assert rule_for(refused).meaning == "stop"


@pytest.mark.parametrize(
    ("cause", "kind"),
    [
        (ConnectionRefusedError(), "unreachable"),
        (socket.gaierror(-2, "no such name"), "unreachable"),
        (ConnectionResetError(), "connection"),
        (TimeoutError(), "timeout"),
        (ssl.SSLError(1, "bad record"), "connection"),
    ],
)
def test_what_lies_behind_a_time_out_is_told_apart(cause: OSError, kind: str) -> None:
    failed = NoReplyInTime()
    failed.__cause__ = cause
    assert connection_fault(failed, slow=True) == kind


def with_alternatives(text: str, alternatives: int) -> dict[str, object]:
    body = completion(text)
    top = [{"token": str(n), "logprob": -1.0 - n} for n in range(alternatives)]
    tokens = [
        {"token": mark, "bytes": list(mark.encode()), "logprob": -1.0, "top_logprobs": top}
        for mark in text
    ]
    body["choices"][0]["logprobs"] = {"content": tokens}
    return body


@pytest.mark.parametrize("left", [0, 1], ids=["none", "one"])
def test_probabilities_that_stop_coming_stop_the_run(
    prompts: PromptSet, tmp_path: Path, left: int
) -> None:
    def answer(request: Request) -> Response:
        sends = len(server.requests) <= 10
        text = verdict_json(3)
        if sends or left:
            return Response(with_alternatives(text, 6 if sends else left))
        return Response(completion(text))

    with serve(answer) as server, pytest.raises(StopRun, match="no longer sends") as caught:
        grade(
            interviews(100), prompts=prompts,
            endpoint=endpoint(server.base_url, logprobs=True),
            out=tmp_path, secret=SECRET, concurrency=1,
        )  # fmt: skip
    assert caught.value.exit_code == 4
    assert "--retry-errors" in str(caught.value)
    assert verify(tmp_path) == ([], 10 + BARE_AFTER - 1)
    assert len(server.requests) == 10 + BARE_AFTER


def test_single_reply_without_probabilities_costs_its_item_alone(
    prompts: PromptSet, tmp_path: Path
) -> None:
    def answer(request: Request) -> Response:
        if len(server.requests) % 4 == 0:
            return Response(completion(verdict_json(3)))
        return Response(with_alternatives(verdict_json(3), 6))

    with serve(answer) as server:
        run = grade(
            interviews(20), prompts=prompts,
            endpoint=endpoint(server.base_url, logprobs=True),
            out=tmp_path, secret=SECRET, concurrency=1,
        )  # fmt: skip
    assert list(run.grades["status"]).count("endpoint_error") == 5
    assert list(run.grades["status"]).count("scored") == 15


def test_endpoint_that_rejects_log_probabilities_is_not_asked_without(
    prompts: PromptSet, tmp_path: Path
) -> None:
    with (
        serve(lambda request: error(400, "", "logprobs is not supported")) as server,
        pytest.raises(StopRun, match="no longer sends log-probabilities"),
    ):
        grade(
            interviews(20), prompts=prompts,
            endpoint=endpoint(server.base_url, logprobs=True), out=tmp_path, secret=SECRET,
            concurrency=1,
        )  # fmt: skip
    assert len(server.requests) == 1


def test_embedded_server_that_ended_stops_the_run_at_once() -> None:
    from pipeline.endpoint.lazy_server import POLICY

    started = time.monotonic()
    with pytest.raises(StopRun, match="Nobody answers"):
        call(f"http://127.0.0.1:{free_port()}/v1", POLICY)
    assert time.monotonic() - started < 5


def test_address_that_swallows_everything_ends_as_unreachable() -> None:
    """A full queue of connections: no answer to the first packet, as behind a firewall."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen(0)
        filling = [socket.socket() for _ in range(3)]
        for client in filling:
            client.setblocking(False)
            client.connect_ex(server.getsockname())
        try:
            with pytest.raises(StopRun, match="Nobody answers"):
                asyncio.run(short_call(server.getsockname()[1]))
        finally:
            for client in filling:
                client.close()


async def short_call(port: int) -> Reply:
    target = Target(base_url=f"http://127.0.0.1:{port}/v1", api_key="k", model="m", timeout=1.0)
    async with open_client(target, QUICK, Adapted()) as complete:
        return await complete(MESSAGES)
