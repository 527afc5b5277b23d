"""Several samples of an item: medians, spread, failures that stay failures, and their cost."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from pipeline import grade
from pipeline.cache import open_cache
from pipeline.cli import app
from pipeline.config import open_endpoint, open_panel
from pipeline.endpoint.base import EndpointInfo, FunctionEndpoint
from pipeline.endpoint.form import Form, request_body
from pipeline.errors import ConfigError, ContentFiltered, EndpointError
from pipeline.grading import Recipe, grade_reply
from pipeline.prompt import PromptSet
from pipeline.records import Interview, Item, Message, Messages, Outcome, Reply, Usage
from pipeline.results import Run
from pipeline.samples import combined
from tests.conftest import SECRET
from tests.loopback import Request, Response, completion, serve
from tests.scripted import KEYS, verdict_json

ITEM = Item(
    item_id="a#1", question="请介绍一个你做过的项目。", answer="我做过缓存，命中率从三成到九成。"
)
INTERVIEW = Interview(id="a", source="a", items=(ITEM,))
Said = Reply | str | Exception


class Sampled:
    """Says for each sample what it was given."""

    def __init__(self, *said: Said) -> None:
        self.said, self.asked = said, list[int]()

    def __call__(self, messages: Messages) -> Reply:
        self.asked.append(messages.sample)
        said = self.said[messages.sample]
        if isinstance(said, Exception):
            raise said
        if isinstance(said, Reply):
            return said
        usage = Usage(input_tokens=5_000, output_tokens=10)
        return Reply(text=said, model="m-1", usage=usage)


def graded(prompts: PromptSet, folder: Path, endpoint: object, samples: int, **more: object) -> Run:
    return grade(
        [INTERVIEW], prompts=prompts, endpoint=endpoint, out=folder, secret=SECRET,
        samples=samples, **more,
    )  # type: ignore[call-overload, no-any-return]  # fmt: skip


def one(run: Run) -> pd.Series:  # type: ignore[type-arg]
    [(_, row)] = run.grades.iterrows()
    return row


def points(*scores: int) -> list[str]:
    return [verdict_json(score, quote="缓存") for score in scores]


@pytest.mark.parametrize(
    ("scores", "median", "spread", "flagged"),
    [
        ((3, 3, 3), 3.0, 0, False),
        ((2, 3, 3), 3.0, 1, False),
        ((1, 4, 4), 4.0, 3, True),
        ((5, 3, 4), 4.0, 2, True),
        ((3, 4), 3.5, 1, False),
        ((5, 1, 2, 3, 4), 3.0, 4, True),
    ],
)
def test_median_counts_and_the_spread_is_kept(
    prompts: PromptSet, tmp_path: Path, scores: tuple[int, ...], median: float, spread: int,
    flagged: bool,
) -> None:  # fmt: skip
    model = Sampled(*points(*scores))
    row = one(graded(prompts, tmp_path / "r", model, len(scores)))
    assert {row[key] for key in KEYS if pd.notna(row[key])} == {median}
    assert (row["score_mode"], row["spread"]) == ("median", spread)
    assert ("spread" in row["flags"]) is flagged
    assert model.asked == list(range(len(scores)))
    assert row["attempts"] == len(scores)
    assert row["input_tokens"] == 5_000 * len(scores)


def test_words_are_those_of_the_sample_nearest_to_the_medians(
    prompts: PromptSet, tmp_path: Path
) -> None:
    said = [verdict_json(s).replace("because", f"said {s}") for s in (0, 3, 5)]
    run = graded(prompts, tmp_path / "r", Sampled(*said), 3)
    assert set(run.criteria["rationale"]) == {"said 3"}
    assert len(run.outcomes["a#1"].replies) == 3


def test_single_sample_has_no_spread_and_its_own_mode(prompts: PromptSet, tmp_path: Path) -> None:
    row = one(graded(prompts, tmp_path / "r", Sampled(*points(3)), 1))
    assert row["score_mode"] == "verdict"
    assert pd.isna(row["spread"])


def test_minority_of_failures_is_named_and_the_median_stands(
    prompts: PromptSet, tmp_path: Path
) -> None:
    model = Sampled(EndpointError("no reply in time", attempts=3), *points(3, 4))
    row = one(graded(prompts, tmp_path / "r", model, 3))
    assert (row["status"], row["relevance"], row["attempts"]) == ("scored", 3.5, 5)
    assert "1 of 3 samples without a verdict: no reply in time" in row["reason"]


def test_majority_of_failures_is_a_failure_and_no_number(
    prompts: PromptSet, tmp_path: Path
) -> None:
    failing = EndpointError("no reply in time", attempts=3)
    row = one(graded(prompts, tmp_path / "r", Sampled(failing, *points(3), failing), 3))
    assert row["status"] == "endpoint_error"
    assert row[["overall", *KEYS]].isna().all()
    assert "2 of 3 samples" in row["reason"]


def test_filtered_item_is_not_sampled_again(prompts: PromptSet, tmp_path: Path) -> None:
    model = Sampled(ContentFiltered("filtered", attempts=1), *points(3, 3))
    row = one(graded(prompts, tmp_path / "r", model, 3))
    assert (row["status"], model.asked, row["attempts"]) == ("content_filtered", [0], 1)
    assert "3 were asked for" in row["reason"]


def test_each_sample_is_cached_under_its_own_number(prompts: PromptSet, tmp_path: Path) -> None:
    with open_cache(tmp_path / "replies.sqlite") as cache:
        first = Sampled(*points(3, 4))
        graded(prompts, tmp_path / "one", first, 2, cache=cache)
        wider = Sampled(*points(0, 0, 5))
        row = one(graded(prompts, tmp_path / "two", wider, 3, cache=cache))
        assert wider.asked == [2]
        assert (row["relevance"], row["cached"]) == (4.0, False)
        again = one(graded(prompts, tmp_path / "three", Sampled(), 3, cache=cache))
        assert (again["relevance"], again["cached"]) == (4.0, True)


def test_run_of_other_samples_is_not_continued(prompts: PromptSet, tmp_path: Path) -> None:
    graded(prompts, tmp_path / "r", Sampled(*points(3, 3)), 2)
    with pytest.raises(ConfigError, match="samples"):
        graded(prompts, tmp_path / "r", Sampled(*points(3, 3, 3)), 3)


def test_expected_scores_are_not_sampled(prompts: PromptSet, tmp_path: Path) -> None:
    info = EndpointInfo(kind="function", host="", model="m", score_mode="expected")
    endpoint = FunctionEndpoint(Sampled(*points(3, 3)), info)
    with pytest.raises(ConfigError, match="expected"):
        graded(prompts, tmp_path / "r", endpoint, 2)


def test_requests_of_samples_differ_in_seed_and_have_a_temperature(
    prompts: PromptSet, tmp_path: Path
) -> None:
    seen: list[Request] = []

    def server(request: Request) -> Response:
        seen.append(request)
        return Response(completion(verdict_json(3)))

    with serve(server) as served:
        endpoint = open_endpoint(model="m", base_url=served.base_url, samples=3)
        graded(prompts, tmp_path / "r", endpoint, 3)
    assert [request.body["seed"] for request in seen] == [0, 1, 2]
    assert {request.body["temperature"] for request in seen} == {0.7}
    assert len({json_without_seed(request) for request in seen}) == 1


def json_without_seed(request: Request) -> str:
    return str({name: value for name, value in request.body.items() if name != "seed"})


def test_first_sample_is_the_call_as_it_always_was() -> None:
    turns = (Message(role="user", content="x"),)
    parameters = {"model": "m", "seed": 7}
    plain = request_body(Messages(turns=turns), parameters, Form())
    assert plain["seed"] == 7
    assert request_body(Messages(turns=turns, sample=2), parameters, Form())["seed"] == 9


@given(scores=st.lists(st.integers(0, 5), min_size=2, max_size=7))
def test_median_lies_between_the_samples_and_is_the_same_in_any_order(
    prompts: PromptSet, scores: list[int]
) -> None:
    recipe = Recipe(prompts=prompts, secret=SECRET, samples=len(scores))

    def median_of(order: list[int]) -> Decimal:
        grades = [
            grade_reply(Reply(text=verdict_json(score)), ITEM, recipe, "zh")[0] for score in order
        ]
        outcomes = [
            Outcome(item_id="a#1", interview_id="a", status="scored", grade=one) for one in grades
        ]
        whole = combined(outcomes, len(order), ITEM, recipe)
        assert whole.grade is not None
        score = whole.grade.criteria[0].score
        assert score is not None
        return score

    assert median_of(scores) == median_of(sorted(scores)) == median_of(scores[::-1])
    assert min(scores) <= median_of(scores) <= max(scores)


# A panel of judges.


def test_each_judge_is_asked_once_and_the_median_counts(prompts: PromptSet, tmp_path: Path) -> None:
    points_of = {"a": 2, "b": 3, "c": 5}
    seen: list[Request] = []

    def server(request: Request) -> Response:
        seen.append(request)
        name = request.body["model"]
        return Response(completion(verdict_json(points_of[name]), model=f"{name}-1"))

    with serve(server) as served:
        panel = open_panel(["a", "b", "c"], base_url=served.base_url, seed=4)
        row = one(graded(prompts, tmp_path / "r", panel, 3))
    assert [(r.body["model"], r.body["seed"], r.body["temperature"]) for r in seen] == [
        ("a", 4, 0), ("b", 4, 0), ("c", 4, 0)
    ]  # fmt: skip
    assert (row["relevance"], row["spread"], row["score_mode"]) == (3.0, 3, "median")
    assert row["model"] == "a-1|b-1|c-1"
    assert "spread" in row["flags"]


@pytest.mark.parametrize("names", [[], ["a"], ["a", "a"]])
def test_panel_of_one_is_refused(names: list[str]) -> None:
    with pytest.raises(ConfigError, match="two judges"):
        open_panel(names, base_url="http://127.0.0.1:9/v1", seed=0)


@pytest.mark.parametrize("more", [["--samples", "3"], ["--model", "m"]])
def test_judges_stand_alone(tmp_path: Path, more: list[str]) -> None:
    path = tmp_path / "a.txt"
    path.write_text("问题1：什么是索引？\n回答：一棵树。\n", "utf-8")
    command = ["grade", str(path), "--out", str(tmp_path / "r"), "--judges", "a,b", *more]
    result = CliRunner().invoke(app, command)
    assert isinstance(result.exception, ConfigError)
    assert "--judges" in str(result.exception)
