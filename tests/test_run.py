"""A whole run over a Python function as the endpoint: folder, resume, interruption, privacy."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from pipeline import grade
from pipeline.endpoint import EndpointInfo, FunctionEndpoint
from pipeline.errors import ConfigError, EndpointError, InputError, StopRun
from pipeline.journal import read_chain
from pipeline.prompt import PromptSet
from pipeline.records import Interview, Item, Messages, Reply
from pipeline.results import Run
from pipeline.verify import verify
from tests.conftest import SECRET
from tests.scripted import verdict_json

ANSWER = "索引不是白给的，写入时要多维护一棵树。"
CANARY = "CANARY-7f3a"


def interview(
    name: str = "a", answers: tuple[str | None, ...] = (ANSWER, "", None, "用缓存。")
) -> Interview:
    """One interview; every field that must not reach a prompt holds the canary."""
    items = tuple(
        Item(item_id=f"{name}#{n}", number=n, question=f"问题之{n}是什么？", answer=answer)
        for n, answer in enumerate(answers, start=1)
    )
    return Interview(
        id=name,
        source=f"/x/{CANARY}/{name}.txt",
        candidate=CANARY,
        role=CANARY,
        years_experience=CANARY,
        profile=CANARY,
        intro=CANARY,
        comment=CANARY,
        items=items,
    )


class Fake:
    """Scores every answer 3 with a quote from it, and keeps the prompts."""

    def __init__(self, fail: Callable[[int], BaseException | None] = lambda number: None) -> None:
        self.prompts: list[str] = []
        self._fail = fail

    def __call__(self, messages: Messages) -> Reply:
        self.prompts.append("\n".join(turn.content for turn in messages) + messages.call_id)
        if error := self._fail(len(self.prompts)):
            raise error
        return Reply(text=verdict_json(3, quote="缓存"), model="fake-1", seconds=0.1)


@pytest.fixture
def run_it(prompts: PromptSet, tmp_path: Path) -> Callable[..., Run]:
    """Grade into one folder with the default prompts."""

    def runner(interviews: list[Interview], endpoint: object, **options: object) -> Run:
        out = options.pop("out", tmp_path / "run")
        return grade(  # type: ignore[call-overload, no-any-return, misc]
            interviews, prompts=prompts, endpoint=endpoint, out=out, secret=SECRET, **options
        )

    return runner


def test_run_keeps_every_item_with_its_status(run_it: Callable[..., Run]) -> None:
    fake = Fake()
    run = run_it([interview()], fake)
    assert list(run.grades["status"]) == ["scored", "blank", "missing", "scored"]
    assert list(run.grades["overall"].isna()) == [False, False, True, False]
    assert run.grades["overall"][1] == 0
    assert len(fake.prompts) == 2
    assert run.manifest["status"] == {"blank": 1, "missing": 1, "scored": 2}
    assert verify(run.folder) == ([], 4)
    names = {path.name for path in run.folder.iterdir()}
    assert names >= {
        "manifest.json",
        "journal.jsonl",
        "texts",
        "grades.csv",
        "grades.parquet",
        "grades.xlsx",
        "criteria.parquet",
        "candidates.csv",
        "report.html",
    }


def test_nothing_but_question_objective_answer_reaches_a_prompt(
    run_it: Callable[..., Run],
) -> None:
    fake = Fake()
    run_it([interview(f"{CANARY}-stem")], fake)
    assert fake.prompts
    assert not [prompt for prompt in fake.prompts if CANARY in prompt]


def test_journal_holds_no_words(run_it: Callable[..., Run]) -> None:
    run = run_it([interview()], Fake())
    journal = (run.folder / "journal.jsonl").read_text(encoding="utf-8")
    for words in (ANSWER, "缓存", "because", CANARY):
        assert words not in journal


def test_same_command_again_calls_nothing_and_changes_no_table(
    run_it: Callable[..., Run],
) -> None:
    first = run_it([interview()], Fake())
    before = {name: (first.folder / name).read_bytes() for name in ("grades.csv", "grades.parquet")}
    again = Fake()
    second = run_it([interview()], again)
    assert again.prompts == []
    assert before == {name: (second.folder / name).read_bytes() for name in before}


def test_new_items_are_added_to_an_existing_run(run_it: Callable[..., Run]) -> None:
    run_it([interview("a")], Fake())
    fake = Fake()
    run = run_it([interview("b", ("读得少。", "", None, "用缓存。"))], fake)
    assert len(fake.prompts) == 2
    assert list(run.candidates["interview_id"]) == ["a", "b"]
    assert len(run.grades) == 8


def test_changed_answer_is_graded_anew(run_it: Callable[..., Run]) -> None:
    run_it([interview("a")], Fake())
    fake = Fake()
    changed = ("全新的回答，讲缓存。", "", None, "用缓存。")
    run = run_it([interview("a", changed)], fake)
    assert len(fake.prompts) == 1
    assert verify(run.folder) == ([], 5)


def test_outcome_of_a_changed_answer_is_not_shown_before_it_is_graded(
    run_it: Callable[..., Run],
) -> None:
    run_it([interview("a")], Fake())
    changed = ("全新的回答，讲缓存。", "", None, "用缓存。")
    run = run_it([interview("a", changed)], Fake(), limit=0)
    assert list(run.grades["status"]) == ["not_run", "blank", "missing", "scored"]


def test_limit_leaves_the_rest_not_run(run_it: Callable[..., Run]) -> None:
    run = run_it([interview()], Fake(), limit=1)
    assert list(run.grades["status"]) == ["scored", "not_run", "not_run", "not_run"]
    run = run_it([interview()], Fake())
    assert list(run.grades["status"]) == ["scored", "blank", "missing", "scored"]


def test_failed_items_are_kept_and_tried_again_only_on_request(
    run_it: Callable[..., Run],
) -> None:
    broken = Fake(lambda number: EndpointError("HTTP 500, 6 attempts", attempts=6))
    run = run_it([interview()], broken)
    assert list(run.grades["status"]) == ["endpoint_error", "blank", "missing", "endpoint_error"]
    assert run.grades["overall"].isna().tolist() == [True, False, True, True]
    assert run.ungraded_share == 1.0
    assert run_it([interview()], Fake()).manifest["status"]["endpoint_error"] == 2
    run = run_it([interview()], Fake(), retry_errors=True)
    assert list(run.grades["status"]) == ["scored", "blank", "missing", "scored"]
    assert (run.ungraded_share, verify(run.folder)) == (0.0, ([], 6))


def test_stop_keeps_what_is_done(run_it: Callable[..., Run], tmp_path: Path) -> None:
    stopping = Fake(lambda number: StopRun("quota") if number == 2 else None)
    with pytest.raises(StopRun):
        run_it([interview()], stopping, concurrency=1)
    grades = pd.read_parquet(tmp_path / "run" / "grades.parquet")
    assert list(grades["status"]) == ["scored", "blank", "missing", "not_run"]
    assert (tmp_path / "run" / "report.html").exists()


def test_stop_lets_calls_under_way_finish(run_it: Callable[..., Run], tmp_path: Path) -> None:
    async def slow(messages: Messages) -> Reply:
        if "问题之1" in messages[-1].content:
            await asyncio.sleep(0.05)
            raise StopRun("quota")
        await asyncio.sleep(0.2)
        return Reply(text=verdict_json(3))

    with pytest.raises(StopRun):
        run_it([interview()], slow, concurrency=2)
    grades = pd.read_parquet(tmp_path / "run" / "grades.parquet")
    assert list(grades["status"]) == ["not_run", "blank", "missing", "scored"]


def test_interrupt_keeps_what_is_done(run_it: Callable[..., Run], tmp_path: Path) -> None:
    interrupted = Fake(lambda number: KeyboardInterrupt() if number == 2 else None)
    with pytest.raises(KeyboardInterrupt):
        run_it([interview()], interrupted, concurrency=1)
    grades = pd.read_parquet(tmp_path / "run" / "grades.parquet")
    assert list(grades["status"]) == ["scored", "blank", "missing", "not_run"]


def test_unknown_error_is_not_swallowed_and_loses_nothing(
    run_it: Callable[..., Run], tmp_path: Path
) -> None:
    buggy = Fake(lambda number: RuntimeError("bug") if number == 2 else None)
    with pytest.raises(RuntimeError, match="bug"):
        run_it([interview()], buggy, concurrency=1)
    grades = pd.read_parquet(tmp_path / "run" / "grades.parquet")
    assert grades["status"][0] == "scored"


def test_run_with_another_model_is_refused_by_name(run_it: Callable[..., Run]) -> None:
    run_it([interview()], Fake())

    def another(messages: Messages) -> str:
        return verdict_json(1)

    with pytest.raises(ConfigError, match=r"model was 'Fake' and is now 'another'"):
        run_it([interview()], another)


def test_fresh_moves_the_old_run_aside(run_it: Callable[..., Run], tmp_path: Path) -> None:
    run_it([interview()], Fake())
    fake = Fake()
    run_it([interview()], fake, fresh=True)
    run_it([interview()], fake, fresh=True)
    assert len(fake.prompts) == 4
    assert (tmp_path / "run.bak-1" / "journal.jsonl").exists()
    assert (tmp_path / "run.bak-2" / "journal.jsonl").exists()


def test_folder_that_is_no_run_is_left_alone(run_it: Callable[..., Run], tmp_path: Path) -> None:
    folder = tmp_path / "photos"
    folder.mkdir()
    (folder / "cat.jpg").write_bytes(b"x")
    with pytest.raises(ConfigError, match="no run"):
        run_it([interview()], Fake(), out=folder)
    assert [path.name for path in folder.iterdir()] == ["cat.jpg"]


def test_duplicate_ids_are_refused_before_any_call(run_it: Callable[..., Run]) -> None:
    fake = Fake()
    with pytest.raises(ConfigError, match="'a' stands twice"):
        run_it([interview("a"), interview("a")], fake)
    assert fake.prompts == []


def test_second_process_on_the_same_run_is_refused(run_it: Callable[..., Run]) -> None:
    inner: list[str] = []

    def nested(messages: Messages) -> str:
        with pytest.raises(ConfigError, match="another process") as caught:
            run_it([interview("b")], nested)
        inner.append(str(caught.value))
        return verdict_json(3)

    run_it([interview("a", (ANSWER,))], nested)
    assert len(inner) == 1


def test_fresh_is_refused_while_another_process_grades(
    run_it: Callable[..., Run], tmp_path: Path
) -> None:
    refused: list[str] = []

    def nested(messages: Messages) -> str:
        with pytest.raises(ConfigError, match="another process") as caught:
            run_it([interview()], Fake(), fresh=True)
        refused.append(str(caught.value))
        return verdict_json(3)

    run = run_it([interview("a", (ANSWER,))], nested)
    assert (len(refused), run.manifest["status"]) == (1, {"scored": 1})
    assert [path.name for path in tmp_path.iterdir() if ".bak-" in path.name] == []


def test_run_works_inside_a_running_loop(run_it: Callable[..., Run]) -> None:
    async def notebook() -> Run:
        return run_it([interview()], Fake())

    assert len(asyncio.run(notebook()).grades) == 4


@pytest.mark.parametrize("change", ["score", "drop", "swap", "words", "answer"])
def test_change_of_a_finished_run_is_found(run_it: Callable[..., Run], change: str) -> None:
    run = run_it([interview()], Fake())
    path = run.folder / "journal.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    if change == "score":
        lines[2] = lines[2].replace('"3"', '"5"')
    elif change == "drop":
        lines = lines[:-1]
    elif change == "swap":
        lines[0], lines[1] = lines[1], lines[0]
    else:
        old = {"words": "because", "answer": ANSWER}[change]
        [texts] = (run.folder / "texts").iterdir()
        said = texts.read_text(encoding="utf-8")
        assert old in said
        texts.write_text(said.replace(old, "因为"), "utf-8")
    path.write_text("".join(lines), encoding="utf-8")
    faults, _ = verify(run.folder)
    assert faults


def test_chain_verifies_after_a_candidate_is_erased(run_it: Callable[..., Run]) -> None:
    run = run_it([interview("a"), interview("b")], Fake())
    next((run.folder / "texts").iterdir()).unlink()
    assert verify(run.folder) == ([], 8)


def test_torn_last_line_is_cut_off_and_its_item_graded_again(
    run_it: Callable[..., Run],
) -> None:
    run = run_it([interview()], Fake())
    path = run.folder / "journal.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole[:-30])
    fake = Fake()
    run = run_it([interview()], fake)
    assert len(fake.prompts) == 1
    assert verify(run.folder) == ([], 4)
    assert list(run.grades["status"]) == ["scored", "blank", "missing", "scored"]


@pytest.mark.parametrize("left", ["", "{", "not a journal"])
def test_lost_journal_is_refused_and_not_graded_again(
    run_it: Callable[..., Run], left: str
) -> None:
    run = run_it([interview()], Fake())
    path = run.folder / "journal.jsonl"
    path.write_text(left, encoding="utf-8")
    fake = Fake()
    with pytest.raises(InputError, match="has 0 lines, and once had 4"):
        run_it([interview()], fake)
    assert fake.prompts == []
    assert path.read_text(encoding="utf-8") == left


@pytest.mark.parametrize("fresh", [False, True])
def test_file_in_the_place_of_a_run_is_left_alone(
    run_it: Callable[..., Run], tmp_path: Path, fresh: bool
) -> None:
    file = tmp_path / "notes"
    file.write_text("x", encoding="utf-8")
    for out in (file, file / "run"):
        with pytest.raises(ConfigError, match="a file is in the way"):
            run_it([interview()], Fake(), out=out, fresh=fresh)
    assert [path.name for path in tmp_path.iterdir()] == ["notes"]


def test_fresh_leaves_a_folder_alone_that_is_no_run(
    run_it: Callable[..., Run], tmp_path: Path
) -> None:
    folder = tmp_path / "photos"
    folder.mkdir()
    (folder / "cat.jpg").write_bytes(b"x")
    with pytest.raises(ConfigError, match="no run"):
        run_it([interview()], Fake(), out=folder, fresh=True)
    assert [path.name for path in tmp_path.iterdir()] == ["photos"]


def test_each_journal_line_holds_the_hash_of_the_line_before(run_it: Callable[..., Run]) -> None:
    run = run_it([interview()], Fake())
    chain = list(read_chain(run.folder / "journal.jsonl"))
    assert [entry["line"] for _, entry in chain] == [0, 1, 2, 3]
    assert json.loads(chain[0][0])["previous"] == "0" * 64
    assert len({entry["previous"] for _, entry in chain}) == 4


def test_interview_that_comes_back_under_another_id_is_refused(
    run_it: Callable[..., Run],
) -> None:
    run_it([interview("a"), interview("b", ("别的回答，讲缓存。",))], Fake())
    fake = Fake()
    with pytest.raises(ConfigError, match=r"'x/a' has the very items of 'a'.*--fresh"):
        run_it([renamed(interview("a"), "x/a")], fake)
    assert fake.prompts == []


def test_equal_answers_of_two_interviews_are_no_renaming(run_it: Callable[..., Run]) -> None:
    run_it([interview("a")], Fake())
    assert len(run_it([interview("a"), renamed(interview("a"), "b")], Fake()).candidates) == 2
    run_it([interview("c", ("",))], Fake())
    assert len(run_it([renamed(interview("c", ("",)), "d")], Fake()).candidates) == 4


def renamed(one: Interview, name: str) -> Interview:
    items = [
        item.model_copy(update={"item_id": f"{name}#{n}"}) for n, item in enumerate(one.items, 1)
    ]
    return one.model_copy(update={"id": name, "items": tuple(items)})


def test_embedded_model_gives_no_recommendation_since_nobody_measured_it(
    run_it: Callable[..., Run],
) -> None:
    answers = ("用缓存，读得快。", "缓存要设过期时间。")
    info = EndpointInfo(kind="embedded", host="127.0.0.1", model="small")
    embedded = run_it([interview("a", answers)], FunctionEndpoint(Fake(), info))
    [candidate] = embedded.ranking
    assert candidate.recommendation == "NO_DECISION"
    assert candidate.reasons[0] == "the embedded model's agreement with people is not measured"
    assert candidate.overall == 3


def test_model_behind_a_function_gives_its_advice(
    run_it: Callable[..., Run], tmp_path: Path
) -> None:
    answers = ("用缓存，读得快。", "缓存要设过期时间。")
    [candidate] = run_it([interview("a", answers)], Fake()).ranking
    assert (candidate.recommendation, candidate.reasons) == ("MIXED", ())
