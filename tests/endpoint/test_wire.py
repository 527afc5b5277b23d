"""What goes over the wire at less cost is what the SDK would have sent."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from openai import DefaultAioHttpClient

from pipeline.endpoint.client import Target, connected
from pipeline.endpoint.wire import Encoder, QuickClient
from tests.loopback import always, serve

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
