"""The command line: what users type, what they read, and with which exit code it ends."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import typer

from pipeline.cli import run_app
from pipeline.screen import shortened
from tests.conftest import ROOT
from tests.loopback import Response, always, completion, error, serve
from tests.scripted import verdict_json

Write = Callable[[str, str], Path]
TRANSCRIPT = """开场白。
岗位： 工程师 从业年限： 3年
简介： 略。
问题1：为什么要加索引？
考察目标：基础。
回答： 为了少读数据，写入会变慢。
问题2：什么是事务？
考察目标：基础。
回答：
点评： 很好。
"""


def grader(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the program as a user does."""
    return subprocess.run(
        [sys.executable, "-m", "pipeline", *map(str, arguments)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=ROOT,
        env={**os.environ, **environment},
        timeout=120,
        check=False,
    )


@pytest.fixture
def transcript(write: Write) -> Path:
    return write("in/one.txt", TRANSCRIPT)


def test_grade_ends_with_table_and_place_of_the_report(transcript: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    with serve(always(3)) as server:
        done = grader("grade", transcript, "--out", out, "--base-url", server.base_url,
                      "--model", "m")  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "one" in done.stdout
    assert f"Report: {out / 'report.html'}" in done.stdout
    assert "2 items: 1 blank, 1 scored." in done.stdout
    host = server.base_url.removeprefix("http://").removesuffix("/v1")
    assert f"Grading 1 items with m at {host}; 1 need no call" in done.stderr
    assert "redaction: off" in done.stderr
    assert "2/2 items" in done.stderr
    with (out / "grades.csv").open(encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))
    assert [(row["item_id"], row["status"]) for row in rows] == [
        ("one#1", "scored"),
        ("one#2", "blank"),
    ]


def test_grade_takes_key_address_and_model_from_the_environment(
    transcript: Path, tmp_path: Path
) -> None:
    with serve(always(3)) as server:
        done = grader("grade", transcript, "--out", tmp_path / "run", "--quiet", "--json",
                      OPENAI_API_KEY="secret-key", OPENAI_BASE_URL=server.base_url,
                      GRADER_MODEL="m")  # fmt: skip
    assert done.returncode == 0, done.stderr
    [line] = done.stderr.splitlines()
    assert line.startswith("Grading 1 items with m at 127.0.0.1:")
    assert server.requests[0].headers["authorization"] == "Bearer secret-key"
    summary = json.loads(done.stdout)
    assert summary["candidates"][0]["interview_id"] == "one"
    kept = "".join(path.read_text(encoding="utf-8") for path in (tmp_path / "run").rglob("*.json*"))
    assert "secret-key" not in kept


def test_canaries_in_every_other_field_occur_in_no_request(write: Write, tmp_path: Path) -> None:
    canary = "CANARY9x"
    path = write(
        f"{canary}-folder/{canary}-name.txt",
        f"{canary} intro\n岗位： {canary} 从业年限： {canary}年\n简介： {canary}\n"
        f"问题1：为什么？\n考察目标：基础。\n回答： 因为快。\n点评： {canary}\n",
    )
    table = write(
        "t.jsonl",
        json.dumps(
            {
                "interview_id": f"{canary}-id",
                "number": 1,
                "question": "q?",
                "answer": "because",
                "role": canary,
                "candidate": canary,
                "years_experience": canary,
            }
        )
        + "\n",
    )
    with serve(always(3)) as server:
        done = grader("grade", path, table, "--out", tmp_path / canary, "--base-url",
                      server.base_url, "--model", "m")  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert len(server.requests) == 2
    for request in server.requests:
        assert canary.casefold() not in request.text.casefold()
        assert canary.casefold() not in json.dumps(request.headers).casefold()


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["grade", "{in}", "--out", "{out}", "--model", "m"], "neither key nor base URL"),
        (["grade", "{in}", "--out", "{out}", "--base-url", "http://127.0.0.1:1/v1"], "no model"),
        (["grade", "{in}", "--out", "{out}", "--base-url", "ftp://x", "--model", "m"], "http"),
        (["grade", "{in}", "--out", "{out}", "--prompts", "{in}"], "not a prompt set"),
        (["grade", "{none}", "--out", "{out}"], "none.txt"),
        (["grade", "{in}", "--out", "{out}", "--concurrency", "0"], "concurrency"),
        (["grade", "{in}"], "--out"),
        (["parse", "{none}"], "none.txt"),
        (["show", "{none}"], "not a run folder"),
        (["show", "{none}", "--verify"], "not a run folder"),
        (["nonsense"], "nonsense"),
    ],
)
def test_wrong_usage_exits_with_2_and_says_why(
    arguments: list[str], text: str, transcript: Path, tmp_path: Path
) -> None:
    names = {"in": transcript, "out": tmp_path / "run", "none": tmp_path / "none.txt"}
    done = grader(*[argument.format(**names) for argument in arguments])
    assert done.returncode == 2, done.stdout + done.stderr
    assert text in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "run").exists()


def test_all_unreadable_inputs_are_listed_before_any_call(
    write: Write, transcript: Path, tmp_path: Path
) -> None:
    bad = [write("in/bad1.txt", "hello\n"), write("in/bad2.txt", "world\n")]
    with serve(always(3)) as server:
        target = ("--base-url", server.base_url, "--model", "m", "--out", tmp_path / "run")
        done = grader("grade", transcript.parent, *target)
        assert done.returncode == 2
        assert all(str(path) in done.stderr for path in bad)
        assert server.requests == []
        done = grader("grade", transcript.parent, *target, "--skip-unreadable")
        assert done.returncode == 0, done.stderr
        assert len(server.requests) == 1


