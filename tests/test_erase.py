"""Erasing an interview: no word of it is left in any place that the program writes."""

from __future__ import annotations

import gzip
import json
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from sqlite3 import connect

import pandas as pd
import pytest
from typer.testing import CliRunner

from pipeline import grade
from pipeline.cache import ReplyCache, open_cache
from pipeline.cli import app
from pipeline.erase import Erasure, erase, erasure_text
from pipeline.errors import ConfigError, InputError
from pipeline.journal import Journal
from pipeline.prompt import PromptSet
from pipeline.records import Interview, Item, Messages, Reply
from pipeline.results import Run
from pipeline.verify import verify
from tests.conftest import SECRET
from tests.scripted import verdict_json

WORDS = ("欧阳不凡", "青鸟支付网关重构", "GLASSWING-77", "讲到了青鸟")
OTHERS = "用缓存挡住重复的读。"


def interview(name: str, answer: str, candidate: str | None = None) -> Interview:
    items = tuple(
        Item(item_id=f"{name}#{n}", question=f"问题{n}是什么？", answer=text)
        for n, text in enumerate((answer, ""), start=1)
    )
    return Interview(id=name, source=name, candidate=candidate, intro=candidate, items=items)


SUBJECT = interview("s-1", f"我在{WORDS[1]}里用了 {WORDS[2]} 做幂等。", WORDS[0])
OTHER = interview("o-1", OTHERS)


def model(messages: Messages) -> Reply:
    text = messages[-1].content
    quote = WORDS[1] if WORDS[1] in text else "缓存"
    reply = verdict_json(3, quote=quote).replace("because", WORDS[3] if quote in WORDS else "行")
    return Reply(text=reply, model="m")


model.__name__ = "model"


def contents(path: Path) -> Iterator[bytes]:
    """What a file holds: raw, and unpacked where it is packed."""
    raw = path.read_bytes()
    yield raw
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            yield from (archive.read(name) for name in archive.namelist())
    if path.suffix == ".parquet":
        yield pd.read_parquet(path).to_csv().encode()
    if raw[:2] == b"\x1f\x8b":
        yield gzip.decompress(raw)
    # Replies lie in the cache as zlib streams: try at every place where one can begin.
    for start in (match.start() for match in re.finditer(b"\x78\x01", raw)):
        try:
            yield zlib.decompressobj().decompress(raw[start:])
        except zlib.error:
            continue


def places_with_words(folder: Path) -> set[str]:
    """Files below the folder in which a known word of the candidate stands, plain or escaped."""
    forms = [word.encode() for word in WORDS]
    forms += [json.dumps(word)[1:-1].encode() for word in WORDS]
    return {
        str(path.relative_to(folder))
        for path in folder.rglob("*")
        if path.is_file()
        for content in contents(path)
        if any(form in content for form in forms)
    }


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[ReplyCache]:
    with open_cache(tmp_path / "all" / "cache" / "replies.sqlite") as opened:
        yield opened


@pytest.fixture
def run_it(prompts: PromptSet, tmp_path: Path, cache: ReplyCache) -> Callable[..., Run]:
    def runner(*interviews: Interview, out: str = "run", **options: bool) -> Run:
        return grade(
            interviews or (SUBJECT, OTHER),
            prompts=prompts,
            endpoint=model,
            out=tmp_path / "all" / out,
            secret=SECRET,
            cache=cache,
            **options,
        )

    return runner


@pytest.fixture
def erase_it(prompts: PromptSet, tmp_path: Path, cache: ReplyCache) -> Callable[..., Erasure]:
    def eraser(*names: str, out: str = "run") -> Erasure:
        folder = tmp_path / "all" / out
        return erase(folder, names, prompts=prompts, cache=cache, secret=SECRET)

    return eraser


def test_no_word_is_left_in_run_or_cache(
    run_it: Callable[..., Run], erase_it: Callable[..., Erasure], tmp_path: Path
) -> None:
    run = run_it()
    before = places_with_words(tmp_path / "all")
    assert {"run/grades.xlsx", "run/criteria.parquet", "run/report.html"} <= before
    assert any(place.startswith("run/texts/") for place in before)
    assert any(place.startswith("cache/") for place in before)
    (run.folder / ".grades.csv.tmp").write_text(WORDS[0], encoding="utf-8")
    assert erase_it("s-1").cached == 1
    assert places_with_words(tmp_path / "all") == set()
    assert verify(run.folder) == ([], 5)


def test_pages_about_the_candidate_go_and_those_of_others_stay(
    run_it: Callable[..., Run], erase_it: Callable[..., Erasure], tmp_path: Path
) -> None:
    run = run_it()
    pages = {reader: str(run.folder / f"{reader}.html") for reader in ("recruiter", "reviewer")}
    asked = [["--candidate", "s-1", "--for", name, "--html", page] for name, page in pages.items()]
    for arguments in (["--copies"], *asked):
        shown = CliRunner().invoke(app, ["show", str(run.folder), *arguments])
        assert shown.exit_code == 0, shown.output
    before = places_with_words(tmp_path / "all")
    assert {"run/recruiter.html", "run/reviewer.html"} <= before
    [own] = [place for place in before if place.startswith("run/candidates/")]
    erasure = erase_it("s-1")
    assert places_with_words(tmp_path / "all") == set()
    [other] = (run.folder / "candidates").iterdir()
    assert own != f"run/candidates/{other.name}"
    assert "挡住重复的读" in other.read_text(encoding="utf-8")
    assert not [line for line in erasure.unreached if ".html" in line]


