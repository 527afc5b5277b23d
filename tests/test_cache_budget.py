"""The reply cache and the budget, in whole runs over a Python function."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path

import pytest
from pandas.testing import assert_frame_equal

from pipeline import grade
from pipeline.cache import ReplyCache, key_of, open_cache
from pipeline.errors import ConfigError, EndpointError, StopRun
from pipeline.prices import Budget, Price, load_price
from pipeline.prompt import PromptSet, opaque_id
from pipeline.records import Interview, Item, Message, Messages, Reply, Usage
from pipeline.results import Run
from tests.conftest import SECRET
from tests.scripted import verdict_json

USAGE = Usage(input_tokens=1_000, output_tokens=100, cached_tokens=400)
PRICE = Price(input=Decimal(2), output=Decimal(10), cached_input=Decimal(1))
COST = Decimal("0.0026")


def interview(name: str = "a", items: int = 3) -> Interview:
    return Interview(
        id=name,
        source=name,
        items=tuple(
            Item(item_id=f"{name}#{n}", question=f"{name} 问{n}？", answer=f"答{n}，用缓存。")
            for n in range(1, items + 1)
        ),
    )


class Model:
    """Named like a model, counts its calls; may fail or answer badly first."""

    __name__ = "model"

    def __init__(self, *, first: Reply | Exception | None = None) -> None:
        self.calls = 0
        self._first = first

    def __call__(self, messages: Messages) -> Reply:
        self.calls += 1
        if self.calls == 1 and isinstance(self._first, Exception):
            raise self._first
        if self.calls == 1 and self._first is not None:
            return self._first
        return Reply(text=verdict_json(3, quote="缓存"), usage=USAGE, model="m-1")


Runner = Callable[..., Run]


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[ReplyCache]:
    with open_cache(tmp_path / "c" / "replies.sqlite") as opened:
        yield opened


@pytest.fixture
def run_it(prompts: PromptSet, tmp_path: Path) -> Runner:
    def runner(endpoint: Model, out: str = "run", **options: object) -> Run:
        interviews = options.pop("interviews", [interview()])
        return grade(  # type: ignore[call-overload, no-any-return, misc]
            interviews, prompts=prompts, endpoint=endpoint, out=tmp_path / out, secret=SECRET,
            **options,
        )  # fmt: skip

    return runner


def test_second_run_is_answered_from_the_cache_with_equal_tables(
    run_it: Runner, cache: ReplyCache
) -> None:
    bad = Reply(text="no verdict", usage=USAGE)
    first = run_it(Model(first=bad), "one", cache=cache, concurrency=1)
    again = Model()
    second = run_it(again, "two", cache=cache)
    assert again.calls == 0
    assert list(second.grades["cached"]) == [True] * 3
    different = ["cached", "seconds"]
    assert_frame_equal(first.grades.drop(columns=different), second.grades.drop(columns=different))
    assert_frame_equal(first.criteria, second.criteria)
    assert_frame_equal(first.candidates, second.candidates)
    assert list(first.grades["attempts"]) == [2, 1, 1]


def test_failure_is_not_cached(run_it: Runner, cache: ReplyCache) -> None:
    run_it(Model(first=EndpointError("x", attempts=1)), "one", cache=cache, concurrency=1)
    again = Model()
    run_it(again, "two", cache=cache)
    assert again.calls == 1


def test_another_model_is_not_answered_from_the_cache(run_it: Runner, cache: ReplyCache) -> None:
    run_it(Model(), "one", cache=cache)
    other = Model()
    other.__name__ = "another"
    run_it(other, "two", cache=cache)
    assert other.calls == 3


@pytest.mark.parametrize(
    "change",
    [
        {"endpoint": "url b"},
        {"model": "n"},
        {"parameters": {"temperature": 1}},
        {"sample": 1},
        {"messages": Messages(turns=(Message(role="user", content="y"),))},
        {"messages": Messages(turns=(Message(role="user", content="x"),), max_tokens=5)},
        {"messages": Messages(turns=(Message(role="user", content="x"),), reply_schema={})},
    ],
)
def test_key_changes_with_everything_that_shapes_a_reply(change: dict[str, object]) -> None:
    base: dict[str, object] = {
        "endpoint": "url a",
        "model": "m",
        "parameters": {"temperature": 0},
        "messages": Messages(turns=(Message(role="user", content="x"),)),
    }
    assert key_of(**base) != key_of(**{**base, **change})  # type: ignore[arg-type]


def test_key_does_not_hang_on_the_name_of_the_call() -> None:
    turns = (Message(role="user", content="x"),)
    one, two = Messages(turns=turns, call_id="1"), Messages(turns=turns, call_id="2")
    assert key_of("e", "m", {}, one) == key_of("e", "m", {}, two)


def test_erasure_deletes_every_reply_about_an_interview(
    run_it: Runner, cache: ReplyCache, tmp_path: Path
) -> None:
    run_it(Model(), interviews=[interview("a"), interview("b")], cache=cache)
    assert cache.erase(opaque_id("a", SECRET)) == 3
    again = Model()
    run_it(again, "two", interviews=[interview("a"), interview("b")], cache=cache)
    assert again.calls == 3


def test_damaged_entry_is_asked_for_again(run_it: Runner, cache: ReplyCache) -> None:
    run_it(Model(), "one", cache=cache)
    cache._connection.execute("update replies set replies = x'00'")
    again = Model()
    run_it(again, "two", cache=cache)
    assert again.calls == 3


def test_file_that_is_no_cache_is_refused_with_the_way_out(tmp_path: Path) -> None:
    path = tmp_path / "replies.sqlite"
    path.write_bytes(b"not a database" * 100)
    with pytest.raises(ConfigError, match="--no-cache"), open_cache(path):
        pass


def test_cost_of_cached_input_has_its_own_price() -> None:
    assert PRICE.cost(USAGE) == COST
    assert Price(input=Decimal(2), output=Decimal(10)).cost(USAGE) == Decimal("0.003")
    assert PRICE.cost(Usage()) is None


def test_cost_counts_what_was_paid_and_not_what_the_cache_gave(
    run_it: Runner, cache: ReplyCache
) -> None:
    first = run_it(Model(), "one", cache=cache, budget=Budget(price=PRICE))
    assert first.manifest["paid_usd"] == pytest.approx(float(3 * COST))
    second = run_it(Model(), "two", cache=cache, budget=Budget(price=PRICE))
    assert second.manifest["paid_usd"] == 0
    assert {outcome.cost_usd for outcome in second.outcomes.values()} == {COST}


def test_cost_is_unknown_without_a_price(run_it: Runner) -> None:
    run = run_it(Model())
    assert run.manifest["paid_usd"] is None
    assert {outcome.cost_usd for outcome in run.outcomes.values()} == {None}


@pytest.mark.parametrize(
    "budget",
    [{"tokens": 2_000}, {"usd": Decimal("0.004"), "price": PRICE}],
    ids=["tokens", "dollars"],
)
def test_budget_stops_new_calls_and_keeps_results(
    run_it: Runner, budget: dict[str, object], tmp_path: Path
) -> None:
    model = Model()
    with pytest.raises(StopRun, match="budget"):
        run_it(model, budget=Budget(**budget), concurrency=1)  # type: ignore[arg-type]
    assert model.calls == 2
    rest = Model()
    run = run_it(rest, concurrency=1)
    assert (rest.calls, run.manifest["status"]) == (1, {"scored": 3})


def test_budget_that_is_just_enough_does_not_stop_the_last_item(run_it: Runner) -> None:
    assert len(run_it(Model(), budget=Budget(tokens=3_300)).grades) == 3


@pytest.mark.parametrize(("tokens", "calls"), [(0, 0), (1_100, 1), (2_000, 2)])
def test_budget_stops_samples_of_an_item_that_was_begun(
    run_it: Runner, tokens: int, calls: int
) -> None:
    model = Model()
    with pytest.raises(StopRun, match="budget"):
        run_it(model, budget=Budget(tokens=tokens), samples=5, concurrency=1)
    assert model.calls == calls


def test_budget_stops_asking_again(run_it: Runner) -> None:
    model = Model(first=Reply(text="no verdict", usage=USAGE))
    with pytest.raises(StopRun, match="budget"):
        run_it(model, budget=Budget(tokens=1_000), interviews=[interview(items=1)])
    assert model.calls == 1


def test_dollar_budget_without_a_price_is_refused() -> None:
    with pytest.raises(ConfigError, match="price file"):
        Budget(usd=Decimal(1))


def test_price_comes_from_the_file_or_is_unknown(tmp_path: Path) -> None:
    path = tmp_path / "prices.yaml"
    assert load_price("m", path) is None
    path.write_text("m: {input: 0.15, output: 0.6}\nn: {input: many, output: 1}\n", "utf-8")
    assert load_price("m", path) == Price(input=Decimal("0.15"), output=Decimal("0.6"))
    assert load_price("other", path) is None
    with pytest.raises(ConfigError, match="line 2"):
        load_price("n", path)


def test_samples_from_the_cache_are_not_paid_again(run_it: Runner, cache: ReplyCache) -> None:
    run_it(Model(), "one", cache=cache, samples=2)
    more = Model()
    run = run_it(more, "two", cache=cache, samples=3, budget=Budget(price=PRICE))
    assert more.calls == 3
    assert list(run.grades["cached"]) == [False] * 3
    assert run.manifest["paid_usd"] == pytest.approx(float(3 * COST))
    # What the grades would cost anew stands with each of them.
    assert {outcome.cost_usd for outcome in run.outcomes.values()} == {3 * COST}


def test_budget_is_not_used_up_by_samples_from_the_cache(run_it: Runner, cache: ReplyCache) -> None:
    run_it(Model(), "one", cache=cache, samples=2)
    budget = Budget(tokens=3_300)
    run = run_it(Model(), "two", cache=cache, samples=3, budget=budget, concurrency=1)
    assert (len(run.grades), budget.spent_tokens) == (3, 3_300)


def test_reply_of_an_item_that_comes_to_nothing_is_paid(run_it: Runner) -> None:
    bad = Reply(text="no verdict", usage=USAGE)
    budget = Budget(price=PRICE)

    def never(messages: Messages) -> Reply:
        return bad

    run = run_it(never, budget=budget, interviews=[interview(items=1)])  # type: ignore[arg-type]
    assert list(run.grades["status"]) == ["unparseable"]
    assert budget.spent_tokens == 2 * 1_100
    assert run.manifest["paid_usd"] == pytest.approx(float(2 * COST))


@pytest.mark.parametrize(
    "budget",
    [Budget(tokens=10_000), Budget(usd=Decimal(9), price=PRICE)],
    ids=["tokens", "dollars"],
)
def test_budget_that_cannot_be_kept_to_stops_the_run(run_it: Runner, budget: Budget) -> None:
    uncounted = Model(first=Reply(text=verdict_json(3, quote="缓存"), model="m-1"))
    with pytest.raises(StopRun, match="does not count its tokens") as caught:
        run_it(uncounted, budget=budget, concurrency=1)
    assert (uncounted.calls, caught.value.exit_code) == (1, 4)


def test_cost_is_unknown_where_a_reply_is_not_counted(run_it: Runner) -> None:
    uncounted = Model(first=Reply(text=verdict_json(3, quote="缓存"), model="m-1"))
    run = run_it(uncounted, budget=Budget(price=PRICE))
    assert len(run.grades) == 3
    assert run.manifest["paid_usd"] is None


def test_what_a_killed_session_kept_is_paid_all_the_same(run_it: Runner, tmp_path: Path) -> None:
    run_it(Model(), budget=Budget(price=PRICE), limit=1)
    whole = run_it(Model(), budget=Budget(price=PRICE), limit=1)
    assert whole.manifest["paid_usd"] == pytest.approx(float(2 * COST))
    # The manifest as it stood before that session: it was killed before it summed up.
    path = tmp_path / "run" / "manifest.json"
    manifest = json.loads(path.read_text("utf-8"))
    manifest |= {"paid_usd": float(COST), "journal": {**manifest["journal"], "lines": 1}}
    path.write_text(json.dumps(manifest), "utf-8")
    last = run_it(Model(), budget=Budget(price=PRICE))
    assert last.manifest["paid_usd"] == pytest.approx(float(3 * COST))
