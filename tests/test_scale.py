"""Two thousand items at concurrency 64: none lost, none twice, memory bounded."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from pipeline.verify import verify
from tests.conftest import ROOT
from tests.loopback import Request, Response, completion, serve
from tests.scripted import verdict_json

ITEMS = 2_000
PEAK_MIB = 350
MEASURED = (
    "import sys; from evals.cli import main\n"
    "try: main()\n"
    "finally:\n"
    # Not ru_maxrss: that is inherited from the process that started this one.
    "    peak = open('/proc/self/status').read().split('VmHWM:')[1].split()[0]\n"
    "    print(f'peak {peak}', file=sys.stderr)\n"
)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_two_thousand_items_at_concurrency_64(tmp_path: Path) -> None:
    table = tmp_path / "table.jsonl"
    with table.open("w", encoding="utf-8") as file:
        for number in range(ITEMS):
            line = {
                "interview_id": f"person{number // 8:04}",
                "number": number % 8 + 1,
                "question": f"问题 {number}：为什么？",
                "answer": f"<{number % 6}> " + "分布式训练把数据分到多个节点上。" * 25,
            }
            file.write(json.dumps(line, ensure_ascii=False) + "\n")

    def graded(request: Request) -> Response:
        score = int(request.body["messages"][-1]["content"].split("<", 4)[4].split(">")[0])
        return Response(completion(verdict_json(score, quote="分布式训练")), delay=0.02)

    with serve(graded) as server:
        done = subprocess.run(
            [sys.executable, "-c", MEASURED, "grade", str(table), "--out", str(tmp_path / "run"),
             "--base-url", server.base_url, "--model", "m", "--concurrency", "64", "--quiet"],
            cwd=ROOT, capture_output=True, text=True, check=False,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    grades = pd.read_parquet(tmp_path / "run" / "grades.parquet")
    assert list(grades["status"]) == ["scored"] * ITEMS
    # Each item got the verdict of its own answer, whatever the order of the replies.
    positions = grades["item_id"].str.extract(r"person(\d+)#(\d+)").astype(int)
    expected = ((positions[0] * 8 + positions[1] - 1) % 6).tolist()
    assert grades["clarity"].astype(int).tolist() == expected
    assert len(server.requests) == ITEMS
    assert verify(tmp_path / "run") == ([], ITEMS)
    peak = int(done.stderr.split("peak ")[1]) // 1024
    assert peak < PEAK_MIB
    print(f"peak memory {peak} MiB")