def test_the_others_stay_as_they_were(
    run_it: Callable[..., Run], erase_it: Callable[..., Erasure]
) -> None:
    run = run_it()
    before = run.grades[run.grades["interview_id"] == "o-1"].reset_index(drop=True)
    erase_it("s-1")
    after = pd.read_parquet(run.folder / "grades.parquet")
    pd.testing.assert_frame_equal(before, after, check_dtype=False)
    manifest = json.loads((run.folder / "manifest.json").read_text("utf-8"))
    assert (manifest["erased"], manifest["items"], set(manifest["inputs"])) == (1, 2, {"o-1"})


def test_entry_that_answered_for_two_interviews_goes_with_either(
    run_it: Callable[..., Run], erase_it: Callable[..., Erasure], tmp_path: Path
) -> None:
    twin = interview("s-2", SUBJECT.items[0].answer or "")
    run_it(SUBJECT)
    run_it(twin, out="two")
    assert erase_it("s-2", out="two").cached == 1
    assert not [place for place in places_with_words(tmp_path / "all") if "cache" in place]


def test_erasing_twice_is_the_same_as_once(
    run_it: Callable[..., Run], erase_it: Callable[..., Erasure]
) -> None:
    run = run_it()
    erase_it("s-1")
    journal = (run.folder / "journal.jsonl").read_bytes()
    tables = (run.folder / "grades.parquet").read_bytes()
    assert erase_it("s-1").cached == 0
    assert (run.folder / "journal.jsonl").read_bytes() == journal
    assert (run.folder / "grades.parquet").read_bytes() == tables


def test_erasure_that_was_interrupted_is_finished_by_the_next(
    run_it: Callable[..., Run], erase_it: Callable[..., Erasure], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    run = run_it()
    with monkeypatch.context() as patch:
        patch.setattr(Journal, "add_line", _interrupt)
        with pytest.raises(KeyboardInterrupt):
            erase_it("s-1")
    erase_it("s-1")
    assert places_with_words(tmp_path / "all") == set()
    assert verify(run.folder) == ([], 5)


def test_journal_that_lost_lines_is_not_written_over(
    run_it: Callable[..., Run], erase_it: Callable[..., Erasure]
) -> None:
    journal = run_it().folder / "journal.jsonl"
    journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[:2]))
    with pytest.raises(InputError, match="has 2 lines, and once had 4"):
        erase_it("s-1")


def _interrupt(journal: Journal, content: dict[str, object]) -> None:
    raise KeyboardInterrupt


def test_unknown_id_is_refused_with_near_ones_and_nothing_is_erased(
    run_it: Callable[..., Run], erase_it: Callable[..., Erasure]
) -> None:
    run = run_it()
    with pytest.raises(ConfigError, match=r"'s-7' \(near: s-1"):
        erase_it("s-1", "s-7")
    assert len(list((run.folder / "texts").iterdir())) == 2


def test_interview_that_comes_back_is_graded_anew_and_the_chain_is_whole(
    run_it: Callable[..., Run], erase_it: Callable[..., Erasure]
) -> None:
    run_it()
    erase_it("s-1")
    run = run_it()
    assert run.manifest["status"] == {"blank": 2, "scored": 2}
    assert (verify(run.folder), run.manifest["erased"]) == (([], 7), 0)


def test_what_is_not_reached_is_said(
    run_it: Callable[..., Run], erase_it: Callable[..., Erasure]
) -> None:
    run_it()
    run = run_it(fresh=True)
    (run.folder / "eval.html").write_text(WORDS[0], encoding="utf-8")
    text = erasure_text(erase_it("s-1"))
    for place in ("run.bak-1", "eval.html", "journal.jsonl keeps", "source files"):
        assert place in text
    assert not any(word in text for word in WORDS)


def test_rubric_with_other_criteria_is_refused_before_anything_is_erased(
    run_it: Callable[..., Run], prompts: PromptSet, cache: ReplyCache
) -> None:
    run = run_it()
    one = prompts.rubric.model_copy(update={"criteria": prompts.rubric.criteria[:1]})
    other = PromptSet(**{**vars(prompts), "rubric": one})
    with pytest.raises(ConfigError, match="--prompts"):
        erase(run.folder, ["s-1"], prompts=other, cache=cache, secret=SECRET)
    assert len(list((run.folder / "texts").iterdir())) == 2


def test_cache_in_use_elsewhere_is_said(cache: ReplyCache, tmp_path: Path) -> None:
    path = tmp_path / "all" / "cache" / "replies.sqlite"
    cache._connection.execute("pragma busy_timeout = 50")
    with closing(connect(path)) as reader:
        reader.execute("begin")
        reader.execute("select count(*) from replies").fetchone()
        cache.put("k", "owner", [Reply(text="x")])
        with pytest.raises(ConfigError, match="again"):
            cache.erase("owner")


def test_command_says_what_was_done(run_it: Callable[..., Run]) -> None:
    run = run_it()
    result = CliRunner().invoke(app, ["erase", str(run.folder), "s-1"])
    assert result.exit_code == 0, result.output
    assert "the chain is whole" in result.output
    shown = CliRunner().invoke(app, ["show", str(run.folder)])
    assert "1 interview erased" in shown.output
