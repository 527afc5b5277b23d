"""What has to hold at the end of a chaos round. Every check gives its findings in words."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from evals.bench.chaos_replies import MODEL
from evals.bench.chaos_script import End, end_of
from evals.bench.chaos_server import Call
from evals.bench.chaos_session import Session, Setting
from evals.bench.chaos_world import World
from pipeline.verify import verify

CODES = {
    "": (0,),
    "kill": (0, -9),
    "disk": (0, 2, 4),
    "clock": (0,),
    "interrupt": (0, 130),
    "lock_out": (0, 4),
    "rival": (0,),
}
"""Exit codes that a session may end with. A disturbance may come when all is over."""
FILES = ("grades.csv", "grades.xlsx", "candidates.csv", "criteria.parquet", "report.html")


def check_round(setting: Setting, world: World, sessions: Sequence[Session]) -> list[str]:
    """All that is wrong after the last session."""
    faults = list(check_sessions(sessions))
    faults += check_calls(setting.server.calls, world, sessions, setting.concurrency)
    if not (setting.run / "grades.parquet").exists():
        return [*faults, "there are no tables"]
    found, lines = verify(setting.run)
    faults += found
    if lines < world.items:
        faults.append(f"the journal has {lines} lines for {world.items} items")
    grades = pd.read_parquet(setting.run / "grades.parquet")
    faults += check_files(setting.run, grades)
    disturbed = disturbed_items(setting.server.calls, world, sessions)
    faults += check_grades(grades, world, disturbed)
    return faults


def check_sessions(sessions: Sequence[Session]) -> Iterator[str]:
    """Exit codes, and no traceback on any way out."""
    for number, session in enumerate(sessions):
        where = f"session {number} ({session.disturbance or 'in peace'})"
        if session.code not in CODES[session.disturbance]:
            yield f"{where} ended with {session.code}: {session.said[-2_000:]}"
        if "Traceback" in session.said or "internal error" in session.said:
            yield f"{where} showed a traceback: {session.said[-2_000:]}"
        if session.rival not in (None, 2):
            yield f"{where}: a second process on the same run ended with {session.rival}"


def check_calls(
    calls: Sequence[Call], world: World, sessions: Sequence[Session], concurrency: int | str
) -> Iterator[str]:
    """No item is called again once it is journalled; what is lost was under way at the end."""
    for number, session in enumerate(sessions):
        later = Counter(call.number for call in calls if call.session > number)
        again = [n for n in later if world.item_id(n) in session.journalled]
        if again:
            yield f"items {again} were called again after session {number} had kept them"
        called = {world.item_id(call.number) for call in calls if call.session == number}
        lost = called - session.journalled
        if isinstance(concurrency, int) and len(lost) > 2 * concurrency + session.torn:
            yield f"session {number} lost {len(lost)} items at {concurrency} calls at a time"


def disturbed_items(
    calls: Sequence[Call], world: World, sessions: Sequence[Session]
) -> frozenset[str]:
    """Items that were under way when a session ended: their faults are spread over two."""
    called: Counter[str] = Counter()
    for number in range(len(sessions)):
        called.update({world.item_id(call.number) for call in calls if call.session == number})
    return frozenset(name for name, times in called.items() if times > 1)


def check_grades(grades: pd.DataFrame, world: World, disturbed: frozenset[str]) -> Iterator[str]:
    """Every item once, with the status that follows from its faults and the true numbers."""
    if sorted(grades["item_id"]) != sorted(map(world.item_id, range(world.items))):
        yield f"{len(grades)} rows for {world.items} items"
        return
    rows: dict[str, dict[str, Any]] = {}
    for record in grades.to_dict("records"):
        rows[record["item_id"]] = {str(name): value for name, value in record.items()}
    for number in range(world.items):
        row = rows[world.item_id(number)]
        ends = possible_ends(world, number, split=row["item_id"] in disturbed)
        if row["status"] not in {end.status for end in ends}:
            yield f"{row['item_id']}: {row['status']}, not {ends} ({world.script_of(number)[:9]})"
        elif row["item_id"] not in disturbed and (row["attempts"] != ends[0].requests):
            yield f"{row['item_id']}: {row['attempts']} requests, not {ends[0].requests}"
        yield from wrong_numbers(row, world.scores(number))


def possible_ends(world: World, number: int, *, split: bool) -> list[End]:
    """How an item may end; where its faults are spread over sessions, from any of them on."""
    if gated := world.gated(number):
        return [End(gated, 0)]
    script = world.script_of(number)
    starts = range(len(script) + 1) if split else (0,)
    return [end_of(script[start:]) for start in starts]


def wrong_numbers(row: dict[str, Any], truth: dict[str, int]) -> Iterator[str]:
    """Scores that are not the true ones, and scores where there should be none."""
    scores = {key: row[key] for key in truth if not pd.isna(row[key])}
    if row["status"] == "scored":
        wrong = {key: score for key, score in scores.items() if score != truth[key]}
        if wrong or len(scores) < len(truth) - 1:
            yield f"{row['item_id']}: {scores} for {truth}"
        if pd.isna(row["overall"]):
            yield f"{row['item_id']}: scored without an overall"
    elif row["status"] == "blank":
        if row["overall"] != 0:
            yield f"{row['item_id']}: blank with {row['overall']}"
    elif scores or not pd.isna(row["overall"]):
        yield f"{row['item_id']}: a number made out of {row['status']}"


def check_files(run: Path, grades: pd.DataFrame) -> Iterator[str]:
    """All outputs are there and agree with one another."""
    for name in FILES:
        if not (run / name).exists():
            yield f"{name} is missing"
    if drafts := [path.name for path in run.glob(".*.tmp")]:
        yield f"drafts were left: {drafts}"
    table = pd.read_csv(run / "grades.csv", encoding="utf-8-sig")
    if list(table["status"]) != list(grades["status"]):
        yield "grades.csv and grades.parquet differ"
    manifest = json.loads((run / "manifest.json").read_text("utf-8"))
    if manifest["status"] != dict(Counter(grades["status"])):
        yield f"the manifest counts {manifest['status']}"
    if not set(manifest["models_answered"]) <= {MODEL, "another-2"}:
        yield f"models: {manifest['models_answered']}"
