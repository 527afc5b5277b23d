"""The two ways that are compared: the bare client, and a whole run of the grader."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from openai import DefaultAioHttpClient

from pipeline.cache import open_cache
from pipeline.endpoint.client import Target, connected
from pipeline.endpoint.form import Form, request_body
from pipeline.endpoint.remote import RemoteEndpoint
from pipeline.endpoint.slots import Concurrency, Slots
from pipeline.grading import Recipe, messages_for
from pipeline.prompt import PromptSet
from pipeline.records import Complete, Interview, Item
from pipeline.run import grade

ANSWER = (
    "索引不是白给的，写入时要多维护一棵树。我们当时有一张订单表，每天写入两百万行，后来为了报表加了六个"
    "索引，写入的延迟就从三毫秒涨到了十一毫秒。我先看了慢日志，再把其中三个合并成联合索引，剩下的放到"
    "从库上去建。第{n}次压测以后，延迟回到了四毫秒左右，报表的查询也没有变慢。所以我的做法是先看查询"
    "模式，再决定建不建，而不是看到慢就加。"
)
SECRET = b"bench" * 8


@dataclass(frozen=True)
class Cost:
    """What one arm took."""

    items: int
    cpu: float
    """Seconds of CPU of this process, from the first prompt to the last line of the journal."""
    wall: float
    """Seconds from the first request to the last reply."""
    failed: int = 0
    """Items without a score, or replies without a 200."""
    whole_cpu: float = 0.0
    """The same with plan, tables and report."""


def interviews(items: int, each: int = 10, first: int = 0) -> list[Interview]:
    """Interviews with answers of about 160 characters, each another."""
    return [
        Interview(
            id=f"person{start}",
            source="bench",
            items=tuple(
                Item(
                    item_id=f"person{start}#{n}",
                    question=f"为什么加了索引写入会变慢？你怎么处理第{n}种情况？",
                    answer=ANSWER.format(n=start * each + n),
                )
                for n in range(1, each + 1)
            ),
        )
        for start in range(first, first - (-items // each))
    ]


def target(base_url: str) -> Target:
    """The endpoint of both arms."""
    return Target(base_url=base_url, api_key="bench", model="bench-1")


async def bare(base_url: str, bodies: Sequence[dict[str, Any]], concurrency: int) -> Cost:
    """The fastest way through the SDK: bodies made beforehand, replies not looked at."""
    left, failed = iter(bodies), 0

    async with connected(target(base_url), DefaultAioHttpClient) as client:

        async def worker() -> None:
            nonlocal failed
            for body in left:
                try:
                    await client.post("/chat/completions", cast_to=str, body=body)
                except Exception:  # noqa: BLE001  # the bare client counts, and asks no more
                    failed += 1

        cpu, wall = time.process_time(), time.monotonic()
        await asyncio.gather(*[worker() for _ in range(concurrency)])
    cpu, wall = time.process_time() - cpu, time.monotonic() - wall
    return Cost(len(bodies), cpu, wall, failed)


def bodies_of(people: Iterable[Interview], prompts: PromptSet, base_url: str) -> list[Any]:
    """The requests that the grader would send."""
    recipe, parameters = Recipe(prompts, SECRET), target(base_url).parameters()
    return [
        request_body(messages_for(item, "zh", recipe), parameters, Form())
        for one in people
        for item in one.items
    ]


class Timed(RemoteEndpoint):
    """The grader's own endpoint, which notes when its session begins and ends."""

    def __init__(self, base_url: str) -> None:
        super().__init__(target(base_url))
        self.began = self.ended = self.cpu = 0.0

    @asynccontextmanager
    async def session(
        self, context_tokens: int, slots: Slots | None = None
    ) -> AsyncIterator[Complete]:
        """As it is, between two looks at the clock."""
        async with super().session(context_tokens, slots) as complete:
            self.began = time.monotonic()
            yield complete
            self.ended, self.cpu = time.monotonic(), time.process_time()


def graded(
    base_url: str,
    people: Sequence[Interview],
    prompts: PromptSet,
    folder: Path,
    concurrency: Concurrency,
    *,
    cached: bool = False,
) -> Cost:
    """A whole run into a new folder, with a reply cache or without."""
    endpoint, started = Timed(base_url), time.process_time()
    with open_cache(folder / "replies.sqlite") if cached else nullcontext() as cache:
        run = grade(
            people,
            prompts=prompts,
            endpoint=endpoint,
            out=folder / "run",
            secret=SECRET,
            concurrency=concurrency,
            cache=cache,
        )
    failed = sum(status != "scored" for status in run.grades["status"])
    return Cost(
        len(run.grades),
        endpoint.cpu - started,
        endpoint.ended - endpoint.began,
        failed,
        time.process_time() - started,
    )
