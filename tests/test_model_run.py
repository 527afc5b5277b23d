"""The embedded model for real: a few items, end to end, over the command line."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import time
from decimal import Decimal
from pathlib import Path

import psutil
import pytest

from pipeline.endpoint.model_file import require_model
from pipeline.errors import ModelError
from pipeline.verify import verify
from tests.conftest import ROOT

pytestmark = [pytest.mark.model, pytest.mark.timeout(900)]
TEXT = """岗位： 后端工程师 从业年限： 4年
问题1：为什么要给查询加索引，有什么代价？
考察目标：基础。
回答： 索引让查询少读数据页；代价是写入时要维护。我在订单表加过联合索引，查询从两秒到五十毫秒。
问题2：什么是事务的隔离级别？
考察目标：基础。
回答：
问题3：请讲一次你排查线上内存泄漏的经历。
考察目标：排障经验。
回答： 团队合作很重要，我热爱学习。
"""


@pytest.fixture(autouse=True)
def _needs_the_model() -> None:
    pytest.importorskip("xllamacpp", reason="the extra `local` is not installed")
    try:
        require_model()
    except ModelError as error:
        pytest.skip(str(error))


def command(path: Path, out: Path) -> list[str]:
    return [sys.executable, "-m", "pipeline", "grade", str(path), "--out", str(out)]


def test_embedded_model_grades_a_file_without_any_key(tmp_path: Path) -> None:
    path, out = tmp_path / "one.txt", tmp_path / "run"
    path.write_text(TEXT, encoding="utf-8")
    done = subprocess.run(command(path, out), cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "on this machine (no key or base URL is set)" in done.stderr
    assert "scores: expected" in done.stderr
    with (out / "grades.csv").open(encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))
    assert [row["status"] for row in rows] == ["scored", "blank", "scored"]
    assert [row["score_mode"] for row in rows] == ["expected", "gate", "expected"]
    assert [row["question_type"] for row in rows] == ["concept", "concept", "experience"]
    assert [row["evidence"] for row in rows[:2]] == ["", ""]
    for row in (rows[0], rows[2]):
        for key in ("relevance", "correctness", "depth", "clarity", "overall"):
            assert 0 <= Decimal(row[key]) <= 5
        assert int(row["input_tokens"]) > 1_000
        assert int(row["output_tokens"]) > 50
    assert rows[1]["attempts"] == "0"
    assert verify(out) == ([], 3)
    manifest = json.loads((out / "manifest.json").read_text("utf-8"))
    assert manifest["parameters"]["logprobs"] is True
    assert manifest["endpoint"] == "embedded 127.0.0.1"


def test_interrupt_stops_the_models_server_too(tmp_path: Path) -> None:
    path, out = tmp_path / "one.txt", tmp_path / "run"
    path.write_text(TEXT, encoding="utf-8")
    process = subprocess.Popen(
        command(path, out), cwd=ROOT, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    children: list[psutil.Process] = []
    for _ in range(600):
        children = psutil.Process(process.pid).children()
        if children and (out / "journal.jsonl").exists():
            break
        time.sleep(0.1)
    time.sleep(2)
    os.kill(process.pid, signal.SIGINT)
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == 130, stderr
    assert children
    _, alive = psutil.wait_procs(children, timeout=10)
    assert not alive
    assert (out / "report.html").exists()
