"""Equal weights: chosen by option or rubric, and both orders shown beside each other."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from pipeline import grade
from pipeline.cli import app
from pipeline.errors import ConfigError
from pipeline.prompt import PromptSet, load_prompts, weighing
from pipeline.records import Interview, Item, Messages
from pipeline.results import Run, read_results
from pipeline.weights import ranks, told
from tests.conftest import SECRET
from tests.loopback import always, serve
from tests.scripted import KEYS, verdict_json
from tests.test_key_points import DEFAULT

QUESTION = "请讲一次你处理线上故障的经历。"
"""Asks for experience: weights .20, .25, .20, .25, .10."""
SCORES = {
    # by type .20*3+.25*4+.20*4+.25*2+.10*4 = 3.3; equal 17/5 = 3.4
    "甲答": (3, 4, 4, 2, 4),
    # by type .20*4+.25*4+.20*2+.25*4+.10*2 = 3.4; equal 16/5 = 3.2
    "乙答": (4, 4, 2, 4, 2),
}


def judge(messages: Messages) -> str:
    text = messages[-1].content
    [scores] = [scores for answer, scores in SCORES.items() if answer in text]
    return verdict_json(dict(zip(KEYS, scores, strict=True)))


def run_it(prompts: PromptSet, out: Path, answers: Mapping[str, str | None]) -> Run:
    interviews = [
        Interview(
            id=name,
            source=name,
            items=(Item(item_id=f"{name}#1", question=QUESTION, answer=answer),),
        )
        for name, answer in answers.items()
    ]
    return grade(interviews, prompts=prompts, endpoint=judge, out=out, secret=SECRET)


TWO = {"a": "甲答，这是全部。", "b": "乙答，这是全部。"}


def test_candidates_that_change_places_are_named(prompts: PromptSet, tmp_path: Path) -> None:
    done = run_it(prompts, tmp_path / "run", TWO)
    table = done.candidates.set_index("interview_id")
    columns = ["overall", "overall_by_type", "overall_by_equal", "rank_by_type", "rank_by_equal"]
    assert table.loc["a", columns].tolist() == [3.3, 3.3, 3.4, 2, 1]
    assert table.loc["b", columns].tolist() == [3.4, 3.4, 3.2, 1, 2]
    assert told(done.ranking) == (
        "Ranks by type of question -> with equal weights: a 2 -> 1, b 1 -> 2; all others stay."
    )
    page = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    assert "按题型加权第 2（3.3），等权第 1（3.4）" in page


def test_equal_weights_make_the_overall_where_they_are_chosen(
    prompts: PromptSet, tmp_path: Path
) -> None:
    done = run_it(weighing(prompts, "equal"), tmp_path / "run", TWO)
    assert done.grades["overall"].tolist() == [3.4, 3.2]
    assert [(one.overall_by_type, one.rank_by_type) for one in done.ranking] == [
        (Decimal("3.3"), 2),
        (Decimal("3.4"), 1),
    ]
    assert done.manifest["weights"] == "equal"
    with pytest.raises(ConfigError, match="weights was 'equal' and is now 'type'"):
        run_it(prompts, tmp_path / "run", TWO)
    again = read_results(tmp_path / "run", prompts.rubric)
    assert again.candidates["overall"].tolist() == [3.4, 3.2]


def test_a_run_is_shown_by_the_weights_it_was_graded_with(
    prompts: PromptSet, tmp_path: Path
) -> None:
    shown = {}
    for profile in ("type", "equal"):
        run_it(weighing(prompts, profile), tmp_path / profile, TWO)
        page = tmp_path / f"{profile}.html"
        asked = ["show", str(tmp_path / profile), "--candidate", "a", "--html", str(page)]
        done = CliRunner().invoke(app, asked)
        assert done.exit_code == 0, done.output
        table = page.read_text(encoding="utf-8").partition('<table class="weights">')[2]
        shown[profile] = re.findall(r'<td class="n">([\d.]+)', table)
    assert set(shown["equal"]) <= {"20", "25", "33.3"}
    assert "35" in shown["type"]


def test_caps_hold_under_equal_weights_too(prompts: PromptSet, tmp_path: Path) -> None:
    SCORES["丙答"] = (5, 1, 5, 5, 5)
    done = run_it(prompts, tmp_path / "run", {"c": "丙答，这是全部。"})
    del SCORES["丙答"]
    assert done.ranking[0].overall_by_equal == Decimal("2.0")


def test_one_candidate_has_no_order_and_none_without_a_grade(
    prompts: PromptSet, tmp_path: Path
) -> None:
    done = run_it(prompts, tmp_path / "run", {"a": "甲答，这是全部。", "x": None})
    assert told(done.ranking) == ""
    assert "等权第" not in (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    assert done.ranking[1].rank_by_equal is None


def test_a_criterion_that_is_not_asked_for_has_no_equal_weight_either(prompts: PromptSet) -> None:
    weights = weighing(prompts, "equal").rubric.weights_for("concept")
    assert "evidence" not in weights
    assert len(set(weights.values())) == 1


def test_a_rubric_without_equal_weights_refuses_them(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(DEFAULT, tmp_path / "own"))
    rubric = folder / "rubric.yaml"
    lines = rubric.read_text(encoding="utf-8").splitlines(keepends=True)
    without = [line for line in lines if not line.startswith("  equal: ")]
    rubric.write_text("".join(without), encoding="utf-8")
    with pytest.raises(ConfigError, match="no weights `equal`"):
        weighing(load_prompts(folder), "equal")
    rubric.write_text("".join(without).replace("profile: type", "profile: equal"), encoding="utf-8")
    with pytest.raises(ConfigError, match=r"rubric\.yaml, line \d+: profile: there are no"):
        load_prompts(folder)


def test_the_command_takes_the_option(tmp_path: Path) -> None:
    source = tmp_path / "a.jsonl"
    source.write_text('{"interview_id": "a", "question": "Why?", "answer": "Because of it."}\n')
    with serve(always(3)) as server:
        command = ["grade", str(source), "--out", str(tmp_path / "run"), "--weights", "equal"]
        target = ["--base-url", server.base_url, "--model", "m", "--no-cache", "--json"]
        done = CliRunner().invoke(app, [*command, *target])
    assert done.exit_code == 0, done.output
    assert '"weights": "equal"' in done.stdout


@given(st.lists(st.one_of(st.none(), st.decimals(0, 5, places=1)), max_size=8))
def test_a_rank_counts_the_better_ones(values: list[Decimal | None]) -> None:
    found = ranks(values)
    for value, rank in zip(values, found, strict=True):
        better = [other for other in values if other is not None and value and other > value]
        if value:
            assert rank == 1 + len(better)
        elif value is None:
            assert rank is None
