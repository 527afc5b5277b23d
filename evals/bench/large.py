"""A whole command on a large table: peak memory, speed, and how long it takes to the first call."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import psutil

from evals.bench.arms import interviews
from evals.bench.server import Behaviour, running
from pipeline.errors import ConfigError
from pipeline.records import Record

COMMAND = "from evals.cli import main; main()"
EACH = 8
EVERY = 0.05
"""Seconds between two looks at the memory."""
STARTS = 10
"""Starts of a command that are measured: one alone says little."""


class LargeFigures(Record):
    """What one command took, the start of Python and all outputs included."""

    items: int
    """Items graded."""
    seconds: float
    """From start to end of the command."""
    cpu_seconds: float
    """CPU of its process."""
    peak_mib: float
    """Largest resident memory of its process."""
    start: float
    """Median seconds from the start of a command on one item to its first connection."""
    starts: int
    """Starts that were measured."""
    start_quartiles: tuple[float, float]
    """Between these was the middle half of them."""


def measure_large(items: int, *, latency: float, concurrency: str) -> LargeFigures:
    """Grade a generated table of so many items. Raises ConfigError where the command fails."""
    with tempfile.TemporaryDirectory() as folder, running(Behaviour(latency=latency)) as url:
        table = write_table(Path(folder) / "table.jsonl", items)
        command = ["--concurrency", concurrency, "--quiet", "--no-cache"]
        started = time.monotonic()
        process = grade_command(table, url, *command)
        peak = cpu = 0.0
        watched = psutil.Process(process.pid)
        while process.poll() is None:
            try:
                peak = max(peak, watched.memory_info().rss / 2**20)
                cpu = sum(watched.cpu_times()[:2])
            except psutil.NoSuchProcess:
                break
            time.sleep(EVERY)
        if process.wait():
            raise ConfigError(f"the command ended with exit code {process.returncode}.")
        seconds = time.monotonic() - started
    starts = sorted(measure_start() for _ in range(STARTS))
    return LargeFigures(
        items=items,
        seconds=seconds,
        cpu_seconds=cpu,
        peak_mib=peak,
        start=median(starts),
        starts=len(starts),
        start_quartiles=(starts[STARTS // 4], starts[-1 - STARTS // 4]),
    )


def measure_start() -> float:
    """Seconds from the start of `grader grade` to its first connection."""
    with tempfile.TemporaryDirectory() as folder, socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(120)
        table = write_table(Path(folder) / "table.jsonl", 1)
        began = time.monotonic()
        process = grade_command(table, f"http://127.0.0.1:{server.getsockname()[1]}/v1", "--quiet")
        try:
            server.accept()[0].close()
            return time.monotonic() - began
        finally:
            process.kill()
            process.wait()


def grade_command(table: Path, url: str, *options: str) -> subprocess.Popen[bytes]:
    """The command on a table, with its run beside it."""
    run = ["--out", str(table.parent / "run"), "--base-url", url, "--model", "bench-1"]
    command = [sys.executable, "-c", COMMAND, "grade", str(table), *run, *options]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def write_table(path: Path, items: int) -> Path:
    """JSON lines of so many items, written as they are made."""
    with path.open("w", encoding="utf-8") as file:
        for start in range(0, items, 1_000):
            for interview in interviews(min(1_000, items - start), EACH, first=start // EACH):
                for number, item in enumerate(interview.items, start=1):
                    row = {
                        "interview_id": interview.id,
                        "number": number,
                        "question": item.question,
                        "answer": item.answer,
                    }
                    file.write(json.dumps(row, ensure_ascii=False) + "\n")
    return path
