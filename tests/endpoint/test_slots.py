"""Slots: a number is obeyed, waiting holds none, and `auto` finds the level of a server."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from pipeline.endpoint.slots import FIRST, Slots
from tests.endpoint.simulated import Server, simulate


def run(main: Callable[[], object]) -> None:
    asyncio.run(main())  # type: ignore[arg-type]


def test_slots_are_given_in_order_and_never_exceeded() -> None:
    async def main() -> None:
        slots, got = Slots(2), []

        async def one(number: int) -> None:
            await slots.take()
            got.append(number)
            assert slots.used <= 2
            await asyncio.sleep(0)
            slots.give_back()

        await asyncio.gather(*map(one, range(9)))
        assert got == list(range(9))
        assert slots.used == 0

    run(main)


def test_whoever_pauses_holds_no_slot() -> None:
    async def main() -> None:
        slots, over = Slots(1), asyncio.Event()

        async def sleep(seconds: float) -> None:
            await over.wait()

        async def limited() -> None:
            await slots.take()
            await slots.pause(60, sleep)
            slots.give_back()

        waiting = asyncio.create_task(limited())
        await asyncio.sleep(0)
        await asyncio.wait_for(slots.take(), 1)
        over.set()
        await asyncio.sleep(0)
        assert not waiting.done()
        slots.give_back()
        await asyncio.wait_for(waiting, 1)
        assert slots.used == 0

    run(main)


@pytest.mark.parametrize("steps", range(6))
def test_cancellation_at_any_moment_loses_and_gains_no_slot(steps: int) -> None:
    async def main() -> None:
        slots = Slots(1)

        async def one() -> None:
            await slots.take()
            try:
                await slots.pause(0, asyncio.sleep)
                await asyncio.sleep(0)
            finally:
                slots.give_back()

        running = [asyncio.create_task(one()) for _ in range(3)]
        for _ in range(steps):
            await asyncio.sleep(0)
        running[0].cancel()
        running[1].cancel()
        await asyncio.gather(*running, return_exceptions=True)
        assert slots.used == 0
        await asyncio.wait_for(slots.take(), 1)

    run(main)


def test_one_burst_is_one_cut_and_the_next_is_another() -> None:
    now = 100.0
    slots = Slots("auto", clock=lambda: now)
    for _ in range(20):
        slots.refused(sent=99.0)
    assert (slots.limit, slots.cuts) == (FIRST // 2, 1)
    slots.refused(sent=101.0)
    assert (slots.limit, slots.cuts) == (FIRST // 4, 2)


def test_a_number_is_obeyed_whatever_happens() -> None:
    slots = Slots(5)
    slots.refused(sent=1e9)
    for _ in range(1_000):
        slots.succeeded()
    assert slots.limit == 5


def test_auto_reaches_the_most_where_nothing_holds_it_back() -> None:
    slots, _ = simulate(Server(latency=0.2), items=5_000)
    assert slots.limit == 256


def test_auto_stays_where_a_server_only_queues() -> None:
    slots, server = simulate(Server(latency=0.2, at_a_time=16), items=3_000)
    assert 16 <= slots.limit <= 64
    assert server.longest <= 64


@pytest.mark.parametrize("most", [3, 20, 60])
def test_auto_settles_near_the_most_that_is_allowed(most: int) -> None:
    slots, server = simulate(Server(latency=0.2, refuse_above=most), items=6_000)
    assert server.answered == 6_000
    assert most / 3 <= slots.limit <= most + 3
    assert server.refused < 600
    ideal = 6_000 * 0.2 / most
    assert server.seconds < 1.9 * ideal
