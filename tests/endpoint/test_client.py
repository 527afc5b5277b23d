"""The real SDK against a real server: what is sent, what is retried, what comes back."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator

import pytest

from pipeline.endpoint.client import Target, is_loopback, open_client
from pipeline.endpoint.faults import BrokenReply
from pipeline.endpoint.form import Adapted
from pipeline.endpoint.replies import read_reply
from pipeline.endpoint.retry import RetryPolicy
from pipeline.errors import CallError, ContentFiltered, EndpointError, StopRun
from pipeline.records import Message, Messages, Reply
from tests.loopback import Answer, Loopback, Request, Response, completion, error, serve

MESSAGES = Messages(
    turns=(Message(role="system", content="规则"), Message(role="user", content="answer")),
    reply_schema={"type": "object"},
    max_tokens=77,
    call_id="abc",
)
WAITS: list[float] = []


async def no_sleep(seconds: float) -> None:
    WAITS.append(seconds)


POLICY = RetryPolicy(attempts=4, sleep=no_sleep)


def call(answer: Answer, *, timeout: float = 5.0, logprobs: bool = False) -> tuple[Reply, Loopback]:
    WAITS.clear()
    with serve(answer) as server:

        async def main() -> Reply:
            target = Target(
                base_url=server.base_url, api_key="k", model="m", timeout=timeout, logprobs=logprobs
            )
            async with open_client(target, POLICY, Adapted()) as complete:
                return await complete(MESSAGES)

        return asyncio.run(main()), server


def test_query_of_the_address_goes_behind_the_path_of_each_call() -> None:
    with serve(lambda request: Response(completion("hi"))) as server:
        target = Target(base_url=f"{server.base_url}?api-version=1&x=", api_key="k", model="m")

        async def main() -> None:
            async with open_client(target, POLICY, Adapted()) as complete:
                await complete(MESSAGES)
                await complete(MESSAGES)

        asyncio.run(main())
    assert [request.query for request in server.requests] == ["api-version=1&x="] * 2


def script(*responses: Response) -> Answer:
    left: Iterator[Response] = iter(responses)
    return lambda request: next(left)


def test_request_holds_what_was_asked_for_and_nothing_else() -> None:
    reply, server = call(lambda request: Response(completion("hi")), logprobs=True)
    [request] = server.requests
    assert request.body == {
        "model": "m",
        "temperature": 0,
        "seed": 0,
        "logprobs": True,
        "top_logprobs": 10,
        "messages": [
            {"role": "system", "content": "规则"},
            {"role": "user", "content": "answer"},
        ],
        "max_tokens": 77,
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "verdict", "strict": True, "schema": {"type": "object"}},
        },
    }
    assert request.headers["authorization"] == "Bearer k"
    assert request.headers["x-client-request-id"] == "abc"
    assert (reply.text, reply.model, reply.fingerprint) == ("hi", "loopback-1", "fp")
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (2_500, 200)
    assert reply.attempts == 1


def test_log_probabilities_come_back_with_byte_sizes() -> None:
    entry = {
        "token": "三",
        "bytes": [228, 184, 137],
        "logprob": -0.5,
        "top_logprobs": [{"token": "三", "logprob": -0.5}, {"token": "3", "logprob": -1.0}],
    }
    body = completion("三")
    body["choices"][0]["logprobs"] = {"content": [entry]}
    reply, _ = call(lambda request: Response(body))
    [token] = reply.tokens
    assert (token.text, token.size, token.top) == ("三", 3, (("三", -0.5), ("3", -1.0)))


@pytest.mark.parametrize(
    "fault",
    [
        error(429),
        error(500),
        error(503),
        error(529),
        error(408),
        Response("<html>busy</html>", content_type="text/html"),
        Response("", content_type="application/json"),
        Response({"error": {"message": "inside a 200"}}),
        Response({"choices": []}),
        Response({"choices": [{"message": None}]}),
    ],
    ids=["429", "500", "503", "529", "408", "html", "empty", "error-200", "no-choice", "null"],
)
def test_transient_fault_is_tried_again(fault: Response) -> None:
    reply, server = call(script(fault, fault, Response(completion("ok"))))
    assert (reply.text, reply.attempts, len(server.requests)) == ("ok", 3, 3)


def test_transient_fault_that_stays_ends_after_the_policy_and_not_before() -> None:
    with pytest.raises(EndpointError, match=r"HTTP 500, 4 attempts") as caught:
        call(lambda request: error(500))
    assert caught.value.attempts == 4
    assert len(WAITS) == 3


@pytest.mark.parametrize(
    ("headers", "waits"),
    [
        ({"retry_after": "7"}, [7.0]),
        ({"retry_after_ms": "250"}, [0.25]),
        ({"retry_after": "3600"}, [60.0]),
        ({"retry_after": "Thu, 01 Jan 1970 00:00:00 GMT"}, [0.0]),
        (
            {
                "date": "Thu, 01 Jan 1970 00:00:00 GMT",
                "retry_after": "Thu, 01 Jan 1970 00:00:09 GMT",
            },
            [9.0],
        ),
    ],
    ids=["seconds", "milliseconds", "capped", "date-in-the-past", "clock-of-the-server"],
)
def test_retry_after_is_obeyed(headers: dict[str, str], waits: list[float]) -> None:
    call(script(error(429, **headers), Response(completion("ok"))))
    assert waits == WAITS


def test_retry_after_that_is_no_time_falls_back_to_the_backoff() -> None:
    call(script(error(429, retry_after="soon"), Response(completion("ok"))))
    [wait] = WAITS
    assert 0 < wait <= 3


@pytest.mark.parametrize(
    ("response", "kind", "text"),
    [
        (error(401, "invalid_api_key"), StopRun, "key"),
        (error(403), StopRun, "key"),
        (error(404, "model_not_found"), StopRun, "no such model"),
        (error(429, "insufficient_quota"), StopRun, "quota"),
        (error(402, "", "Insufficient Balance"), StopRun, "quota"),
        (error(400, "content_filter"), ContentFiltered, "filter"),
        (error(400, "", "Content Exists Risk"), ContentFiltered, "filter"),
        (error(400, "data_inspection_failed"), ContentFiltered, "filter"),
        (error(400, "context_length_exceeded"), EndpointError, "longer than the model's context"),
        (error(400, "bad"), EndpointError, r"HTTP 400 \(bad\)"),
        (error(422), EndpointError, "HTTP 422"),
    ],
)
def test_permanent_fault_is_never_tried_again(
    response: Response, kind: type[CallError], text: str
) -> None:
    seen: list[Request] = []

    def answer(request: Request) -> Response:
        seen.append(request)
        return response

    with pytest.raises(kind, match=text):
        call(answer)
    assert len(seen) == 1


def test_error_message_holds_nothing_of_the_body() -> None:
    with pytest.raises(EndpointError) as caught:
        call(lambda request: error(400, "bad", "the answer 我叫王小明 is odd"))
    assert "王小明" not in str(caught.value)
    assert "odd" not in str(caught.value)


def test_silent_server_ends_within_the_time_limit() -> None:
    with pytest.raises(EndpointError, match="no reply in time, 3 attempts"):
        call(lambda request: Response(completion("late"), delay=5), timeout=0.2)


def test_refused_connection_ends_as_endpoint_error() -> None:
    async def main() -> Reply:
        target = Target(base_url="http://127.0.0.1:9/v1", api_key="k", model="m")
        async with open_client(target, POLICY, Adapted()) as complete:
            return await complete(MESSAGES)

    with pytest.raises(EndpointError, match="nobody answers there, 4 attempts"):
        asyncio.run(main())


def test_eight_callers_of_one_client_each_get_their_own_reply() -> None:
    def echo(request: Request) -> Response:
        return Response(completion(request.body["messages"][-1]["content"]))

    with serve(echo) as server:

        async def main() -> list[str]:
            target = Target(base_url=server.base_url, api_key="k", model="m")
            async with open_client(target, POLICY, Adapted()) as complete:
                asked = [
                    Messages(turns=(Message(role="user", content=str(number)),))
                    for number in range(200)
                ]
                return [reply.text for reply in await asyncio.gather(*map(complete, asked))]

        assert asyncio.run(main()) == [str(number) for number in range(200)]


@pytest.mark.parametrize("text", ["", "null", "[]", "{}", '{"choices": 3}', "not json"])
def test_what_is_no_completion_is_a_broken_reply(text: str) -> None:
    with pytest.raises(BrokenReply):
        read_reply(text)


def test_reply_with_odd_fields_keeps_what_is_sound() -> None:
    body = completion("x", usage={"prompt_tokens": "many", "completion_tokens": 3})
    body["choices"][0]["message"]["content"] = None
    body["choices"][0]["message"]["refusal"] = "no"
    reply = read_reply(json.dumps(body))
    assert (reply.text, reply.refusal) == ("", "no")
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (None, 3)


@pytest.mark.parametrize("name", ["HTTP_PROXY", "http_proxy", "ALL_PROXY"])
def test_call_to_this_machine_goes_through_no_proxy(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    with serve(lambda request: Response(completion("from the proxy"))) as proxy:
        monkeypatch.setenv(name, proxy.base_url.removesuffix("/v1"))
        reply, _ = call(lambda request: Response(completion("from the server")))
        assert reply.text == "from the server"
        assert proxy.requests == []


@pytest.mark.parametrize(
    ("address", "here"),
    [
        ("http://127.0.0.1:1/v1", True),
        ("http://127.9.9.9/v1", True),
        ("http://[::1]:1/v1", True),
        ("http://localhost:1/v1", True),
        ("HTTP://LOCALHOST.:1/v1", True),
        ("http://user:password@127.0.0.1/v1", True),
        ("http://0.0.0.0:1/v1", True),
        ("http://[::ffff:127.0.0.1]:1/v1", True),
        ("http://localhost.example/v1", False),
        ("https://api.example/v1", False),
        ("http://10.0.0.1/v1", False),
    ],
)
def test_loopback_is_told_from_elsewhere(address: str, here: bool) -> None:
    assert is_loopback(address) is here
