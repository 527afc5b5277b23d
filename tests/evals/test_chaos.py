"""The chaos suite itself: what it expects, that it is repeatable, that it finds what is wrong."""

from __future__ import annotations

import json
import random
import tempfile
from collections import Counter
from pathlib import Path

import pandas as pd
import pytest
from typer.testing import CliRunner

from evals.bench.chaos import chaos_round
from evals.bench.chaos_checks import check_calls, check_grades, check_sessions
from evals.bench.chaos_disk import disk_at
from evals.bench.chaos_mix import SHARES, mixed_script, wrong_counts
from evals.bench.chaos_script import CUT, FATES, FINAL, GOOD, REASKED, RETRIED, end_of, script_of
from evals.bench.chaos_server import Call
from evals.bench.chaos_session import Session, tear
from evals.bench.chaos_world import World
from evals.cli import app
from pipeline.endpoint.faults import POLICY

WORLD = World(seed=4, items=20)


def test_short_chaos_ends_with_complete_tables() -> None:
    done = CliRunner().invoke(app, ["bench", "--chaos", "2", "--items", "40", "--json"])
    assert done.exit_code == 0, done.output
    said = json.loads(done.output.splitlines()[-1])
    assert (said["rounds"], said["right"], said["items"]) == (2, 2, 80)
    assert said["sessions"]["in peace"] == 2
    assert said["requests"] > 40


@pytest.mark.parametrize(
    ("script", "status", "requests"),
    [
        ((), "scored", 1),
        (("busy", "html", "torn"), "scored", 4),
        (("hung", "hung", "hung"), "endpoint_error", 3),
        (("html", "busy", "html", "html", "html"), "endpoint_error", 5),
        (("malformed",), "scored", 2),
        (("malformed", "busy", "off_scale"), "unparseable", 3),
        (("cut",), "scored", 2),
        (("cut", "cut"), "truncated_reply", 2),
        (("cut", "malformed", "cut"), "scored", 4),
        (("busy", "filtered"), "content_filtered", 2),
        (("short_prompt",), "prompt_truncated", 1),
    ],
)
def test_end_follows_from_the_faults(script: tuple[str, ...], status: str, requests: int) -> None:
    assert end_of(script) == (status, requests)


def test_expected_number_of_tries_is_that_of_the_policy() -> None:
    tries = {rule.name: rule.tries for rule in POLICY}
    names = {"busy": "busy", "server": "server", "broken": "broken reply"}
    names |= {"connection": "connection", "time": "time-out"}
    assert dict(RETRIED.values()) == {family: tries[name] for family, name in names.items()}


def test_every_kind_of_fault_comes_up_and_comes_up_again_alike() -> None:
    scripts = [script_of(9, number) for number in range(2_000)]
    assert {kind for script in scripts for kind in script} == {
        *GOOD,
        *RETRIED,
        *REASKED,
        *FINAL,
        CUT,
    }
    assert {*FATES} <= {*scripts}
    assert scripts == [script_of(9, number) for number in range(2_000)]
    assert {end_of(script).status for script in scripts} == {
        *FINAL.values(), "scored", "endpoint_error", "unparseable", "truncated_reply",
    }  # fmt: skip


def test_mix_of_faults_ends_every_item_as_it_must() -> None:
    options = ["bench", "--fault-mix", "--items", "300", "--concurrency", "32", "--json"]
    done = CliRunner().invoke(app, options)
    assert done.exit_code == 0, done.output
    said = json.loads(done.output.splitlines()[-1])
    assert said["faults"] == []
    assert {*said["met"]} == {*SHARES, "good"}
    assert said["items"] == sum(said["ends"].values()) == 300
    assert said["ends"]["content_filtered"] == said["met"]["filtered"]


def test_mix_has_the_shares_that_it_names() -> None:
    kinds = Counter(kind for number in range(2_000) for kind in mixed_script(3, number))
    for kind, percent in SHARES.items():
        assert 100 * kinds[kind] / kinds.total() == pytest.approx(percent, abs=0.3)


def test_request_too_many_is_found() -> None:
    world = World(5, 9, script=mixed_script)
    right = [
        Call(0, number, "good")
        for number in range(9)
        for _ in range(0 if world.gated(number) else end_of(world.script_of(number)).requests)
    ]
    assert list(wrong_counts(right, world)) == []
    [fault] = wrong_counts([*right, right[0]], world)
    assert "requests, not" in fault


