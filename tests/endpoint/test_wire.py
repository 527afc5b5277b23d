"""What goes over the wire at less cost is what the SDK would have sent."""

from __future__ import annotations

import asyncio
import gzip
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai import DefaultAioHttpClient

from pipeline.endpoint.client import Target, connected, open_client
from pipeline.endpoint.exchange import LONGEST_REPLY, QuickClient, TooLong
from pipeline.endpoint.form import Adapted
from pipeline.endpoint.retry import RetryPolicy
from pipeline.endpoint.wire import Encoder, QuickOpenAI
from pipeline.errors import EndpointError
from pipeline.records import Message, Messages
from tests.endpoint.raw_server import raw_server
from tests.loopback import Response, always, completion, serve
from tests.scripted import verdict_json

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
TURN = st.fixed_dictionaries({"role": st.sampled_from(["system", "user"]), "content": TEXT})
BODY = st.builds(
    lambda turns, more: {"model": '"messages": null', **more, "messages": turns},
    st.lists(TURN, min_size=1, max_size=4),
    st.dictionaries(st.sampled_from(["seed", "max_tokens", "response_format"]), st.integers()),
)


@given(st.lists(BODY, min_size=1, max_size=4))
def test_encoded_bodies_are_the_bodies(bodies: list[dict[str, Any]]) -> None:
    encoder = Encoder()
    for body in bodies:
        assert json.loads(encoder.encoded(body)) == body


def sent_by(client: type[DefaultAioHttpClient]) -> list[tuple[dict[str, str], dict[str, Any]]]:
    with serve(always(3)) as server:
        target = Target(base_url=server.base_url, api_key="k", model="m")

        async def calls() -> None:
            async with connected(target, client) as sdk:
                for number in range(3):
                    await sdk.post(
                        "/chat/completions",
                        cast_to=str,
                        content=json.dumps({"messages": [{"content": f"{number}"}]}).encode(),
                        options={"headers": {"Content-Type": "application/json", "X-Id": "a"}},
                    )

        asyncio.run(calls())
        return [(request.headers, request.body) for request in server.requests]


def test_every_request_has_the_headers_that_the_sdk_would_send() -> None:
    quick, plain = sent_by(QuickClient), sent_by(DefaultAioHttpClient)
    assert [body for _, body in quick] == [body for _, body in plain]
    for (ours, _), (theirs, _) in zip(quick, plain, strict=True):
        assert {**ours, "host": ""} == {**theirs, "host": ""}


def gathered(answer: Any, calls: int = 2) -> tuple[list[Any], Any]:
    """What a few plain exchanges give, errors among them, and the server that they went to."""

    async def main(base_url: str) -> list[Any]:
        target = Target(base_url=base_url, api_key="k", model="m")
        async with connected(target) as sdk:
            return [await _exchange(sdk, base_url) for _ in range(calls)]

    with serve(answer) as server:
        return asyncio.run(main(server.base_url)), server


async def _exchange(sdk: QuickOpenAI, base_url: str) -> Any:
    address, headers = f"{base_url}/chat/completions", {"Content-Type": "application/json"}
    try:
        return (await sdk.post_bytes(address, b'{"messages": []}', headers)).text
    except Exception as error:  # noqa: BLE001
        return error


def test_plain_exchanges_have_the_headers_that_the_sdk_would_send() -> None:
    _, quick = gathered(always(3))
    given = {"content-type", "content-length", "host"}
    for request in quick.requests:
        theirs = sent_by(DefaultAioHttpClient)[0][0]
        assert {name: value for name, value in request.headers.items() if name not in given} == {
            name: value for name, value in theirs.items() if name not in {*given, "x-id"}
        }


def packed(body: bytes) -> Response:
    return Response(gzip.compress(body), headers={"Content-Encoding": "gzip"})


def test_a_packed_reply_is_unpacked() -> None:
    text = json.dumps(completion(verdict_json(3)), ensure_ascii=False)
    told, _ = gathered(lambda request: packed(text.encode()))
    assert told == [text, text]


def test_a_reply_that_unpacks_to_more_than_the_bound_is_refused() -> None:
    (told,), _ = gathered(lambda request: packed(bytes(LONGEST_REPLY + 1)), calls=1)
    assert isinstance(told, TooLong)


def test_a_reply_longer_than_the_bound_is_refused() -> None:
    (told,), _ = gathered(lambda request: Response(" " * (LONGEST_REPLY + 1)), calls=1)
    assert isinstance(told, TooLong)


def test_a_reply_without_end_ends_the_item_and_not_the_memory() -> None:
    async def endless(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        while True:
            writer.write(b"100000\r\n" + bytes(0x100000) + b"\r\n")
            await writer.drain()

    async def main() -> None:
        policy = RetryPolicy(attempts=1)
        async with raw_server(endless) as base_url:
            target = Target(base_url=base_url, api_key="k", model="m")
            async with open_client(target, policy, Adapted()) as complete:
                with pytest.raises(EndpointError, match="does not end"):
                    await complete(Messages(turns=(Message(role="user", content="a"),)))

    asyncio.run(main())


def test_a_cookie_of_the_server_is_sent_back() -> None:
    reply = Response(completion("a"), headers={"Set-Cookie": "node=7"})
    _, server = gathered(lambda request: reply)
    assert [request.headers.get("cookie") for request in server.requests] == [None, "node=7"]
