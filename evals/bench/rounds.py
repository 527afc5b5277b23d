"""Rounds of both arms, one after the other, so that a busy machine is busy for both."""

from __future__ import annotations

import asyncio
import resource
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from evals.bench.arms import Cost, bare, bodies_of, graded, interviews
from evals.bench.server import Behaviour, running
from pipeline.endpoint.slots import Concurrency
from pipeline.prompt import PromptSet

WARM_UP = 100
"""Requests before the first round: connections, imports and caches of the client."""


@dataclass(frozen=True)
class Round:
    """Both arms over the same items."""

    bare: Cost | None
    """None where the server is faulty: the bare client would lose those items."""
    ours: Cost


@dataclass(frozen=True)
class Result:
    """All rounds, and what they add up to."""

    behaviour: Behaviour
    concurrency: Concurrency
    rounds: tuple[Round, ...]
    peak_mib: float
    """Largest resident memory of this process, both arms and pandas included."""

    @property
    def items(self) -> int:
        """Items in each round."""
        return self.rounds[0].ours.items

    def ratio(self) -> float | None:
        """CPU of an item by the grader, in calls of the bare client; median over the rounds."""
        ratios = [one.ours.cpu / one.bare.cpu for one in self.rounds if one.bare]
        return median(ratios) if ratios else None

    def wall_to_ideal(self) -> float | None:
        """Wall time in units of items x latency / concurrency; None with --concurrency auto."""
        if self.concurrency == "auto":
            return None
        ideal = self.items * self.behaviour.latency / self.concurrency
        return median(one.ours.wall for one in self.rounds) / ideal if ideal else None


def run_rounds(
    prompts: PromptSet,
    behaviour: Behaviour,
    *,
    items: int,
    concurrency: Concurrency,
    rounds: int,
    cached: bool = False,
) -> Result:
    """Start the server, warm up, and run all rounds."""
    people = interviews(items)
    faulty = bool(behaviour.refused or behaviour.malformed or behaviour.failed)
    calls = 64 if concurrency == "auto" else concurrency
    with running(behaviour) as url:
        bodies = bodies_of(people, prompts, url)
        asyncio.run(bare(url, bodies[:WARM_UP], calls))
        done = []
        for _ in range(rounds):
            first = None if faulty else asyncio.run(bare(url, bodies, calls))
            with tempfile.TemporaryDirectory() as folder:
                ours = graded(url, people, prompts, Path(folder), concurrency, cached=cached)
            done.append(Round(first, ours))
    return Result(behaviour, concurrency, tuple(done), peak_memory())


def peak_memory() -> float:
    """MiB; the system counts in KiB, or in bytes on macOS."""
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


def milliseconds(costs: Sequence[Cost]) -> float:
    """CPU of an item, median over the rounds."""
    return median(1e3 * cost.cpu / cost.items for cost in costs)


def figures(result: Result) -> dict[str, float | int | str | None]:
    """The result, each figure a median over the rounds."""
    ours = [one.ours for one in result.rounds]
    first = [one.bare for one in result.rounds if one.bare]
    return {
        "items": result.items,
        "rounds": len(result.rounds),
        "concurrency": result.concurrency,
        "latency": result.behaviour.latency,
        "bare_cpu_ms": milliseconds(first) if first else None,
        "grader_cpu_ms": milliseconds(ours),
        "cpu_ratio": result.ratio(),
        "whole_cpu_ms": median(1e3 * cost.whole_cpu / cost.items for cost in ours),
        "bare_wall": median(cost.wall for cost in first) if first else None,
        "grader_wall": median(cost.wall for cost in ours),
        "items_per_second": result.items / median(cost.wall for cost in ours),
        "wall_to_ideal": result.wall_to_ideal(),
        "ungraded": sum(cost.failed for cost in ours),
        "peak_mib": round(result.peak_mib),
    }