def test_too_many_failures_exit_with_1_and_the_share_is_the_users(
    transcript: Path, tmp_path: Path
) -> None:
    with serve(lambda request: Response(completion("no"))) as server:
        target = ("--base-url", server.base_url, "--model", "m", "--out", tmp_path / "run")
        assert grader("grade", transcript, *target).returncode == 1
        assert grader("grade", transcript, *target, "--max-ungraded", "1").returncode == 0
        assert len(server.requests) == 2
        done = grader("grade", transcript, *target, "--retry-errors", "--max-ungraded", "1")
        assert done.returncode == 0
        assert len(server.requests) == 4


def test_bad_key_exits_with_4_and_keeps_results(transcript: Path, tmp_path: Path) -> None:
    with serve(lambda request: error(401)) as server:
        done = grader("grade", transcript, "--out", tmp_path / "run", "--base-url",
                      server.base_url, "--model", "m")  # fmt: skip
    assert done.returncode == 4
    assert "OPENAI_API_KEY" in done.stderr
    assert (tmp_path / "run" / "report.html").exists()


def test_dry_run_makes_no_call_and_no_folder(transcript: Path, tmp_path: Path) -> None:
    with serve(always(3)) as server:
        done = grader("grade", transcript, "--out", tmp_path / "run", "--base-url",
                      server.base_url, "--model", "m", "--dry-run")  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "2 items: 1 calls, 1 need none." in done.stdout
    assert server.requests == []
    assert not (tmp_path / "run").exists()


def test_parse_prints_the_contracts_form(transcript: Path) -> None:
    done = grader("parse", transcript, "--json")
    [interview] = json.loads(done.stdout)["interviews"]
    assert {
        "id", "source", "language", "candidate", "role", "years_experience", "profile", "intro",
        "comment", "items", "warnings",
    } <= interview.keys()  # fmt: skip
    assert (interview["role"], interview["years_experience"]) == ("工程师", 3)
    first, second = interview["items"]
    assert {"item_id", "number", "question", "objective", "answer", "line", "flags"} <= first.keys()
    assert (first["number"], first["line"], second["answer"]) == (1, 4, "")
    lines = grader("parse", transcript, "--jsonl").stdout.splitlines()
    assert [json.loads(line) for line in lines] == [interview]


def test_show_prints_the_run_again_and_verify_finds_a_change(
    transcript: Path, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    with serve(always(3)) as server:
        grader("grade", transcript, "--out", out, "--base-url", server.base_url, "--model", "m")
    assert "2 items: 1 blank, 1 scored." in grader("show", out).stdout
    assert "2 journal lines, the chain is whole" in grader("show", out, "--verify").stdout
    journal = out / "journal.jsonl"
    journal.write_text(journal.read_text("utf-8").replace('"blank"', '"scored"'), "utf-8")
    done = grader("show", out, "--verify")
    assert (done.returncode, "line 1" in done.stdout or "line 2" in done.stdout) == (1, True)


def test_reply_with_a_canary_of_the_answer_does_not_reach_the_terminal(
    write: Write, tmp_path: Path
) -> None:
    path = write("x.txt", TRANSCRIPT.replace("为了少读数据", "SECRETWORD"))
    reply = completion(verdict_json(3, quote="SECRETWORD").replace('"score": 3', '"score": 9'))
    with serve(lambda request: Response(reply)) as server:
        done = grader("grade", path, "--out", tmp_path / "run", "--base-url", server.base_url,
                      "--model", "m")  # fmt: skip
    assert done.returncode == 1
    assert "SECRETWORD" not in done.stdout + done.stderr
    with (tmp_path / "run" / "grades.csv").open(encoding="utf-8-sig") as file:
        row = next(csv.DictReader(file))
    assert (row["status"], row["overall"], row["attempts"]) == ("unparseable", "", "2")
    assert "SECRETWORD" not in row["reason"]


def test_internal_error_exits_with_70_and_keeps_its_message_to_itself(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = typer.Typer(pretty_exceptions_enable=False)

    @broken.command()
    def command() -> None:
        raise ValueError("words of " + "a candidate")

    monkeypatch.setattr(sys, "argv", ["grader"])
    monkeypatch.setattr(signal, "signal", lambda *arguments: None)
    with pytest.raises(SystemExit) as caught:
        run_app(broken)
    assert caught.value.code == 70
    said = capsys.readouterr().err
    assert "internal error (ValueError)" in said
    assert "test_cli.py" in said
    assert "words of a candidate" not in said


def test_quiet_leaves_out_the_progress_but_not_what_was_skipped(
    transcript: Path, write: Write, tmp_path: Path
) -> None:
    odd = write("in/odd.txt", "nothing to see")
    with serve(always(3)) as server:
        where = ("--base-url", server.base_url, "--model", "m")
        how = ("--out", tmp_path / "run", "--quiet", "--skip-unreadable")
        done = grader("grade", transcript, odd, *how, *where)
    assert done.returncode == 0, done.stderr
    assert "skipped: " in done.stderr
    assert "/2 items" not in done.stderr
    assert "tokens" not in done.stderr


def test_long_or_broken_id_takes_one_line_on_the_screen() -> None:
    assert shortened("a\nb") == "a b"
    assert shortened("中" * 60) == "中" * 60
    assert shortened("x" * 3000) == "x" * 59 + "…"
