"""One session of a chaos round: a real process of the grader, and what is done to it."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from evals.bench.chaos_disk import Disk
from evals.bench.chaos_server import ChaosServer

DISTURBANCES = ("kill", "kill", "kill", "disk", "disk", "clock", "interrupt", "lock_out", "rival")
"""What may happen to a session; the last one of a round is left in peace."""
TIMEOUT = 3.0
"""Seconds for one request."""
LONGEST = 180.0
"""Seconds for a session; longer is a hang."""
DAY = 86_400.0


@dataclass(frozen=True)
class Session:
    """What happened, and what was there afterwards."""

    disturbance: str
    code: int | None
    """Exit code; None where it hung."""
    said: str
    """Standard error."""
    journalled: frozenset[str]
    """Items in the journal at its end."""
    rival: int | None = None
    """Exit code of a second process on the same run."""
    torn: bool = False
    """Whether its last line in the journal was torn afterwards."""


@dataclass(frozen=True)
class Setting:
    """All that the sessions of a round share."""

    folder: Path
    table: Path
    server: ChaosServer
    disk: Disk
    concurrency: int | str
    """Calls at a time, or auto."""
    options: tuple[str, ...]

    @property
    def run(self) -> Path:
        """The run folder."""
        return self.folder / "run"

    @property
    def journal(self) -> Path:
        """The run's journal."""
        return self.run / "journal.jsonl"


def run_session(setting: Setting, disturbance: str, chance: random.Random) -> Session:
    """Start the grader, disturb it, wait for its end."""
    jumps = clock_jumps(chance) if disturbance == "clock" else []
    rival = None
    with start(setting, jumps) as process:
        if disturbance in ("kill", "interrupt", "disk", "lock_out", "rival"):
            wait_for_a_moment(setting, process, chance)
        if disturbance in ("kill", "interrupt"):
            process.send_signal(signal.SIGKILL if disturbance == "kill" else signal.SIGINT)
        elif disturbance == "disk":
            setting.disk.fill(process.pid, chance.choice((0, 200, 3_000, 20_000)))
        elif disturbance == "lock_out":
            setting.server.blocked = chance.choice(("locked_out", "spent"))
        elif disturbance == "rival" and process.poll() is None and setting.journal.exists():
            rival = rival_code(setting, process)
        code, said = end_of_process(process)
    setting.server.blocked = ""
    setting.disk.free()
    return Session(disturbance, code, said, journalled(setting.journal), rival)


def start(setting: Setting, jumps: list[tuple[float, float]]) -> subprocess.Popen[str]:
    """The command that every session of a round gives."""
    command = [sys.executable, "-m", "evals.bench.chaos_child", json.dumps({"jumps": jumps})]
    command += ["grade", str(setting.table), "--out", str(setting.run), "--quiet"]
    command += ["--base-url", setting.server.base_url, "--model", "chaos"]
    command += ["--concurrency", str(setting.concurrency), "--timeout", str(TIMEOUT)]
    command += ["--max-ungraded", "1", *setting.options]
    return subprocess.Popen(
        command,
        env=environment(os.environ, setting.folder),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


def environment(outer: Mapping[str, str], folder: Path) -> dict[str, str]:
    """The process's environment: no key or address, and folders of the user's within the round."""
    kept = {name: value for name, value in outer.items() if not name.startswith("OPENAI_")}
    homes = ("XDG_DATA_HOME", "XDG_CONFIG_HOME")
    return {**kept, **{name: str(folder / name.lower()) for name in homes}}


def clock_jumps(chance: random.Random) -> list[tuple[float, float]]:
    """Up to three jumps of up to a day, ahead or back."""
    jumps = chance.randint(1, 3)
    return [(chance.uniform(0, 4), chance.uniform(-DAY, DAY)) for _ in range(jumps)]


def wait_for_a_moment(
    setting: Setting, process: subprocess.Popen[str], chance: random.Random
) -> None:
    """Wait for a random moment: while starting, while grading, or while writing tables."""
    lines = journal_lines(setting.journal)
    phase = chance.choice(("start", "grading", "grading", "grading", "end"))
    if phase == "start":
        time.sleep(chance.uniform(0, 2.0))
        return
    wanted = lines + chance.randint(1, 30)
    give_up = time.monotonic() + (20 if phase == "end" else 8)
    while process.poll() is None and time.monotonic() < give_up:
        if phase == "grading" and journal_lines(setting.journal) >= wanted:
            break
        if phase == "end" and any(setting.run.glob(".*.tmp")):
            break
        time.sleep(0.002)
    time.sleep(chance.uniform(0, 0.05))


def rival_code(setting: Setting, process: subprocess.Popen[str]) -> int | None:
    """Exit code of a second process, if the first one was there all the time."""
    with start(setting, []) as second:
        code, _ = end_of_process(second)
    return code if process.poll() is None else None


def end_of_process(process: subprocess.Popen[str]) -> tuple[int | None, str]:
    """Exit code and standard error; a process that hangs is killed, and has no code."""
    try:
        _, said = process.communicate(timeout=LONGEST)
    except subprocess.TimeoutExpired:
        process.kill()
        _, said = process.communicate()
        return None, said
    return process.returncode, said


def journal_lines(path: Path) -> int:
    """Whole lines so far."""
    return path.read_bytes().count(b"\n") if path.exists() else 0


def journalled(path: Path) -> frozenset[str]:
    """The items of all whole lines."""
    if not path.exists():
        return frozenset()
    lines = path.read_bytes().split(b"\n")[:-1]
    return frozenset(json.loads(line)["outcome"]["item_id"] for line in lines)


def tear(path: Path, chance: random.Random) -> None:
    """Cut the journal's last line somewhere in its middle, as a loss of power may."""
    content = path.read_bytes() if path.exists() else b""
    last = content.rstrip(b"\n").rfind(b"\n") + 1
    if content.endswith(b"\n") and len(content) - last > 2:
        with path.open("rb+") as file:
            file.truncate(chance.randint(last + 1, len(content) - 1))
