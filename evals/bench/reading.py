"""How fast tables are read, as a stream: items for each CPU second, and growth of memory."""

from __future__ import annotations

import csv
import json
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psutil

from pipeline.intake import iter_interviews
from pipeline.records import Record

NAMES = (
    "interview_id", "number", "question", "objective", "answer", "role", "years_experience",
)  # fmt: skip
ITEMS_EACH = 8
ANSWER = "先看慢在哪一步，再决定加索引还是改写查询。" * 8


class ReadingFigures(Record):
    """What one reading took."""

    form: str
    """jsonl or csv."""
    items: int
    """Items read."""
    items_per_cpu_second: float
    """On one core; writing the file is not counted."""
    growth_mib: float
    """Resident memory after the last item less that before the first, in MiB."""


def measure_reading(items: int) -> list[ReadingFigures]:
    """Write a table of so many items in each form and read it back as a stream."""
    with tempfile.TemporaryDirectory() as folder:
        return [_measure(form, items, Path(folder)) for form in ("jsonl", "csv")]


def _measure(form: str, items: int, folder: Path) -> ReadingFigures:
    path = folder / f"table.{form}"
    with path.open("w", encoding="utf-8", newline="") as file:
        if form == "jsonl":
            for row in _rows(items):
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
        else:
            writer = csv.DictWriter(file, NAMES)
            writer.writeheader()
            writer.writerows(_rows(items))
    process = psutil.Process()
    before, started = process.memory_info().rss, time.process_time()
    read = sum(len(interview.items) for interview in iter_interviews(path))
    seconds = time.process_time() - started
    return ReadingFigures(
        form=form,
        items=read,
        items_per_cpu_second=read / seconds,
        growth_mib=(process.memory_info().rss - before) / 2**20,
    )


def _rows(items: int) -> Iterator[dict[str, str | int]]:
    for number in range(items):
        values = (
            f"person{number // ITEMS_EACH:07}", number % ITEMS_EACH + 1,
            f"第 {number} 个问题：查询为什么慢？", "基础。", ANSWER, "工程师", 3,
        )  # fmt: skip
        yield dict(zip(NAMES, values, strict=True))