def row(number: int, **changed: object) -> dict[str, object]:
    end = end_of(script_of(WORLD.seed, number))
    status = WORLD.gated(number) or end.status
    scores = WORLD.scores(number) if status == "scored" else dict.fromkeys(WORLD.scores(number))
    overall = {"scored": 2.0, "blank": 0.0}.get(status)
    right = {
        "item_id": WORLD.item_id(number),
        "status": status,
        "attempts": 0 if WORLD.gated(number) else end.requests,
        "overall": overall,
        **scores,
    }
    return {**right, **changed}


def first(status: str) -> int:
    return next(n for n in range(WORLD.items) if row(n)["status"] == status)


@pytest.mark.parametrize(
    ("status", "changed", "words"),
    [
        ("scored", {"depth": 9}, "for {"),
        ("scored", {"status": "endpoint_error"}, "endpoint_error, not"),
        ("scored", {"attempts": 7}, "7 requests"),
        ("scored", {"overall": None}, "without an overall"),
        ("blank", {"overall": 3.0}, "blank with"),
        ("missing", {"overall": 0.0}, "a number made out of missing"),
    ],
)
def test_wrong_row_is_found(status: str, changed: dict[str, object], words: str) -> None:
    rows = [row(number) for number in range(WORLD.items)]
    assert list(check_grades(pd.DataFrame(rows), WORLD, frozenset())) == []
    rows[first(status)] |= changed
    fault, *_ = check_grades(pd.DataFrame(rows), WORLD, frozenset())
    assert words in fault


def test_lost_row_is_found() -> None:
    rows = [row(number) for number in range(1, WORLD.items)]
    assert list(check_grades(pd.DataFrame(rows), WORLD, frozenset())) == ["19 rows for 20 items"]


def test_item_paid_for_twice_is_found_and_one_under_way_is_not() -> None:
    killed = Session("kill", -9, "", frozenset({WORLD.item_id(0)}))
    peace = Session("", 0, "", frozenset(map(WORLD.item_id, range(2))))
    under_way = [Call(0, 0, "good"), Call(0, 1, "good"), Call(1, 1, "good")]
    assert list(check_calls(under_way, WORLD, [killed, peace], 1)) == []
    [fault] = check_calls([*under_way, Call(1, 0, "good")], WORLD, [killed, peace], 1)
    assert "items [0] were called again" in fault
    many = [Call(0, number, "good") for number in range(9)]
    [fault] = check_calls(many, WORLD, [killed, peace], 2)
    assert "lost 8 items" in fault


@pytest.mark.parametrize(
    ("session", "words"),
    [
        (Session("", 1, "", frozenset()), "ended with 1"),
        (Session("clock", None, "", frozenset()), "ended with None"),
        (Session("kill", -9, "Traceback (most recent", frozenset()), "traceback"),
        (Session("rival", 0, "", frozenset(), rival=0), "second process"),
    ],
)
def test_wrong_way_out_is_found(session: Session, words: str) -> None:
    [fault] = check_sessions([session])
    assert words in fault


def test_torn_line_has_lost_its_end_and_no_other_line_is_touched(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    for seed in range(50):
        path.write_text("one\ntwo\nthree\n", "utf-8")
        tear(path, random.Random(seed))
        left = path.read_text("utf-8")
        assert left.startswith("one\ntwo\nt")
        assert not left.endswith("\n")
    path.write_text("", "utf-8")
    tear(path, random.Random(1))
    assert path.read_text("utf-8") == ""


def test_small_disk_is_full_and_has_room_again(tmp_path: Path) -> None:
    with disk_at(tmp_path, mount=True) as disk:
        if not disk.mounted:
            pytest.skip("mounting a file system needs root")
        (tmp_path / "a").write_bytes(b"x" * 10_000)
        disk.fill(0, 5_000)
        with pytest.raises(OSError, match="No space"):
            (tmp_path / "b").write_bytes(b"x" * 100_000)
        disk.free()
        (tmp_path / "b").write_bytes(b"x" * 100_000)
    assert not (tmp_path / "a").exists()


def test_round_keeps_its_folder_only_where_something_is_wrong(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr("evals.bench.chaos.DISTURBANCES", ("interrupt",))
    monkeypatch.setattr("evals.bench.chaos.MOST_SESSIONS", 1)
    monkeypatch.setattr("evals.bench.chaos.check_round", lambda *given: ["it is wrong"])
    one = chaos_round(0, seed=3, items=10)
    assert one.faults == ("it is wrong",)
    assert one.kept is not None
    assert (one.kept / "table.jsonl").exists()
    assert Counter(s.disturbance for s in one.sessions) == {"interrupt": 1, "": 1}
