"""Chaos rounds: random faults, kills, full disks and clock jumps, then a resume, then checks."""

from __future__ import annotations

import random
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from evals.bench.chaos_checks import check_round
from evals.bench.chaos_disk import disk_at
from evals.bench.chaos_server import Call, serving
from evals.bench.chaos_session import (
    DISTURBANCES,
    Session,
    Setting,
    journalled,
    run_session,
    tear,
)
from evals.bench.chaos_world import World

MOST_SESSIONS = 3
"""Disturbed sessions of a round at most; one in peace follows."""


@dataclass(frozen=True)
class ChaosRound:
    """What happened in a round, and what was wrong at its end."""

    number: int
    seed: int
    items: int
    mounted: bool
    """Whether the disk was a file system of its own."""
    sessions: tuple[Session, ...]
    calls: tuple[Call, ...]
    faults: tuple[str, ...]
    kept: Path | None = None
    """The folder of a round that failed."""

    @property
    def twice(self) -> int:
        """Items that were called in more than one session: under way when one ended."""
        pairs = {(call.session, call.number) for call in self.calls}
        times = Counter(number for _, number in pairs)
        return sum(count > 1 for count in times.values())


def chaos_rounds(rounds: int, *, seed: int, items: int) -> Iterator[ChaosRound]:
    """Run so many rounds, one after the other; each has a seed of its own."""
    for number in range(rounds):
        yield chaos_round(number, seed=seed + number, items=items)


def chaos_round(number: int, *, seed: int, items: int) -> ChaosRound:
    """One round. The folder is kept where something was wrong."""
    chance = random.Random(seed)
    world = World(seed, items)
    folder = Path(tempfile.mkdtemp(prefix=f"chaos-{seed}-"))
    (folder / "disk").mkdir()
    mount = chance.random() < 0.5
    with disk_at(folder / "disk", mount=mount) as disk, serving(world) as server:
        world.write(folder / "table.jsonl")
        options = () if chance.random() < 0.5 else ("--no-cache",)
        concurrency = chance.choice((1, 3, 8, 16))
        setting = Setting(disk.folder, folder / "table.jsonl", server, disk, concurrency, options)
        sessions = run_sessions(setting, chance)
        faults = check_round(setting, world, sessions)
        if faults and disk.mounted:
            shutil.copytree(disk.folder, folder / "kept")
    if not faults:
        shutil.rmtree(folder)
    return ChaosRound(
        number=number,
        seed=seed,
        items=items,
        mounted=disk.mounted,
        sessions=tuple(sessions),
        calls=tuple(server.calls),
        faults=tuple(faults),
        kept=folder if faults else None,
    )


def run_sessions(setting: Setting, chance: random.Random) -> list[Session]:
    """Disturbed sessions, and at the end one in peace."""
    disturbances = chance.choices(DISTURBANCES, k=chance.randint(1, MOST_SESSIONS))
    sessions: list[Session] = []
    for number, disturbance in enumerate((*disturbances, "")):
        setting.server.session = number
        before = journalled(setting.journal)
        session = run_session(setting, disturbance, chance)
        # Lines of an earlier session are on the disk by now; a loss of power cannot tear them.
        if session.code == -9 and session.journalled > before and chance.random() < 0.3:
            tear(setting.journal, chance)
            session = replace(session, torn=True, journalled=journalled(setting.journal))
        sessions.append(session)
    return sessions
