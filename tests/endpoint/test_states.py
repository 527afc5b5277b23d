"""Readings over HTTP: what is posted, the mean over the answer's tokens, and broken servers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.endpoint.client import Target, connected
from pipeline.endpoint.embedded import EmbeddedEndpoint
from pipeline.endpoint.model_file import READER
from pipeline.endpoint.retry import RetryPolicy
from pipeline.endpoint.states import ends_of, read_state
from pipeline.errors import EndpointError, ModelError
from pipeline.records import ANSWER_TOKENS, FRAME_TOKENS, Messages, Reading, Reply

READING = Reading(before="abc", answer="de")


class Server:
    """Tokens are code points; the state of a token is (its number, its square)."""

    def __init__(self, embedding: Any = None) -> None:
        self.posted: list[tuple[str, Any]] = []
        self.embedding = embedding

    def reply(self, path: str, body: Any) -> Any:
        self.posted.append((path, body))
        if path == "/tokenize":
            return {"tokens": [ord(letter) for letter in body["content"]]}
        if self.embedding is not None:
            return self.embedding
        return [{"index": 0, "embedding": [[token, token**2] for token in body["content"]]}]


@contextmanager
def serving(server: Server) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            sent = json.dumps(server.reply(self.path, body)).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(sent)))
            self.end_headers()
            self.wfile.write(sent)

        def log_message(self, *args: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        Thread(target=http.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{http.server_address[1]}/v1"
        finally:
            http.shutdown()


def read(server: Server, reading: Reading = READING) -> Reply:
    async def one(url: str) -> Reply:
        target = Target(base_url=url, api_key="k", model="m", timeout=5)
        async with connected(target) as client:
            messages = Messages(turns=(), reading=reading)
            return await read_state(client, target, RetryPolicy(attempts=1), messages)

    with serving(server) as url:
        return asyncio.run(one(url))


def test_the_state_is_the_mean_over_the_answers_tokens_alone() -> None:
    server = Server()
    reply = read(server)
    d, e = ord("d"), ord("e")
    assert reply.state == ((d + e) / 2, (d**2 + e**2) / 2)
    assert reply.usage.input_tokens == 5
    assert (reply.unread, reply.unread_frame) == (0, 0)
    assert [path for path, _ in server.posted] == ["/tokenize", "/tokenize", "/embedding"]
    assert server.posted[2][1]["content"] == [ord(letter) for letter in "abcde"]


def test_of_a_long_text_the_ends_are_read_and_fit_one_batch() -> None:
    server = Server()
    reply = read(server, Reading(before="a" * 10_000, answer="b" * 9_000 + "c" * 1_000))
    assert reply.unread == 10_000 - ANSWER_TOKENS
    assert reply.unread_frame == 10_000 - FRAME_TOKENS
    content = server.posted[2][1]["content"]
    assert len(content) == FRAME_TOKENS + ANSWER_TOKENS
    assert content[-1] == ord("c")


@given(st.lists(st.integers(), max_size=30), st.integers(1, 20))
def test_ends_keep_order_and_length(tokens: list[int], most: int) -> None:
    kept = ends_of(tokens, most)
    assert len(kept) == min(len(tokens), most)
    if len(tokens) > most:
        head = most * 2 // 3
        assert kept == tokens[:head] + tokens[len(tokens) - (most - head) :]


@pytest.mark.parametrize(
    "embedding",
    [
        {}, [], [{}], [{"embedding": []}], [{"embedding": [1.0, 2.0]}], [{"embedding": "x"}],
        [{"embedding": [[1.0], [2.0, 3.0]]}], [{"embedding": [[1.0]] * 3}],
        [{"embedding": [[float("nan")]] * 5}], {"error": {"message": "too large"}},
    ],
)  # fmt: skip
def test_what_is_no_state_for_each_token_is_an_error(embedding: Any) -> None:
    with pytest.raises(EndpointError):
        read(Server(embedding))


def test_messages_without_a_reading_are_a_mistake_of_ours() -> None:
    async def one() -> Reply:
        target = Target(base_url="http://127.0.0.1:9/v1", api_key="k", model="m")
        async with connected(target) as client:
            return await read_state(client, target, RetryPolicy(), Messages(turns=()))

    with pytest.raises(ValueError, match="text"):
        asyncio.run(one())


@pytest.mark.model
def test_the_embedded_model_reads_the_same_text_to_the_same_state() -> None:
    """Test and retest: one thread, one slot, the same order of sums."""
    pytest.importorskip("xllamacpp", reason="the extra `local` is not installed")
    try:
        endpoint = EmbeddedEndpoint()
    except ModelError as error:
        pytest.skip(str(error))
    assert endpoint.info.read_by == READER.name

    async def twice() -> list[Reply]:
        async with endpoint.session(1_024) as complete:
            messages = Messages(turns=(), reading=Reading(before="Q: TCP?\nA:\n", answer="ok"))
            return [await complete(messages) for _ in range(3)]

    replies = asyncio.run(twice())
    assert len({reply.state for reply in replies}) == 1
    assert np.std(replies[0].state) > 0.1
