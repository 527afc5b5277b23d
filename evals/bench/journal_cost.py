"""What it costs to keep an outcome: handed to the system, or waited for until it is on the disk."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from statistics import quantiles

from evals.bench.arms import SECRET, interviews
from evals.bench.server import verdict
from pipeline.grading import Recipe, grade_item
from pipeline.journal import Journal, open_journal
from pipeline.prompt import PromptSet
from pipeline.records import Interview, Item, Messages, Outcome, Record, Reply
from pipeline.syncing import write_through
from pipeline.texts import texts_path

SHORTEST, LONGEST = 10, 90
"""Percentiles that are shown beside the median."""


class KeepingFigures(Record):
    """One way of keeping outcomes. Times are microseconds for one outcome."""

    way: str
    items: int
    median: float
    low: float
    """Tenth percentile."""
    high: float
    """Ninetieth percentile."""
    longest: float


def measure_keeping(items: int, prompts: PromptSet, where: Path = Path()) -> list[KeepingFigures]:
    """Keep so many outcomes in each way, taking turns, on the disk of the folder `where`."""
    ways: dict[str, Callable[[Journal, str], None]] = {
        "as it is: on the disk every few seconds": lambda journal, name: None,
        "each journal line on the disk at once": _line_on_disk,
        "words and journal line on the disk at once": _both_on_disk,
    }
    took: dict[str, list[float]] = {way: [] for way in ways}
    with ExitStack() as stack:
        root = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=where)))
        journals = [stack.enter_context(open_journal(root / str(n))) for n in range(len(ways))]
        for interview, item, outcome in _outcomes(items, prompts):
            for (way, sync), journal in zip(ways.items(), journals, strict=True):
                if interview.id not in journal.salts:
                    journal.register(interview)
                started = time.perf_counter()
                journal.append(outcome, item)
                sync(journal, interview.id)
                took[way].append(1e6 * (time.perf_counter() - started))
    return [_figures(way, times) for way, times in took.items()]


def _line_on_disk(journal: Journal, interview_id: str) -> None:
    write_through([journal.folder / "journal.jsonl"])


def _both_on_disk(journal: Journal, interview_id: str) -> None:
    write_through([texts_path(journal.folder, interview_id), journal.folder / "journal.jsonl"])


def _outcomes(items: int, prompts: PromptSet) -> Iterator[tuple[Interview, Item, Outcome]]:
    recipe, text = Recipe(prompts, SECRET), verdict()

    async def complete(messages: Messages) -> Reply:
        return Reply(text=text, model="bench-1")

    for interview in interviews(items):
        for item in interview.items:
            graded = grade_item(item, interview.id, "zh", recipe, complete)
            yield interview, item, asyncio.run(graded)


def _figures(way: str, times: list[float]) -> KeepingFigures:
    parts = quantiles(times, n=100)
    return KeepingFigures(
        way=way,
        items=len(times),
        median=round(parts[49], 1),
        low=round(parts[SHORTEST - 1], 1),
        high=round(parts[LONGEST - 1], 1),
        longest=round(max(times), 1),
    )
