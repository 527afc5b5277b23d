"""Words and lines reach the disk every few seconds, beside the work, and all of them at the end."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pipeline import grade, syncing
from pipeline.cli import app
from pipeline.errors import StopRun
from pipeline.prompt import PromptSet
from pipeline.records import Interview, Item, Messages
from pipeline.results import Run
from pipeline.syncing import Syncer
from pipeline.texts import texts_path
from tests.conftest import SECRET
from tests.scripted import verdict_json


class Disk:
    """Which files were waited for, by name, in order; it fails where it is told to."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
        self.folder, self.seen, self.full = folder, list[str](), False
        monkeypatch.setattr(os, "fsync", self.fsync)
        monkeypatch.setattr(os, "sync", lambda: self.seen.append("everything"))

    def fsync(self, descriptor: int) -> None:
        if self.full:
            raise OSError(28, "No space left on device")
        number = os.fstat(descriptor).st_ino
        self.seen += [p.name for p in self.folder.rglob("*") if p.stat().st_ino == number]


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Disk:
    return Disk(monkeypatch, tmp_path)


def graded(prompts: PromptSet, out: Path, interviews: int = 2) -> Run:
    people = [
        Interview(
            id=f"p{n}",
            source="p",
            items=(Item(item_id=f"p{n}#1", question="什么是锁？", answer="互斥。"),),
        )
        for n in range(interviews)
    ]

    def model(messages: Messages) -> str:
        return verdict_json(3)

    return grade(people, prompts=prompts, endpoint=model, out=out, secret=SECRET, concurrency=1)


def written(folder: Path, *names: str) -> list[Path]:
    for name in names:
        (folder / name).write_text(name)
    return [folder / name for name in names]


def test_nothing_is_waited_for_before_its_time_and_all_at_the_end(
    disk: Disk, tmp_path: Path
) -> None:
    words, lines = written(tmp_path, "words", "lines")
    syncer = Syncer()
    for path in (lines, words, lines):
        syncer.note(path)
    assert disk.seen == []
    syncer.finish()
    assert disk.seen == ["words", "lines"]
    syncer.finish()
    assert disk.seen == ["words", "lines"]


def test_a_file_is_written_through_beside_the_work_though_nothing_comes_after_it(
    disk: Disk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(syncing, "EVERY", 0.01)
    words, lines = written(tmp_path, "words", "lines")
    syncer = Syncer()
    for turn in (1, 2):
        syncer.note(words)
        syncer.note(lines)
        while len(disk.seen) < 2 * turn:
            time.sleep(0.005)
    assert disk.seen == ["words", "lines", "words", "lines"]
    syncer.finish()
    assert len(disk.seen) == 4


def test_of_many_files_the_system_writes_out_all(disk: Disk, tmp_path: Path) -> None:
    syncing.write_through(written(tmp_path, *map(str, range(syncing.MANY))))
    assert disk.seen == ["everything"]


def test_a_disk_that_fails_meanwhile_is_tried_again_and_said_at_the_end(
    disk: Disk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(syncing, "EVERY", 0.01)
    [path] = written(tmp_path, "lines")
    syncer = Syncer()
    disk.full = True
    syncer.note(path)
    while not syncer._failed:
        time.sleep(0.005)
    with pytest.raises(OSError, match="No space"):
        syncer.finish()
    disk.full = False
    syncer.finish()
    assert disk.seen == ["lines"]


def test_a_file_that_was_erased_meanwhile_is_passed(disk: Disk, tmp_path: Path) -> None:
    [path] = written(tmp_path, "there")
    syncing.write_through([tmp_path / "gone", path])
    assert disk.seen == ["there"]


def test_a_run_ends_with_all_words_and_lines_on_the_disk(
    disk: Disk, prompts: PromptSet, tmp_path: Path
) -> None:
    graded(prompts, tmp_path / "run")
    texts = {path.name for path in (tmp_path / "run" / "texts").iterdir()}
    assert texts <= {*disk.seen}
    assert "journal.jsonl" in disk.seen


def test_a_disk_that_fails_at_the_end_stops_the_run(
    disk: Disk, prompts: PromptSet, tmp_path: Path
) -> None:
    graded(prompts, tmp_path / "run", interviews=1)
    disk.full = True
    with pytest.raises(StopRun):
        graded(prompts, tmp_path / "run")


# What --verify says of words that are not there.


def verified(run: Path) -> tuple[int, str]:
    shown = CliRunner().invoke(app, ["show", str(run), "--verify"])
    return shown.exit_code, shown.output


def test_verify_names_interviews_whose_words_are_gone(prompts: PromptSet, tmp_path: Path) -> None:
    run = tmp_path / "run"
    graded(prompts, run)
    assert verified(run) == (0, f"{run}: 2 journal lines, the chain is whole.\n")
    texts_path(run, "p1").unlink()
    code, said = verified(run)
    assert code == 0
    assert "no words of p1 (1 journal lines)" in said
    shutil.rmtree(run / "texts")
    assert "no words of p0, p1 (2 journal lines)" in verified(run)[1]


def test_verify_fails_where_the_words_of_a_line_are_missing(
    prompts: PromptSet, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    graded(prompts, run)
    path = texts_path(run, "p1")
    path.write_text(path.read_text("utf-8").splitlines(keepends=True)[0], "utf-8")
    code, said = verified(run)
    assert code == 1
    assert "the words of journal line 2 are missing" in said
