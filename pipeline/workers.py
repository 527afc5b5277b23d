"""Concurrency and progress: a fixed number of workers over one queue of items."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal

from pipeline.errors import StopRun
from pipeline.plan import Task
from pipeline.records import Outcome


@dataclass
class Progress:
    """How far a session is. Rate and time left are those of the items that need a call."""

    total: int
    """Items to be attempted in this session."""
    calls: int = 0
    """Those of them that need the endpoint."""
    done: int = 0
    called: int = 0
    status: Counter[str] = field(default_factory=Counter)
    input_tokens: int = 0
    output_tokens: int = 0
    cached: int = 0
    """Items answered from the cache."""
    spent_usd: Decimal | None = None
    """US dollars paid in this session; None where no price is known."""
    started: float = field(default_factory=time.monotonic)

    def add(self, outcome: Outcome, spent_usd: Decimal | None = None) -> None:
        """Count one outcome."""
        self.cached += outcome.cached
        self.spent_usd = spent_usd
        self.done += 1
        self.called += outcome.attempts > 0
        self.status[outcome.status] += 1
        self.input_tokens += outcome.usage.input_tokens or 0
        self.output_tokens += outcome.usage.output_tokens or 0

    @property
    def elapsed(self) -> float:
        """Seconds since the session began."""
        return time.monotonic() - self.started

    @property
    def rate(self) -> float | None:
        """Items per second; None before the first call has come back."""
        return self.called / self.elapsed if self.called else None

    @property
    def eta(self) -> float | None:
        """Seconds that remain at the rate so far; None before the first call has come back."""
        return (self.calls - self.called) / self.rate if self.rate else None


async def work(
    tasks: Iterable[Task],
    grade_one: Callable[[Task], Awaitable[Outcome]],
    keep: Callable[[Task, Outcome], None],
    concurrency: int,
) -> None:
    """Grade every task, `concurrency` at a time, and keep each outcome as soon as it is there.

    A StopRun lets the calls under way finish and be kept, then is raised. Any other error, and
    cancellation, ends all workers at once.
    """
    queue: Iterator[Task] = iter(tasks)
    stops: list[StopRun] = []

    async def worker() -> None:
        while not stops and (task := next(queue, None)) is not None:
            try:
                keep(task, await grade_one(task))
            except StopRun as stop:
                stops.append(stop)

    workers = [asyncio.create_task(worker()) for _ in range(concurrency)]
    try:
        await asyncio.gather(*workers)
    finally:
        for running in workers:
            running.cancel()
        await asyncio.gather(*workers, return_exceptions=True)
    if stops:
        raise stops[0]
