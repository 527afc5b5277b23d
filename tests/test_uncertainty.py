"""The width around a scorer's points, when it abstains, and where that is told."""

from __future__ import annotations

import asyncio
import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline import grade
from pipeline.errors import ConfigError
from pipeline.grading import Recipe, grade_item
from pipeline.prompt import PromptSet, load_prompts
from pipeline.records import Interview, Item, Messages, Reply
from pipeline.samples import combined
from pipeline.scorer import SCORER
from pipeline.uncertainty import Width
from pipeline.vectors import pack
from tests.conftest import SECRET
from tests.scripted import KEYS, Scripted
from tests.test_scorer import ITEM, folder, notes, small, tree

__all__ = ["folder"]
WIDTH = {"middle": 2.0, "ends": -1.5, "by_type": {"code": 0.25}, "least": 0.1}
CODE = Item(item_id="a#2", question="Write a Python function that sums a list.", answer="sum(x)")


def measured(**changed: Any) -> dict[str, Any]:
    return {
        "share": 0.8, "limit": 1.0, "types": ["concept", "experience"],
        "widths": dict.fromkeys((*KEYS, "overall"), WIDTH),
    } | changed  # fmt: skip


@pytest.fixture
def prompts(folder: Path) -> PromptSet:
    (folder / SCORER).write_text(json.dumps(tree(uncertainty=measured())), "utf-8")
    return load_prompts(folder)


@pytest.fixture
def recipe(prompts: PromptSet) -> Recipe:
    return Recipe(prompts=prompts, secret=SECRET, expected=True)


@pytest.mark.parametrize(
    ("score", "kind", "width"),
    [("2.5", "concept", "2.00"), ("5", "concept", "0.50"), ("0", "concept", "0.50"),
     ("1.25", "concept", "1.63"), ("5", "code", "0.75")],
)  # fmt: skip
def test_the_width_goes_by_the_place_on_the_scale_and_the_type(
    score: str, kind: str, width: str
) -> None:
    around = Width.model_validate(WIDTH).around(Decimal(score), kind, (0, 5))
    assert around == Decimal(width)


numbers = st.floats(-1e3, 1e3)


@given(numbers, numbers, st.floats(0.01, 5), st.decimals(0, 5, places=2))
def test_a_width_is_never_below_the_least_nor_above_the_scale(
    middle: float, ends: float, least: float, score: Decimal
) -> None:
    width = Width(middle=middle, ends=ends, by_type={}, least=least)
    assert Decimal("0.01") <= width.around(score, "concept", (0, 5)) <= 5


@pytest.mark.parametrize(
    ("item", "points", "abstention"),
    [(ITEM, 5.0, None), (ITEM, 0.0, None), (ITEM, 2.5, "wide"), (CODE, 5.0, "type")],
)
def test_it_abstains_in_the_middle_and_on_types_it_does_not_understand(
    recipe: Recipe, item: Item, points: float, abstention: str | None
) -> None:
    scripted = Scripted([Reply(text=notes(), state=(points, points))])
    outcome = asyncio.run(grade_item(item, "a", "zh", recipe, scripted))
    assert outcome.grade is not None
    assert outcome.grade.abstention == abstention
    assert ("low_confidence" in outcome.flags) is (abstention is not None)
    assert outcome.status == "scored"
    assert outcome.grade.overall == Decimal(str(points))


def region(limit: float = 0.25) -> dict[str, Any]:
    """States around (4, 4) in Chinese that differ along the first part; nothing of English."""
    return {
        "centres": {"zh": pack([4.0, 4.0])}, "spread": pack([1.0, 2.0]),
        "directions": [pack([1.0, 0.0])], "limit": limit,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("state", "language", "abstention"),
    [((5.0, 5.0), "zh", None), ((0.0, 5.0), "zh", "wide"), ((5.0, 0.0), "zh", "outside"),
     ((5.0, 5.0), "en", "outside")],
)  # fmt: skip
def test_it_abstains_from_states_unlike_those_it_was_fitted_on(
    folder: Path, state: tuple[float, ...], language: Any, abstention: str | None
) -> None:
    content = tree(uncertainty=measured(), support=region())
    (folder / SCORER).write_text(json.dumps(content), "utf-8")
    recipe = Recipe(prompts=load_prompts(folder), secret=SECRET, expected=True)
    scripted = Scripted([Reply(text=notes(), state=state)])
    outcome = asyncio.run(grade_item(ITEM, "a", language, recipe, scripted))
    assert outcome.grade is not None
    assert outcome.grade.abstention == abstention
    both = combined([outcome, outcome], 2, ITEM, recipe)
    assert both.grade is not None
    assert both.grade.abstention == abstention


