"""`grader show RUN --candidate`: which page for whom, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pipeline import grade
from pipeline.cli import app
from pipeline.prompt import PromptSet
from pipeline.records import Interview, Item, Messages, Reply
from tests.conftest import SECRET
from tests.scripted import verdict_json

Show = Callable[..., str]


def model(messages: Messages) -> Reply:
    return Reply(text=verdict_json(3, quote="缓存"), model="m")


model.__name__ = "model"


def interview(name: str, candidate: str) -> Interview:
    answers = (f"{candidate}用缓存挡住重复的读。", "")
    items = tuple(
        Item(item_id=f"{name}#{n}", question=f"问题{n}是什么？", answer=answer)
        for n, answer in enumerate(answers, start=1)
    )
    return Interview(id=name, source=name, candidate=candidate, items=items)


@pytest.fixture(scope="module")
def folder(prompts: PromptSet, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("show") / "run"
    people = [interview("a/1", "甲某某"), interview("b-2", "乙某某"), interview("b-3", "乙某某")]
    return grade(people, prompts=prompts, endpoint=model, out=out, secret=SECRET).folder


@pytest.fixture
def show(folder: Path) -> Show:
    def run_it(*arguments: str, code: int = 0) -> str:
        done = CliRunner().invoke(app, ["show", str(folder), *arguments])
        failed = done.exception if code else None
        assert done.exit_code == (1 if failed else 0), done.output
        return f"{done.output}{failed or ''}"

    return run_it


def test_the_recruiter_is_the_reader_unless_another_is_named(show: Show) -> None:
    text = show("--candidate", "a/1")
    assert text == show("--candidate", "甲某某", "--for", "recruiter")
    assert "接下来可以问什么" in text
    assert "甲某某用缓存挡住重复的读" not in text
    assert "甲某某用[A>[B>" in show("--candidate", "a/1", "--for", "reviewer")
    assert "您的回答与评分说明" in show("--candidate", "a/1", "--for", "candidate")


def test_a_page_is_the_candidates_own_unless_another_is_named(show: Show, tmp_path: Path) -> None:
    for reader, says in (("", "您的回答与评分说明"), ("recruiter", "接下来可以问什么")):
        path = tmp_path / f"new/{reader}.html"
        named = ["--for", reader] if reader else []
        assert str(path) in show("--candidate", "b-2", "--html", str(path), *named).replace(
            "\n", ""
        )
        html = path.read_text("utf-8")
        assert says in html
        assert "乙某某" in html
        assert "甲某某" not in html


def test_copies_are_one_page_for_each_and_are_written_again(show: Show, folder: Path) -> None:
    assert "3 copies" in show("--copies")
    assert "3 copies" in show("--copies")
    pages = sorted((folder / "candidates").iterdir())
    assert [page.name.rsplit("-", 1)[0] for page in pages] == ["a_1", "b-2", "b-3"]
    for page in pages:
        html = page.read_text("utf-8")
        assert ("甲某某" in html) is page.name.startswith("a_1")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--candidate", "b-22"], "the run has no candidate 'b-22'. Near: b-2"),
        (["--candidate", "nobody at all"], "All ids are in candidates.csv"),
        (["--candidate", "乙某某"], "2 interviews have that name: b-2, b-3"),
        (["--for", "candidate"], "name it with --candidate"),
        (["--html", "x.html"], "name it with --candidate"),
        (["--candidate", "b-2", "--json"], "--json goes with the run"),
    ],
)
def test_what_cannot_be_shown_is_refused(show: Show, arguments: list[str], says: str) -> None:
    assert says in show(*arguments, code=2)


def test_control_characters_of_an_id_do_not_reach_the_terminal(
    prompts: PromptSet, tmp_path: Path
) -> None:
    people = [interview("x\x1b[2J\u202e", "丙")]
    out = grade(people, prompts=prompts, endpoint=model, out=tmp_path / "r", secret=SECRET).folder
    for arguments in ([], ["--queue"], ["--candidate", "丙", "--for", "reviewer"]):
        done = CliRunner().invoke(app, ["show", str(out), *arguments])
        assert done.exit_code == 0
        assert "\x1b[2J" not in done.output
        assert "\u202e" not in done.output
