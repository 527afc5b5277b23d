"""A server and its clock in simulated time, so that minutes of load take no time to test."""

from __future__ import annotations

import heapq
import itertools
from collections import deque
from dataclasses import dataclass

from pipeline.endpoint.slots import Slots


@dataclass
class Server:
    """What it does with calls; `at_a_time` queues the rest, `refuse_above` refuses it."""

    latency: float
    at_a_time: int | None = None
    refuse_above: int | None = None
    answered: int = 0
    refused: int = 0
    longest: int = 0
    """Most calls under way."""
    seconds: float = 0.0


class Simulation:
    """Items sent as slots come free; a refused one is sent again a second later."""

    def __init__(self, server: Server, items: int) -> None:
        self.server, self.left, self.now, self.busy = server, items, 0.0, 0
        self.slots = Slots("auto", clock=lambda: self.now)
        self.slots._admit = lambda: None  # type: ignore[method-assign]
        self.queue: deque[float] = deque()
        self.number = itertools.count()
        self.events: list[tuple[float, int, str, float]] = []

    def expect(self, after: float, what: str, sent: float) -> None:
        heapq.heappush(self.events, (self.now + after, next(self.number), what, sent))

    def send(self) -> None:
        while self.left and self.slots.used < self.slots.limit:
            self.left -= 1
            self.slots.used += 1
            self.busy += 1
            self.receive()
        # Somebody waits for a slot as long as items are left.
        self.slots._queue.clear()
        if self.left:
            self.slots._queue.append(None)  # type: ignore[arg-type]

    def receive(self) -> None:
        server = self.server
        server.longest = max(server.longest, self.busy)
        if server.refuse_above is not None and self.busy > server.refuse_above:
            self.expect(0.01, "refused", self.now)
        elif server.at_a_time is not None and self.busy > server.at_a_time:
            self.queue.append(self.now)
        else:
            self.expect(server.latency, "answered", self.now)

    def end(self, what: str, sent: float) -> None:
        self.busy -= 1
        self.slots.used -= 1
        if what == "refused":
            self.server.refused += 1
            self.slots.refused(sent)
            self.expect(1.0, "again", 0.0)
            return
        self.server.answered += 1
        self.slots.succeeded()
        if self.queue:
            self.expect(self.server.latency, "answered", self.queue.popleft())


def simulate(server: Server, items: int) -> tuple[Slots, Server]:
    """All items to their end."""
    world = Simulation(server, items)
    world.send()
    while world.events:
        world.now, _, what, sent = heapq.heappop(world.events)
        if what == "again":
            world.left += 1
        else:
            world.end(what, sent)
        world.send()
    server.seconds = world.now
    return world.slots, server
