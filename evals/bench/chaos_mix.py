"""A fixed mix of faults over many items: what becomes of each, and what it took.

The shares are of all requests: 5% 429, 5% malformed, 2% cut, 1% hung, 1% filtered, 1% off the
scale. The server knows every true score, so a wrong number cannot pass.
"""

from __future__ import annotations

import random
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from evals.bench.chaos_checks import check_round
from evals.bench.chaos_disk import Disk
from evals.bench.chaos_script import Script, end_of
from evals.bench.chaos_server import Call, serving
from evals.bench.chaos_session import Setting, run_session
from evals.bench.chaos_world import World

SHARES = {"busy_for": 5, "malformed": 5, "cut": 2, "hung": 1, "filtered": 1, "off_scale": 1}
"""Percent of all requests."""
LONGEST = 40
"""Requests that are drawn for an item: more than any policy makes."""


@dataclass(frozen=True)
class Mix:
    """What a run over the mix came to."""

    items: int
    requests: int
    met: dict[str, int]
    """Requests by kind of fault."""
    ends: dict[str, int]
    """Items by the status that had to come of their faults, and did where nothing is wrong."""
    most: int
    """Requests for one item at most."""
    faults: tuple[str, ...]
    """What was wrong."""


def mixed_script(seed: int, number: int) -> Script:
    """The kinds that the requests about an item meet, drawn one by one."""
    chance = random.Random(f"mix/{seed}/{number}")
    kinds, weights = [*SHARES, "good"], [*SHARES.values(), 100 - sum(SHARES.values())]
    return tuple(chance.choices(kinds, weights, k=LONGEST))


def fault_mix(items: int, *, seed: int, concurrency: int | str) -> Mix:
    """Grade so many items once, and hold every one against what must come of its faults."""
    world = World(seed, items, script=mixed_script)
    with tempfile.TemporaryDirectory() as folder, serving(world) as server:
        table = Path(folder) / "table.jsonl"
        world.write(table)
        disk = Disk(Path(folder), mounted=False)
        setting = Setting(Path(folder), table, server, disk, concurrency, ("--no-cache",))
        session = run_session(setting, "", random.Random(seed))
        faults = check_round(setting, world, [session])
    called = Counter(call.number for call in server.calls)
    return Mix(
        items=items,
        requests=len(server.calls),
        met=dict(Counter(call.kind for call in server.calls)),
        ends=dict(Counter(_end(world, number) for number in range(items))),
        most=max(called.values(), default=0),
        faults=(*faults, *wrong_counts(server.calls, world)),
    )


def wrong_counts(calls: Sequence[Call], world: World) -> Iterator[str]:
    """Items about which the server was asked more or less often than the policy says."""
    called = Counter(call.number for call in calls)
    for number in range(world.items):
        wanted = 0 if world.gated(number) else end_of(world.script_of(number)).requests
        if called[number] != wanted:
            yield f"{world.item_id(number)}: {called[number]} requests, not {wanted}"


def _end(world: World, number: int) -> str:
    return world.gated(number) or end_of(world.script_of(number)).status
