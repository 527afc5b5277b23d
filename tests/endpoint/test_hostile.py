"""Servers that send what no server should: each costs at most its item, and never a number."""

from __future__ import annotations

import asyncio
import json
import time
from pathlib import Path
from typing import Any

import pytest

from pipeline import grade
from pipeline.endpoint.client import Target, open_client
from pipeline.endpoint.doctor import examine
from pipeline.endpoint.form import Adapted
from pipeline.endpoint.remote import RemoteEndpoint
from pipeline.endpoint.replies import LONGEST_NAME, MOST_TOKENS, read_reply
from pipeline.endpoint.retry import RetryPolicy
from pipeline.errors import EndpointError, StopRun
from pipeline.expected import expected_scores
from pipeline.prompt import PromptSet
from pipeline.records import Message, Messages, Reply
from tests.conftest import SECRET
from tests.endpoint.raw_server import dripping, raw_server
from tests.endpoint.test_faults import interviews
from tests.loopback import Request, Response, completion, error, serve
from tests.scripted import verdict_json

MESSAGES = Messages(turns=(Message(role="user", content="the answer"),))
GOOD = json.dumps(completion("ok", message={"content": "好"}), ensure_ascii=False).encode()


async def at_once(seconds: float) -> None:
    await asyncio.sleep(0)


QUICK = RetryPolicy(sleep=at_once)


def http(head: str, body: bytes = b"") -> bytes:
    return f"HTTP/1.1 {head}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


def call(response: bytes) -> tuple[Reply, int]:
    """The reply to one call, and the number of requests."""
    requests: list[bytes] = []

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        await reader.readexactly(int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0]))
        requests.append(head)
        writer.write(response)
        await writer.drain()

    async def main() -> Reply:
        async with raw_server(talk) as url:
            target = Target(base_url=url, api_key="k", model="m", timeout=5.0)
            async with open_client(target, QUICK, Adapted()) as complete:
                return await complete(MESSAGES)

    return asyncio.run(main()), len(requests)


@pytest.mark.parametrize(
    "response",
    [
        http("200 OK\r\nContent-Type: application/json; charset=bogus", GOOD),
        http("200 OK\r\nContent-Type: text/plain", GOOD),
        http("200 OK\r\nContent-Type: application/json", b"\xef\xbb\xbf" + GOOD),
        http("201 Created\r\nContent-Type: application/json\r\nSet-Cookie: a; Expires=x", GOOD),
    ],
    ids=["charset", "plain", "byte-order-mark", "created"],
)
def test_odd_head_around_a_good_body_does_no_harm(response: bytes) -> None:
    reply, requests = call(response)
    assert (reply.text, requests) == ("好", 1)


@pytest.mark.parametrize(
    ("response", "words"),
    [
        (b"hello there\r\n\r\n", "no readable HTTP, 4 attempts"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\nxx\r\n", "no readable HTTP"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n{}", "no readable HTTP"),
        (b"HTTP/1.1 200 OK\r\nX: " + b"a" * 70_000 + b"\r\n\r\n", "no readable HTTP"),
        (
            http("200 OK\r\nContent-Type: application/json; charset=utf-16", b"{}"),
            "no readable HTTP",
        ),
        (http("200 OK\r\nContent-Encoding: gzip", GOOD), "the connection failed, 6 attempts"),
        (b"HTTP/1.1 204 No Content\r\n\r\n", "without a completion in it, 4 attempts"),
        (http("400 Bad\r\nContent-Type: application/json", b"[1]"), "HTTP 400, 1 attempts"),
        (
            http("400 Bad\r\nContent-Type: application/json", b'{"error":{"message":["x"]}}'),
            "HTTP 400, 1 attempts",
        ),
        (b"HTTP/1.1 100 Continue\r\n\r\n", "the connection failed, 6 attempts"),
    ],
    ids=[
        "no-http", "chunk", "length", "header", "utf-16", "gzip", "204", "list", "words", "100",
    ],
)  # fmt: skip
def test_what_is_no_answer_ends_the_item_after_the_policy(response: bytes, words: str) -> None:
    with pytest.raises(EndpointError, match=words):
        call(response)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_answers_never_follow_to_another_address(status: int) -> None:
    with serve(lambda request: Response(completion("from elsewhere"))) as other:
        place = f"{other.base_url}/chat/completions"
        with pytest.raises(StopRun, match=rf"another address: HTTP {status}.*--base-url"):
            call(http(f"{status} Go\r\nLocation: {place}"))
        assert other.requests == []


