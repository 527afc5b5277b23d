"""How many calls may be under way: a fixed number, or one that finds its own level.

An item takes a slot before its first request and gives it back at its end, and for as long as it
waits to try again: a long Retry-After then delays its own item and no other.

`auto` doubles while that brings more calls per second; where it does not, as with a server that
queues, it goes back. It halves once for each burst of refusals, and grows by one a round then.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any, Literal

Concurrency = int | Literal["auto"]
FIRST, MOST = 8, 256
"""Where `auto` begins, and what it never exceeds."""
WORTH = 0.3
"""Share of a growth that has to come back as calls per second."""
REST = 10
"""Rounds without growth after one that brought nothing."""


class Slots:
    """Slots for calls, handed out in the order they were asked for."""

    def __init__(self, concurrency: Concurrency, clock: Callable[[], float] = time.monotonic):
        self._auto = concurrency == "auto"
        self.limit = FIRST if concurrency == "auto" else concurrency
        self.used = 0
        self.cuts = 0
        self._clock = clock
        self._queue: deque[asyncio.Future[None]] = deque()
        self._paused: set[asyncio.Task[Any]] = set()
        self._over = False
        self._last_cut = float("-inf")
        self._round = Round(2 * self.limit, clock())
        self._before: tuple[int, float] | None = None
        self._rest = 0

    async def take(self) -> None:
        """Wait for a free slot and take it."""
        if self.used < self.limit and not self._queue:
            self.used += 1
            return
        turn = asyncio.get_running_loop().create_future()
        self._queue.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.give_back()
            raise

    def give_back(self) -> None:
        """Free a slot for whoever waits longest."""
        self.used -= 1
        self._admit()

    async def pause(self, seconds: float, sleep: Callable[[float], Awaitable[None]]) -> None:
        """Sleep without a slot."""
        waiting = asyncio.current_task()
        assert waiting is not None
        if self._over:
            raise asyncio.CancelledError
        self._paused.add(waiting)
        self.give_back()
        try:
            await sleep(seconds)
            await self.take()
        except BaseException:
            # Whoever holds the item gives its slot back at the end, so it must have one by then.
            self.used += 1
            raise
        finally:
            self._paused.discard(waiting)

    def end_pauses(self) -> None:
        """Cancel the items that wait to try again, now or later: nothing more will be called."""
        self._over = True
        for waiting in tuple(self._paused):
            waiting.cancel()

    def succeeded(self) -> None:
        """Note a call that was answered; the limit may grow."""
        if not self._auto:
            return
        self._round.add(crowded=bool(self._queue))
        if self._round.over:
            self._end_round()
            self._admit()

    def refused(self, sent: float) -> None:
        """Note a call that came back as one too many; `sent` is when it was sent.

        Those that were under way when the limit was last cut belong to the same burst.
        """
        if self._auto and sent >= self._last_cut:
            self.cuts += 1
            self._last_cut = self._clock()
            self._resize(max(1, self.limit // 2))
            self._before = None

    def _end_round(self) -> None:
        ended = self._round
        rate = ended.rate(self._clock())
        if not ended.crowded or self._rest > 0:
            self._rest -= 1
            self._resize(self.limit)
        elif self._before and not self.cuts and not _worth_it(self._before, (self.limit, rate)):
            self._rest = REST
            self._resize(self._before[0])
            self._before = None
        else:
            self._before = (self.limit, rate)
            self._resize(min(MOST, self.limit + 1 if self.cuts else self.limit * 2))

    def _resize(self, limit: int) -> None:
        self.limit = limit
        # Growth is slow once the endpoint has refused a call: it will refuse the next one too many.
        answers = max(4 * limit, 24) if self.cuts else max(2 * limit, 8)
        self._round = Round(answers, self._clock())

    def _admit(self) -> None:
        while self._queue and self.used < self.limit:
            turn = self._queue.popleft()
            if not turn.done():
                self.used += 1
                turn.set_result(None)


class Round:
    """The answers that a decision to grow rests on."""

    def __init__(self, answers: int, started: float) -> None:
        self._size = self._left = answers
        self._started = started
        self.crowded = True

    def add(self, *, crowded: bool) -> None:
        """Count one answer; `crowded` says whether anybody was waiting for a slot."""
        self._left -= 1
        self.crowded = self.crowded and crowded

    @property
    def over(self) -> bool:
        """Whether enough answers are in."""
        return self._left <= 0

    def rate(self, now: float) -> float:
        """Answers per second."""
        return self._size / max(now - self._started, 1e-9)


def _worth_it(before: tuple[int, float], after: tuple[int, float]) -> bool:
    growth = after[0] / before[0] - 1
    return after[1] >= before[1] * (1 + WORTH * growth)
