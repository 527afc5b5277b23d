"""What survives: kill -9, Ctrl-C, SIGTERM, a full disk. Real processes, a real server."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pandas as pd
import pytest

from pipeline.manifest import is_unused
from pipeline.verify import verify
from tests.conftest import ROOT
from tests.loopback import Loopback, Request, Response, completion, serve
from tests.scripted import verdict_json

ITEMS = 60
REPLY = completion(verdict_json(3, quote="answer"))


def write_table(folder: Path) -> Path:
    path = folder / "table.jsonl"
    lines = [
        {
            "interview_id": f"person{number // 5}",
            "number": number % 5 + 1,
            "question": f"Question {number}?",
            "answer": f"answer <{number}> with words",
        }
        for number in range(ITEMS)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def slow(request: Request) -> Response:
    return Response(REPLY, delay=0.03)


def start(table: Path, out: Path, server: Loopback) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "pipeline", "grade", str(table), "--out", str(out)]
    command += ["--base-url", server.base_url, "--model", "m", "--concurrency", "4"]
    return subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def wait_for_lines(out: Path, lines: int, process: subprocess.Popen[str]) -> None:
    journal = out / "journal.jsonl"
    for _ in range(1_200):
        if journal.exists() and journal.read_bytes().count(b"\n") >= lines:
            return
        assert process.poll() is None, "it ended before it could be stopped"
        time.sleep(0.025)
    raise AssertionError("the run made no progress")


def calls_by_answer(server: Loopback) -> Counter[str]:
    return Counter(
        request.body["messages"][-1]["content"].split("answer <")[1].split(">")[0]
        for request in server.requests
    )


def finish(table: Path, out: Path, server: Loopback) -> None:
    process = start(table, out, server)
    output = process.communicate(timeout=120)
    assert process.returncode == 0, output


def journalled(out: Path) -> set[str]:
    lines = (out / "journal.jsonl").read_bytes().split(b"\n")[:-1]
    return {json.loads(line)["outcome"]["item_id"] for line in lines}


@pytest.mark.parametrize("rounds", [1, 4])
def test_kill_9_loses_no_finished_item_and_calls_none_twice(tmp_path: Path, rounds: int) -> None:
    table, out = write_table(tmp_path), tmp_path / "run"
    with serve(slow) as server:
        in_flight = 0
        for round_ in range(1, rounds + 1):
            process = start(table, out, server)
            wait_for_lines(out, round_ * 10, process)
            os.kill(process.pid, signal.SIGKILL)
            process.communicate()
            assert process.returncode == -signal.SIGKILL
            in_flight += len(server.requests) - len(journalled(out)) - in_flight
        before = journalled(out)
        calls_before = calls_by_answer(server)
        finish(table, out, server)
        grades = pd.read_parquet(out / "grades.parquet")
        assert list(grades["status"]) == ["scored"] * ITEMS
        assert verify(out) == ([], ITEMS)
        after = calls_by_answer(server)
        numbers = {f"person{n // 5}#{n % 5 + 1}": str(n) for n in range(ITEMS)}
        assert not [name for name in before if after[numbers[name]] != calls_before[numbers[name]]]
        assert sum(after.values()) - ITEMS <= 4 * rounds


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM])
def test_interrupt_exits_130_with_tables_and_report(tmp_path: Path, sign: signal.Signals) -> None:
    table, out = write_table(tmp_path), tmp_path / "run"
    with serve(slow) as server:
        process = start(table, out, server)
        wait_for_lines(out, 10, process)
        process.send_signal(sign)
        _, stderr = process.communicate(timeout=60)
        assert process.returncode == 130, stderr
        assert "all results so far are kept" in stderr
        assert "Traceback" not in stderr
        done = len(journalled(out))
        grades = pd.read_parquet(out / "grades.parquet")
        assert Counter(grades["status"]) == {"scored": done, "not_run": ITEMS - done}
        assert (out / "report.html").exists()
        finish(table, out, server)
        assert sum(calls_by_answer(server).values()) - ITEMS <= 4


@pytest.mark.skipif(sys.platform == "win32", reason="ignored signals are Unix's")
def test_a_run_in_the_background_of_a_script_can_be_ended(tmp_path: Path) -> None:
    """A shell starts it with SIGINT ignored; SIGTERM ends it all the same, with results kept."""
    table, out = write_table(tmp_path), tmp_path / "run"
    with serve(slow) as server:
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            process = start(table, out, server)
        finally:
            signal.signal(signal.SIGINT, before)
        wait_for_lines(out, 10, process)
        process.send_signal(signal.SIGTERM)
        _, stderr = process.communicate(timeout=60)
        assert process.returncode == 130, stderr
        assert len(journalled(out)) < ITEMS
        assert (out / "report.html").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="limits the size of files by a shell's ulimit")
def test_file_that_cannot_grow_stops_the_run_and_loses_nothing(tmp_path: Path) -> None:
    table, out = write_table(tmp_path), tmp_path / "run"
    with serve(slow) as server:
        command = f"ulimit -f 16; exec {sys.executable} -m pipeline grade {table} --out {out} "
        command += f"--base-url {server.base_url} --model m --concurrency 4"
        done = subprocess.run(
            ["bash", "-c", command], cwd=ROOT, capture_output=True, text=True, check=False
        )
        assert done.returncode not in (0, 1), done.stderr
        kept = journalled(out)
        assert 5 < len(kept) < ITEMS
        calls_before = calls_by_answer(server)
        finish(table, out, server)
        assert verify(out) == ([], ITEMS)
        after = calls_by_answer(server)
        numbers = {f"person{n // 5}#{n % 5 + 1}": str(n) for n in range(ITEMS)}
        assert not [name for name in kept if after[numbers[name]] != calls_before[numbers[name]]]


@pytest.mark.skipif(sys.platform != "linux", reason="limits the size of files by a shell's ulimit")
def test_disk_that_is_full_before_the_first_call_is_said_and_the_run_goes_on_later(
    tmp_path: Path,
) -> None:
    table, out = write_table(tmp_path), tmp_path / "run"
    with serve(slow) as server:
        command = f"ulimit -f 1; exec {sys.executable} -m pipeline grade {table} --out {out} "
        command += f"--base-url {server.base_url} --model m --no-cache"
        done = subprocess.run(
            ["bash", "-c", command], cwd=ROOT, capture_output=True, text=True, check=False
        )
        assert done.returncode == 4, done.stderr
        assert "same command again" in done.stderr
        assert "Traceback" not in done.stderr
        assert server.requests == []
        # What a process leaves that was killed before its manifest stood.
        assert {path.name for path in out.iterdir()} <= {".lock", "texts"}
        finish(table, out, server)
        assert verify(out) == ([], ITEMS)


def test_folder_of_somebody_else_is_no_run_that_has_begun(tmp_path: Path) -> None:
    assert is_unused(tmp_path / "none")
    (tmp_path / ".lock").touch()
    (tmp_path / "texts").mkdir()
    assert is_unused(tmp_path)
    (tmp_path / "texts" / "mine.txt").touch()
    assert not is_unused(tmp_path)