@pytest.mark.parametrize("part", ["centres", "spread", "directions"])
@pytest.mark.parametrize("vector", [pack([1.0, 2.0, 3.0]), "????"])
def test_a_region_of_other_states_is_refused(folder: Path, part: str, vector: str) -> None:
    wrong = {"centres": {"zh": vector}, "spread": vector, "directions": [vector]}[part]
    content = tree(uncertainty=measured(), support=region() | {part: wrong})
    (folder / SCORER).write_text(json.dumps(content), "utf-8")
    with pytest.raises(ConfigError, match=SCORER):
        load_prompts(folder)


def test_a_criterion_that_is_not_asked_for_has_no_width(recipe: Recipe) -> None:
    scripted = Scripted([Reply(text=notes(), state=(5.0, 5.0))])
    outcome = asyncio.run(grade_item(CODE, "a", "zh", recipe, scripted))
    assert outcome.grade is not None
    without = {part.key for part in outcome.grade.criteria if part.uncertainty is None}
    assert without == {part.key for part in outcome.grade.criteria if part.score is None}
    assert without


def test_samples_keep_the_width(recipe: Recipe) -> None:
    scripted = Scripted([Reply(text=notes(), state=(2.5, 2.5))])
    outcome = asyncio.run(grade_item(ITEM, "a", "zh", recipe, scripted))
    both = combined([outcome, outcome], 2, ITEM, recipe)
    assert both.grade is not None
    assert both.grade.uncertainty == Decimal("2.00")
    assert "low_confidence" in both.flags


def test_a_scorer_without_widths_says_nothing_of_them(folder: Path) -> None:
    recipe = Recipe(prompts=load_prompts(folder), secret=SECRET, expected=True)
    scripted = Scripted([Reply(text=notes(), state=(2.5, 2.5))])
    outcome = asyncio.run(grade_item(ITEM, "a", "zh", recipe, scripted))
    assert outcome.grade is not None
    assert outcome.grade.uncertainty is None
    assert "low_confidence" not in outcome.flags


def test_tables_hold_the_width_by_item_and_criterion(prompts: PromptSet, tmp_path: Path) -> None:
    run = grade(
        [Interview(id="a", source="a.txt", language="zh", items=(ITEM,))],
        prompts=prompts,
        endpoint=small(lambda messages: Reply(text=notes(), state=(2.5, 5.0))),
        out=tmp_path / "run",
        secret=SECRET,
    )
    by_key = run.criteria.set_index("criterion")["uncertainty"]
    assert (by_key["relevance"], by_key["depth"]) == (2.0, 0.5)
    row = run.grades.iloc[0]
    overall = Decimal(str(row["overall_uncapped"]))
    width = Width.model_validate(WIDTH).around(overall, "concept", (0, 5))
    assert (row["uncertainty"], row["abstention"]) == (pytest.approx(float(width)), "wide")


def test_a_candidate_s_reasons_count_the_uncertain_scores(
    prompts: PromptSet, tmp_path: Path
) -> None:
    states = {"first": (5.0, 5.0), "second": (2.5, 2.5), "third": (2.5, 2.5)}

    def reply(messages: Messages) -> Reply:
        assert messages.reading is not None
        return Reply(text=notes(), state=states[messages.reading.answer.split()[0]])

    items = tuple(
        ITEM.model_copy(update={"item_id": f"a#{place}", "answer": f"{name} {ITEM.answer}"})
        for place, name in enumerate(states, start=1)
    )
    run = grade(
        [Interview(id="a", source="a.txt", language="zh", items=items)],
        prompts=prompts, endpoint=small(reply), out=tmp_path / "run", secret=SECRET,
    )  # fmt: skip
    [candidate] = run.ranking
    assert candidate.reasons[1] == "2 of 3 scores are too uncertain to go by (items 2, 3)"
    page = (tmp_path / "run" / "report.html").read_text("utf-8")
    assert "3 个分数中有 2 个太不确定" in page
    assert "± 2.0：范围太宽" in page
    assert "± 0.5：在评分器没见过的" in page


def test_widths_of_other_criteria_are_refused(folder: Path) -> None:
    wrong = measured(widths={"overall": WIDTH})
    (folder / SCORER).write_text(json.dumps(tree(uncertainty=wrong)), "utf-8")
    with pytest.raises(ConfigError, match="width"):
        load_prompts(folder)
