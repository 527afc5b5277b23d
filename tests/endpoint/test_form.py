"""An endpoint that does not accept all that is sent: stepped down once, recorded, never guessed."""

from __future__ import annotations

import asyncio

import pytest

from pipeline.endpoint.client import Target, open_client
from pipeline.endpoint.form import Adapted
from pipeline.endpoint.retry import RetryPolicy
from pipeline.errors import EndpointError
from pipeline.records import Message, Messages, Reply
from tests.loopback import Loopback, Request, Response, completion, error, serve

MESSAGES = Messages(
    turns=(Message(role="user", content="x"),), reply_schema={"type": "object"}, max_tokens=9
)


class Picky:
    """Rejects bodies with any of the named keys, in the words of a real server."""

    def __init__(self, **words: str) -> None:
        self.words = words

    def __call__(self, request: Request) -> Response:
        reply_form = request.body.get("response_format", {}).get("type")
        present = {*request.body, reply_form}
        for key, message in self.words.items():
            if key in present:
                return error(400, "invalid_request_error", message)
        if "tools" in request.body:
            call = {"function": {"name": "verdict", "arguments": '{"by": "tool"}'}}
            return Response(completion("", message={"content": None, "tool_calls": [call]}))
        return Response(completion("ok"))


def calls(server_answer: Picky, times: int = 1) -> tuple[list[Reply], Adapted, Loopback]:
    adapted = Adapted()
    with serve(server_answer) as server:

        async def main() -> list[Reply]:
            target = Target(base_url=server.base_url, api_key="k", model="m")
            async with open_client(target, RetryPolicy(), adapted) as complete:
                return [await complete(MESSAGES) for _ in range(times)]

        return asyncio.run(main()), adapted, server


def test_endpoint_that_accepts_all_is_asked_for_the_strict_schema() -> None:
    _, adapted, server = calls(Picky())
    assert adapted.steps == []
    assert server.requests[0].body["response_format"]["json_schema"]["strict"] is True


def test_ladder_steps_down_once_for_the_session_and_counts_every_attempt() -> None:
    picky = Picky(json_schema="This response_format type is unavailable now")
    replies, adapted, server = calls(picky, times=3)
    assert [reply.text for reply in replies] == ['{"by": "tool"}'] * 3
    assert [reply.attempts for reply in replies] == [2, 1, 1]
    assert adapted.steps == ["replies as tool, not json_schema"]
    assert len(server.requests) == 4


@pytest.mark.parametrize(
    ("words", "steps", "kept"),
    [
        (
            {"json_schema": "response_format: json_schema not supported", "tools": "no tool use"},
            ["replies as tool, not json_schema", "replies as json_object, not tool"],
            {"type": "json_object"},
        ),
        (
            {
                "json_schema": "json_schema is not supported",
                "tools": "tools are not supported",
                "json_object": "response_format is not supported",
            },
            [
                "replies as tool, not json_schema",
                "replies as json_object, not tool",
                "replies as text, not json_object",
            ],
            None,
        ),
        ({"seed": "Unrecognized parameter: seed"}, ["without seed"], ...),
        ({"temperature": "Unsupported value: 'temperature'"}, ["without temperature"], ...),
        (
            {"max_tokens": "Unsupported parameter: use 'max_completion_tokens' instead"},
            ["max_tokens is called max_completion_tokens"],
            ...,
        ),
    ],
)
def test_what_the_endpoint_names_is_left_out(
    words: dict[str, str], steps: list[str], kept: object
) -> None:
    _, adapted, server = calls(Picky(**words))
    assert adapted.steps == steps
    last = server.requests[-1].body
    assert not set(words) & set(last)
    if kept is not ...:
        assert last.get("response_format") == kept


def test_error_that_names_nothing_of_ours_is_not_guessed_at() -> None:
    with pytest.raises(EndpointError, match="HTTP 400"):
        calls(Picky(messages="something else is wrong"))


def test_calls_under_way_adopt_a_step_that_another_call_took() -> None:
    adapted = Adapted()
    picky = Picky(json_schema="response_format is unavailable")
    with serve(picky) as server:

        async def main() -> list[Reply]:
            target = Target(base_url=server.base_url, api_key="k", model="m")
            async with open_client(target, RetryPolicy(), adapted) as complete:
                return await asyncio.gather(*[complete(MESSAGES) for _ in range(8)])

        replies = asyncio.run(main())
    assert len(replies) == 8
    assert adapted.steps == ["replies as tool, not json_schema"]
