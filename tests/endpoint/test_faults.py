"""No hang, no call too many, no slow death: what becomes of an endpoint that misbehaves."""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter
from pathlib import Path

import pytest

from pipeline import grade
from pipeline.endpoint.client import Target, open_client
from pipeline.endpoint.faults import POLICY
from pipeline.endpoint.form import Adapted
from pipeline.endpoint.remote import RemoteEndpoint
from pipeline.endpoint.retry import RetryPolicy
from pipeline.endpoint.slots import Slots
from pipeline.endpoint.watch import DOWN_AFTER
from pipeline.errors import EndpointError, StopRun
from pipeline.prompt import PromptSet
from pipeline.records import Interview, Item, Message, Messages, Reply
from pipeline.verify import verify
from tests.conftest import SECRET
from tests.endpoint.raw_server import Talk, closing, dripping, raw_server, silent, stalled
from tests.loopback import Request, Response, completion, error, serve
from tests.scripted import verdict_json

MESSAGES = Messages(turns=(Message(role="user", content="x"),))


async def at_once(seconds: float) -> None:
    await asyncio.sleep(0)


QUICK = RetryPolicy(sleep=at_once)


def interviews(items: int) -> list[Interview]:
    return [
        Interview(
            id=f"p{start}",
            source="p",
            items=tuple(
                Item(
                    item_id=f"p{start}#{n}",
                    question=f"问题{start}-{n}？",
                    answer=f"答{start}x{n}。",
                )
                for n in range(1, 6)
            ),
        )
        for start in range(items // 5)
    ]


@pytest.mark.parametrize("talk", [silent, stalled, dripping])
def test_no_server_keeps_a_call_longer_than_its_time(talk: Talk) -> None:
    async def main() -> Reply:
        async with raw_server(talk) as url:
            target = Target(base_url=url, api_key="k", model="m", timeout=0.3)
            async with open_client(target, QUICK, Adapted()) as complete:
                return await complete(MESSAGES)

    started = time.monotonic()
    with pytest.raises(EndpointError, match="no reply in time, 3 attempts"):
        asyncio.run(main())
    assert time.monotonic() - started < 5


def test_connection_that_breaks_off_is_tried_again() -> None:
    async def main() -> Reply:
        async with raw_server(closing) as url:
            target = Target(base_url=url, api_key="k", model="m", timeout=5)
            async with open_client(target, QUICK, Adapted()) as complete:
                return await complete(MESSAGES)

    with pytest.raises(EndpointError, match="the connection failed, 6 attempts"):
        asyncio.run(main())


def test_endpoint_that_is_down_stops_the_run_and_keeps_results(
    prompts: PromptSet, tmp_path: Path
) -> None:
    target = Target(base_url="http://127.0.0.1:9/v1", api_key="k", model="m")
    endpoint = RemoteEndpoint(target, QUICK)
    with pytest.raises(StopRun, match="The endpoint is down") as caught:
        grade(
            interviews(200), prompts=prompts, endpoint=endpoint, out=tmp_path / "r", secret=SECRET
        )
    assert caught.value.exit_code == 4
    faults, lines = verify(tmp_path / "r")
    assert faults == []
    assert DOWN_AFTER - 1 <= lines < 3 * DOWN_AFTER
    assert (tmp_path / "r" / "report.html").exists()


def test_request_that_is_wrong_for_every_item_is_not_an_endpoint_that_is_down() -> None:
    async def main(url: str) -> None:
        target = Target(base_url=url, api_key="k", model="m")
        async with open_client(target, QUICK, Adapted()) as complete:
            for _ in range(2 * DOWN_AFTER):
                with pytest.raises(EndpointError, match="HTTP 400"):
                    await complete(MESSAGES)

    with serve(lambda request: error(400, "context_length_exceeded")) as server:
        asyncio.run(main(server.base_url))


def test_long_retry_after_delays_its_own_item_alone(prompts: PromptSet, tmp_path: Path) -> None:
    met: list[str] = []

    def answer(request: Request) -> Response:
        if "答0x1" in request.prompt and not met:
            met.append("429")
            return error(429, retry_after="2")
        return Response(completion(verdict_json(3)), delay=0.01)

    with serve(answer) as server:
        endpoint = RemoteEndpoint(Target(base_url=server.base_url, api_key="k", model="m"))
        run = grade(
            interviews(20), prompts=prompts, endpoint=endpoint, out=tmp_path / "r", secret=SECRET,
            concurrency=1,
        )  # fmt: skip
    assert len(run.grades) == 20
    last = server.requests[-1]
    assert "答0x1" in last.prompt
    assert "答0x1" in server.requests[0].prompt


def test_bursts_of_429_lose_nothing_and_cut_once_each(prompts: PromptSet, tmp_path: Path) -> None:
    under_way, seen = Counter[str](), Counter[str]()

    def answer(request: Request) -> Response:
        seen[request.prompt] += 1
        if 40 <= len(seen) < 48 and seen[request.prompt] == 1:
            under_way["refused"] += 1
            return error(429, retry_after_ms="50")
        return Response(completion(verdict_json(3)), delay=0.02)

    with serve(answer) as server:
        endpoint = RemoteEndpoint(Target(base_url=server.base_url, api_key="k", model="m"))
        run = grade(
            interviews(150), prompts=prompts, endpoint=endpoint, out=tmp_path / "r", secret=SECRET
        )
    assert set(run.grades["status"]) == {"scored"}
    assert sum(run.grades["attempts"]) == len(server.requests) == 150 + under_way["refused"]


def test_stop_does_not_wait_for_items_that_wait_to_try_again() -> None:
    async def main(url: str) -> list[BaseException | Reply]:
        slots = Slots(4)
        target = Target(base_url=url, api_key="k", model="m")
        async with open_client(target, RetryPolicy(), Adapted(), slots) as complete:
            await slots.take()
            waiting = asyncio.create_task(complete(MESSAGES))
            await asyncio.sleep(0.3)
            slots.end_pauses()
            return await asyncio.gather(waiting, return_exceptions=True)

    with serve(lambda request: error(429, retry_after="50")) as server:
        [ended] = asyncio.run(main(server.base_url))
    assert isinstance(ended, asyncio.CancelledError)


def test_faults_of_every_kind_end_every_item_with_its_status(
    prompts: PromptSet, tmp_path: Path
) -> None:
    """5% 429, 5% malformed, 2% cut, 1% hung, 1% filtered, 1% off the scale; all by chance."""
    chance, kinds, calls = random.Random(7), Counter[str](), Counter[str]()

    def answer(request: Request) -> Response:
        calls[request.headers["x-client-request-id"]] += 1
        roll = chance.random()
        for kind, share, response in (
            ("429", 0.05, error(429, retry_after_ms="20")),
            ("malformed", 0.05, Response(completion("Score: " + verdict_json(5)[:-9]))),
            ("cut", 0.02, Response(completion(verdict_json(5)[:99], finish_reason="length"))),
            ("hung", 0.01, Response(completion(verdict_json(5)), delay=9)),
            ("filtered", 0.01, error(400, "content_filter")),
            ("off the scale", 0.01, Response(completion(verdict_json(9)))),
        ):
            roll -= share
            if roll < 0:
                kinds[kind] += 1
                return response
        return Response(completion(verdict_json(3)))

    with serve(answer) as server:
        target = Target(base_url=server.base_url, api_key="k", model="m", timeout=1.0)
        endpoint = RemoteEndpoint(target, RetryPolicy(first_wait=0.01))
        run = grade(
            interviews(400), prompts=prompts, endpoint=endpoint, out=tmp_path / "r", secret=SECRET
        )
    grades = run.grades
    assert len(grades) == 400
    assert min(kinds.values()) > 0
    assert set(grades["status"]) <= {"scored", "content_filtered", "unparseable", "truncated_reply"}
    assert list(grades["status"]).count("content_filtered") == kinds["filtered"]
    assert set(grades.loc[grades["status"] == "scored", "overall"]) == {3.0}
    assert grades.loc[grades["status"] != "scored", "overall"].isna().all()
    assert sum(grades["attempts"]) == len(server.requests)
    assert max(calls.values()) <= 2 * max(rule.tries for rule in POLICY)
