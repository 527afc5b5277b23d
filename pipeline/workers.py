"""Concurrency and progress: items begun as slots come free."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from decimal import Decimal

from pipeline.endpoint.slots import Slots
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
    slots: Slots,
) -> None:
    """Grade every task as slots come free, and keep each outcome as soon as it is there.

    A StopRun lets the calls under way finish and be kept, then is raised. Any other error, and
    cancellation, ends all at once. An item that waits to try again has no slot, but counts as
    begun: no more than twice as many as there are slots are begun at a time.
    """
    stops: list[StopRun] = []
    begun: set[asyncio.Task[None]] = set()

    async def finish(task: Task) -> None:
        try:
            keep(task, await grade_one(task))
        except StopRun as stop:
            stops.append(stop)
            slots.end_pauses()
        finally:
            slots.give_back()

    try:
        async with asyncio.TaskGroup() as group:
            for task in tasks:
                while len(begun) >= 2 * slots.limit:
                    await asyncio.wait(begun, return_when=asyncio.FIRST_COMPLETED)
                await slots.take()
                if stops:
                    break
                begun.add(item := group.create_task(finish(task)))
                item.add_done_callback(begun.discard)
    except BaseExceptionGroup as errors:
        raise errors.exceptions[0] from None
    if stops:
        raise stops[0]