def test_garbage_in_the_middle_of_a_run_costs_its_item_alone(
    prompts: PromptSet, tmp_path: Path
) -> None:
    good = json.dumps(completion(verdict_json(3))).encode()

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
        body = (await reader.readexactly(length)).decode()
        garbage = b"%PDF-1.7 no http at all\r\n\r\n"
        writer.write(garbage if "答0x2" in body else http("200 OK", good))
        await writer.drain()

    async def main() -> list[str]:
        async with raw_server(talk) as url:
            target = Target(base_url=url, api_key="k", model="m", timeout=5.0)
            endpoint = RemoteEndpoint(target, QUICK)
            run = await asyncio.to_thread(
                grade, interviews(10), prompts=prompts, endpoint=endpoint, out=tmp_path / "r",
                secret=SECRET,
            )  # fmt: skip
            return list(run.grades["status"])

    statuses = asyncio.run(main())
    assert statuses == ["scored", "endpoint_error", *["scored"] * 8]


def reply_with(alternatives: list[tuple[str, float]]) -> Reply:
    text = verdict_json(3)
    top = [{"token": token, "logprob": logprob} for token, logprob in alternatives]
    body = completion(text)
    body["choices"][0]["logprobs"] = {
        "content": [
            {"token": mark, "bytes": list(mark.encode()), "logprob": -1.0, "top_logprobs": top}
            for mark in text
        ]
    }
    return read_reply(json.dumps(body))


@pytest.mark.parametrize("logprob", [1e3, 1e308, float("nan"), float("inf"), 0.5])
def test_what_is_no_probability_makes_no_number(prompts: PromptSet, logprob: float) -> None:
    reply = reply_with([("3", logprob), ("4", -2.0)])
    with pytest.raises(EndpointError, match="no log-probabilities"):
        expected_scores(reply, prompts.rubric)


def test_probabilities_that_add_up_to_more_than_one_make_no_number(prompts: PromptSet) -> None:
    with pytest.raises(EndpointError, match="no log-probabilities"):
        expected_scores(reply_with([("3", -0.1), ("4", -0.2)]), prompts.rubric)


def test_impossible_alternative_counts_for_nothing(prompts: PromptSet) -> None:
    scores = expected_scores(reply_with([("3", 0.0), ("4", float("-inf"))]), prompts.rubric)
    assert {str(score) for score in scores.values()} == {"3.00"}


@pytest.mark.parametrize("count", [-5, True, 10**30, MOST_TOKENS + 1, 2500.5, "9", None, [], {}])
def test_what_is_no_count_of_tokens_is_not_counted(count: Any) -> None:
    body = completion("x", usage={"prompt_tokens": count, "completion_tokens": 7})
    usage = read_reply(json.dumps(body)).usage
    assert (usage.input_tokens, usage.output_tokens) == (None, 7)


def test_name_of_a_model_without_end_is_cut() -> None:
    reply = read_reply(json.dumps(completion("x", model="m" * 100_000)))
    assert reply.model == "m" * LONGEST_NAME


def test_list_of_models_without_end_does_not_hold_up_the_doctor() -> None:
    async def main() -> str:
        async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            head = await reader.readuntil(b"\r\n\r\n")
            if head.startswith(b"GET"):
                await dripping(reader, writer)
            body = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
            await reader.readexactly(body)
            writer.write(
                http("200 OK\r\nConnection: close", json.dumps(completion("yes")).encode())
            )
            await writer.drain()

        async with raw_server(talk) as raw:
            target = Target(base_url=raw, api_key="k", model="m", timeout=1.0)
            profile = await examine(target, policy=QUICK)
        return next(one.seen for one in profile.findings if one.name == "models")

    assert asyncio.run(main()) == "no list"


@pytest.mark.parametrize(
    "said", ["insufficient_quota", "billing_hard_limit", "Insufficient Balance", "Arrearage"]
)
def test_words_of_a_candidate_in_an_error_do_not_stop_the_run(said: str) -> None:
    echoed = json.dumps({"error": {"code": "bad_request", "message": f"cannot read: {said}"}})
    with pytest.raises(EndpointError, match=r"HTTP 400 \(bad_request\), 1 attempts"):
        call(http("400 Bad\r\nContent-Type: application/json", echoed.encode()))


@pytest.mark.parametrize("status", ["402 Pay", "403 No", "429 Busy"])
def test_spent_quota_that_only_the_message_tells_stops_the_run(status: str) -> None:
    body = b'{"error": {"message": "Insufficient balance on this account"}}'
    with pytest.raises(StopRun, match="quota is spent"):
        call(http(f"{status}\r\nContent-Type: application/json", body))


def test_call_that_is_refused_after_a_stop_is_not_waited_for(
    prompts: PromptSet, tmp_path: Path
) -> None:
    """The bad key is seen while another call is under way, which then is told to wait a minute."""

    def answer(request: Request) -> Response:
        if "答0x1" in request.prompt:
            return Response({}, 429, {"Retry-After": "50"}, delay=0.5)
        return error(401, "invalid_api_key")

    started = time.monotonic()
    with serve(answer) as server, pytest.raises(StopRun, match="refuses the key"):
        grade(
            interviews(10), prompts=prompts, out=tmp_path / "r", secret=SECRET, concurrency=4,
            endpoint=RemoteEndpoint(Target(base_url=server.base_url, api_key="k", model="m")),
        )  # fmt: skip
    assert time.monotonic() - started < 30
