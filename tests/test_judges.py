"""Judges at addresses of their own: keys stay with their hosts, and each has its own price."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from pipeline.cli import app
from pipeline.config import open_panel
from pipeline.endpoint.panel import Judge, judge_of
from pipeline.errors import ConfigError
from pipeline.texts import texts_path
from tests.loopback import Loopback, Request, Response, completion, serve
from tests.scripted import verdict_json

PRICES = "a: {input: 2, output: 10}\nb: {input: 1, output: 4, cached_input: 0.5}\n"
ANSWERS = (
    "问题1：什么是索引？\n回答：一棵树，查找更快。\n问题2：什么是锁？\n回答：一次只让一个人改。\n"
)
Command = Callable[..., Result]


@pytest.fixture
def servers() -> Iterator[tuple[Loopback, Loopback]]:
    """Two endpoints that count their tokens differently."""

    def says(tokens: int, score: int) -> Callable[[Request], Response]:
        usage = {"prompt_tokens": tokens, "completion_tokens": 100, "total_tokens": tokens + 100}
        return lambda request: Response(completion(verdict_json(score), usage=usage))

    with ExitStack() as stack:
        one = stack.enter_context(serve(says(3_000, 3)))
        yield one, stack.enter_context(serve(says(4_000, 4)))


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """`grader grade` on two answers into one run."""
    (tmp_path / "p.txt").write_text(ANSWERS, "utf-8")
    (tmp_path / "prices.yaml").write_text(PRICES, "utf-8")
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "GRADER_MODEL"):
        monkeypatch.delenv(name, raising=False)

    def run(*options: str, env: dict[str, str] | None = None) -> Result:
        given = ["grade", str(tmp_path / "p.txt"), "--out", str(tmp_path / "run"), "--no-cache"]
        given += ["--prices", str(tmp_path / "prices.yaml"), *options]
        return CliRunner().invoke(app, given, env=env)

    return run


def manifest(folder: Path) -> dict[str, Any]:
    read: dict[str, Any] = json.loads((folder / "manifest.json").read_text("utf-8"))
    return read


@pytest.mark.parametrize(
    ("text", "model", "base_url", "key"),
    [
        ("qwen2.5-72b", "qwen2.5-72b", None, "GRADER_KEY_QWEN2_5_72B"),
        ("m@http://h:1/v1", "m", "http://h:1/v1", "GRADER_KEY_M"),
        ("claude@2024@https://h/v1", "claude@2024", "https://h/v1", "GRADER_KEY_CLAUDE_2024"),
        (" org/model@v2 ", "org/model@v2", None, "GRADER_KEY_ORG_MODEL_V2"),
    ],
)
def test_a_judge_is_a_model_and_perhaps_an_address(
    text: str, model: str, base_url: str | None, key: str
) -> None:
    assert judge_of(text) == Judge(model, base_url)
    assert judge_of(text).key_name == key


def test_each_judge_costs_its_own_price_at_its_own_address(
    servers: tuple[Loopback, Loopback], command: Command, tmp_path: Path
) -> None:
    one, two = servers
    judges = f"a@{one.base_url},b@{two.base_url}"
    done = command("--judges", judges, "--budget-usd", "5")
    assert done.exit_code == 0, done.output
    assert {r.body["model"] for r in one.requests} == {"a"}
    assert {r.body["model"] for r in two.requests} == {"b"}
    # Two items: a reads 3,000 tokens and b 4,000 of each; both write 100.
    each = (3_000 * 2 + 100 * 10 + 4_000 * 1 + 100 * 4) / 1e6
    kept = manifest(tmp_path / "run")
    assert kept["paid_usd"] == pytest.approx(2 * each)
    hosts = [served.base_url.split("/")[2] for served in servers]
    assert kept["endpoint"] == f"url {hosts[0]},{hosts[1]}"
    lines = (tmp_path / "run" / "journal.jsonl").read_text("utf-8").splitlines()
    costs = [float(json.loads(line)["outcome"]["cost_usd"]) for line in lines]
    assert costs == pytest.approx([each, each])


def test_a_run_goes_on_only_with_the_same_addresses(
    servers: tuple[Loopback, Loopback], command: Command
) -> None:
    one, two = servers
    assert command("--judges", f"a@{one.base_url},b@{two.base_url}").exit_code == 0
    assert command("--judges", f"a@{one.base_url},b@{two.base_url}").exit_code == 0
    assert len(one.requests) == len(two.requests) == 2
    moved = command("--judges", f"a@{one.base_url},b@{one.base_url}")
    assert "endpoint was" in str(moved.exception)


def test_one_price_that_is_not_known_leaves_the_cost_open(
    servers: tuple[Loopback, Loopback], command: Command, tmp_path: Path
) -> None:
    one, two = servers
    judges = f"a@{one.base_url},other@{two.base_url}"
    refused = command("--judges", judges, "--budget-usd", "5")
    assert isinstance(refused.exception, ConfigError)
    assert "every judge" in str(refused.exception)
    assert not one.requests
    assert command("--judges", judges).exit_code == 0
    assert manifest(tmp_path / "run")["paid_usd"] is None
    assert "cost_usd" not in (tmp_path / "run" / "journal.jsonl").read_text("utf-8")


def test_a_budget_counts_what_each_judge_takes(
    servers: tuple[Loopback, Loopback], command: Command, tmp_path: Path
) -> None:
    one, two = servers
    judges = f"a@{one.base_url},b@{two.base_url}"
    # Before the last call .0184 USD are spent; a's price for all would make .023.
    kept = command("--judges", judges, "--budget-usd", "0.02", "--concurrency", "1")
    assert kept.exit_code == 0, kept.output
    assert manifest(tmp_path / "run")["status"] == {"scored": 2}


def test_a_key_goes_to_the_host_it_was_given_for(
    servers: tuple[Loopback, Loopback], command: Command
) -> None:
    one, two = servers
    keys = {"OPENAI_API_KEY": "common", "OPENAI_BASE_URL": one.base_url, "GRADER_KEY_C": "own"}
    judges = f"a,b@{two.base_url},c@{two.base_url}"
    assert command("--judges", judges, env=keys).exit_code == 0
    sent = [
        {r.body["model"]: r.headers["authorization"] for r in served.requests} for served in servers
    ]
    assert sent == [{"a": "Bearer common"}, {"b": "Bearer none", "c": "Bearer own"}]


def test_one_host_for_all_gets_the_common_key(servers: tuple[Loopback, Loopback]) -> None:
    one, _ = servers
    panel = open_panel(
        [f"a@{one.base_url}", f"b@{one.base_url}"], environ={"OPENAI_API_KEY": "common"}
    )
    assert panel.info.model == "a,b"
    assert panel.info.host == one.base_url.split("/")[2]
    keys = {judge._target.api_key for judge in panel._judges}  # type: ignore[attr-defined]
    assert keys == {"common"}


def test_one_model_at_two_addresses_is_two_judges() -> None:
    panel = open_panel(["m@http://127.0.0.1:1/v1", "m@http://127.0.0.1:2/v1"], environ={})
    assert panel.info.model == "m@127.0.0.1:1,m@127.0.0.1:2"
    assert panel.models == ("m", "m")
    with pytest.raises(ConfigError, match="two judges"):
        open_panel(["m@http://127.0.0.1:1/v1", "m@http://127.0.0.1:1/v1"], environ={})


# What a dry run says of a panel, and of a run that has begun.


def dry(command: Command, *options: str) -> dict[str, Any]:
    shown = command("--dry-run", "--json", *options)
    assert shown.exit_code == 0, shown.output
    said: dict[str, Any] = json.loads(shown.stdout.splitlines()[-1])
    return said


def test_a_dry_run_of_a_panel_adds_up_its_judges(command: Command) -> None:
    base = ("--base-url", "http://127.0.0.1:9/v1")
    both = dry(command, "--judges", "a,b", *base)
    alone = [dry(command, "--model", name, *base) for name in ("a", "b")]
    assert both["calls"] == 4
    expected = [sum(one["cost_usd"][n] for one in alone) for n in (0, 1)]
    assert both["cost_usd"] == pytest.approx(expected, rel=1e-3)
    assert dry(command, "--judges", "a,other", *base)["cost_usd"] is None


@pytest.mark.parametrize("more", [(), ("--redact",)])
def test_a_dry_run_counts_what_a_run_has_left(
    servers: tuple[Loopback, Loopback], command: Command, tmp_path: Path, more: tuple[str, ...]
) -> None:
    same = ("--model", "m", "--base-url", servers[0].base_url, *more)
    assert dry(command, *same)["items"] == 2
    assert command(*same, "--limit", "1").exit_code == 0
    before = {p: p.read_bytes() for p in (tmp_path / "run").rglob("*") if p.is_file()}
    assert dry(command, *same)["items"] == 1
    assert dry(command, *same, "--fresh")["items"] == 2
    assert {p: p.read_bytes() for p in (tmp_path / "run").rglob("*") if p.is_file()} == before
    assert command(*same).exit_code == 0
    assert dry(command, *same) | {"cost_usd": None} == dry(command, *same)
    assert dry(command, *same)["calls"] == 0
    texts_path(tmp_path / "run", "p").unlink()
    assert dry(command, *same)["items"] == 2


def test_a_dry_run_counts_failed_items_where_they_would_be_tried_again(
    command: Command, tmp_path: Path
) -> None:
    with serve(lambda request: Response(completion("no verdict at all"))) as served:
        same = ("--model", "m", "--base-url", served.base_url)
        assert command(*same).exit_code == 1
        assert dry(command, *same)["items"] == 0
        assert dry(command, *same, "--retry-errors")["items"] == 2


def test_a_dry_run_refuses_what_the_run_would_refuse(
    servers: tuple[Loopback, Loopback], command: Command
) -> None:
    base = ("--base-url", servers[0].base_url)
    assert command("--model", "m", *base, "--limit", "1").exit_code == 0
    other = command("--model", "n", *base, "--dry-run")
    assert "model was 'm'" in str(other.exception)
