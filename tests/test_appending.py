"""Lines are added whole or not at all, to files that stay open."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pipeline import appending
from pipeline.appending import Lines, append_line
from pipeline.errors import StopRun


def test_a_torn_line_is_closed_before_the_next(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"whole\ntor")
    append_line(path, "第二")
    assert path.read_text("utf-8") == "whole\ntor\n第二\n"


def test_more_files_than_are_kept_open_get_all_their_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(appending, "MOST_OPEN", 3)
    lines = Lines()
    for turn in range(3):
        for name in "abcde":
            lines.append(tmp_path / name, f"{name}{turn}")
    lines.close()
    assert all((tmp_path / n).read_text() == f"{n}0\n{n}1\n{n}2\n" for n in "abcde")


def test_a_line_is_in_the_file_before_the_next_statement(tmp_path: Path) -> None:
    lines = Lines()
    lines.append(tmp_path / "a", "one")
    assert (tmp_path / "a").read_text() == "one\n"
    lines.close()


def test_of_a_line_that_does_not_fit_nothing_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, lines, write = tmp_path / "a", Lines(), os.write
    lines.append(path, "first")
    room = [4]

    def full(descriptor: int, content: bytes) -> int:
        if not room:
            raise OSError(28, "No space left on device")
        return write(descriptor, content[: room.pop()])

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(StopRun, match="cannot be written"):
        lines.append(path, "second line")
    monkeypatch.undo()
    lines.append(path, "third")
    lines.close()
    assert path.read_text() == "first\nthird\n"
