"""The doctor against servers of several kinds: what it finds, and how grading goes by it."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from pipeline.cli import app
from pipeline.config import fitted_set_folder, open_endpoint
from pipeline.endpoint.base import FunctionEndpoint
from pipeline.endpoint.client import Target
from pipeline.endpoint.doctor import examine
from pipeline.endpoint.doctor_embedded import examine_embedded
from pipeline.endpoint.profile import Profile, load_profile, path_of, save_profile
from pipeline.endpoint.retry import RetryPolicy
from pipeline.errors import ConfigError, EndpointError, StopRun
from pipeline.records import Message, Messages, Reply
from tests.conftest import ROOT
from tests.endpoint.imitations import (
    BARE,
    CHILD_PROCESS,
    HOSTED_JSON_MODE,
    LOCAL_SHORT_CONTEXT,
    SERVER_WITH_GRAMMARS,
    Imitation,
)
from tests.loopback import Answer, Request, Response, completion, error, serve
from tests.tiny_model import write_tiny_model

MOST_CALLS = 18


def examined(server: Answer, context: int | None = None) -> Profile:
    async def main(url: str) -> Profile:
        target = Target(base_url=url, api_key="k", model="m")
        return await examine(target, context=context, policy=RetryPolicy(attempts=1))

    with serve(server, models=("m",)) as served:
        return asyncio.run(main(served.base_url))


CASES: list[tuple[Imitation, dict[str, Any]]] = [
    (HOSTED_JSON_MODE, {"reply": "tool", "logprobs": True, "not": ("json_schema", "seed")}),
    (LOCAL_SHORT_CONTEXT, {"reply": "json_schema", "logprobs": False, "not": ("tool", "logprobs")}),
    (SERVER_WITH_GRAMMARS, {"reply": "json_schema", "logprobs": True, "not": ()}),
    (CHILD_PROCESS, {"reply": "json_schema", "logprobs": True, "not": ("tool",)}),
    (BARE, {"reply": "text", "logprobs": False, "not": ("seed", "system role", "json_object")}),
]


@pytest.mark.parametrize(
    ("kind", "expected"), CASES, ids=["hosted", "short-context", "grammars", "child", "bare"]
)
def test_doctor_finds_what_a_server_can_do(kind: Imitation, expected: dict[str, Any]) -> None:
    server = replace(kind)
    profile = examined(server)
    works = {finding.name: finding.works for finding in profile.findings}
    assert profile.form.reply == expected["reply"]
    assert profile.logprobs is expected["logprobs"]
    assert not [name for name in expected["not"] if works[name]]
    assert works["models"] is True
    assert works["prompt cache"] is server.cached
    assert works["reasoning"] is bool(server.thoughts)
    assert works["rate-limit headers"] is bool(server.headers)
    assert server.calls <= MOST_CALLS
    assert all(finding.seen and finding.means for finding in profile.findings)


def test_form_of_requests_follows_from_what_was_refused() -> None:
    form = examined(replace(BARE)).form
    assert (form.allowance, form.system) == ("max_completion_tokens", False)
    assert "seed" in form.dropped


@pytest.mark.parametrize(("context", "most"), [(4_096, 5_000), (None, 9_000)])
def test_context_is_measured_by_a_word_at_each_end(context: int | None, most: int) -> None:
    profile = examined(replace(SERVER_WITH_GRAMMARS, context=context), context=8_000)
    assert profile.context_tokens is not None
    assert most / 4 < profile.context_tokens < most


def test_endpoint_that_knows_no_such_model_is_told_at_once() -> None:
    with pytest.raises(StopRun, match="no such model"):
        examined(lambda request: error(404, "model_not_found"))


def test_endpoint_that_answers_nothing_is_told_at_once() -> None:
    with pytest.raises(EndpointError, match="HTTP 500"):
        examined(lambda request: error(500))


def answer_once(base_url: str) -> tuple[Reply, dict[str, Any]]:
    endpoint = open_endpoint(model="m", base_url=base_url)
    turns = (Message(role="system", content="RULES"), Message(role="user", content="ask"))
    messages = Messages(turns=turns, reply_schema={"type": "object"})

    async def main() -> Reply:
        async with endpoint.session(0) as complete:
            return await complete(messages)

    return asyncio.run(main()), {"steps": endpoint.steps()}


def test_grading_begins_on_the_rung_that_the_profile_names() -> None:
    seen: list[Request] = []
    inner = replace(BARE)

    def server(request: Request) -> Response:
        seen.append(request)
        return inner(request)

    with serve(server, models=()) as served:
        target = Target(base_url=served.base_url, api_key="none", model="m")
        profile = asyncio.run(examine(target, policy=RetryPolicy(attempts=1)))
        save_profile(profile, served.base_url)
        seen.clear()
        _, more = answer_once(served.base_url)
    [request] = seen
    assert "response_format" not in request.body
    assert "tools" not in request.body
    assert "seed" not in request.body
    assert request.body["messages"] == [{"role": "user", "content": "RULES\n\nask"}]
    assert request.body["max_completion_tokens"] > 0
    assert more["steps"] == ("form by a profile",)


def test_profile_of_another_model_or_address_is_not_used(tmp_path: Path) -> None:
    save_profile(Profile(host="h", model="m"), "http://h/v1", tmp_path)
    assert load_profile("http://h/v1/", "m", tmp_path) is not None
    assert load_profile("http://h/v1", "n", tmp_path) is None
    assert load_profile("http://i/v1", "m", tmp_path) is None


def test_damaged_profile_is_refused_with_the_way_out(tmp_path: Path) -> None:
    path_of("http://h/v1", "m", tmp_path).write_text("{", "utf-8")
    with pytest.raises(ConfigError, match="grader doctor"):
        load_profile("http://h/v1", "m", tmp_path)


def test_expected_scores_need_log_probabilities_that_were_seen() -> None:
    options: Callable[[], Any] = lambda: open_endpoint(  # noqa: E731
        model="m", base_url="http://127.0.0.1:9/v1", score_mode="expected"
    )
    with pytest.raises(ConfigError, match="grader doctor"):
        options()
    save_profile(Profile(host="h", model="m", logprobs=True), "http://127.0.0.1:9/v1")
    endpoint = options()
    assert endpoint.info.score_mode == "expected"
    assert endpoint.parameters()["top_logprobs"] == 10
    assert open_endpoint(model="m", base_url="http://127.0.0.1:9/v1").info.score_mode == "verdict"


def test_command_prints_a_table_and_writes_the_profile() -> None:
    with serve(replace(HOSTED_JSON_MODE), models=("m",)) as served:
        result = CliRunner().invoke(app, ["doctor", "--base-url", served.base_url, "--model", "m"])
        assert result.exit_code == 0, result.output
        for words in ("json_schema", "prompt cache", "replies as tool", "for grading"):
            assert words in result.output
        again = ["doctor", "--base-url", served.base_url, "--model", "m", "--json"]
        profile = json.loads(CliRunner().invoke(app, again).output)
        assert profile["form"]["reply"] == "tool"
        assert load_profile(served.base_url, "m") is not None


def test_doctor_without_an_address_says_what_to_give() -> None:
    result = CliRunner().invoke(app, ["doctor", "--model", "m"])
    assert isinstance(result.exception, ConfigError)
    assert "--base-url" in str(result.exception)


def test_the_mode_follows_from_what_was_sent_and_says_how_to_calibrate() -> None:
    for kind, name, option in (
        (SERVER_WITH_GRAMMARS, "expected", "--score-mode expected"),
        (LOCAL_SHORT_CONTEXT, "verdict", "the model's own scores"),
    ):
        with serve(replace(kind), models=("m",)) as served:
            command = ["doctor", "--base-url", served.base_url, "--model", "m"]
            said = CliRunner().invoke(app, command).output
            tree = json.loads(CliRunner().invoke(app, [*command, "--json"]).output)
        assert tree["mode"]["name"] == name
        assert option in said
        assert "measured: nothing with this model" in said
        assert "`grader calibrate RUN --labels labels.csv`" in said


def test_the_mode_of_a_model_file_is_found_by_its_own_server(tmp_path: Path) -> None:
    pytest.importorskip("xllamacpp", reason="the extra `local` is not installed")
    tiny = write_tiny_model(tmp_path / "tiny.gguf")
    command = ["doctor", "--model-file", str(tiny)]
    tree = json.loads(CliRunner().invoke(app, [*command, "--json"]).output)
    works = {finding["name"]: finding["works"] for finding in tree["findings"]}
    assert works["start"]
    assert tree["reader"] == tree["model"]
    assert works["states"]
    assert works["prompt cache"]
    assert tree["mode"]["name"] == "expected"
    said = CliRunner().invoke(app, command).output
    assert "numbers, the same twice" in " ".join(said.split())
    assert "`grader fit ANSWERS --labels labels.csv --model-file FILE`" in said

    fitted = fitted_set_folder(tree["model"])
    shutil.copytree(ROOT / "prompts" / "compact", fitted)
    scorer = json.loads((fitted / "scorer.json").read_text("utf-8"))
    changed = {**scorer, "model": tree["model"], "measured": "QWK 0.99 of a test"}
    (fitted / "scorer.json").write_text(json.dumps(changed), "utf-8")
    again = CliRunner().invoke(app, command).output
    assert "points from hidden states, by the scorer of the prompt set tiny" in again
    assert "measured: QWK 0.99 of a test" in again


def test_the_start_is_the_time_to_the_first_reading_and_may_fail() -> None:
    """Servers start when they are first called: only a call can be timed."""

    async def late(messages: Messages) -> Reply:
        await asyncio.sleep(0.25)
        return Reply(text="yes", state=(1.0,))

    start, *_ = asyncio.run(examine_embedded(FunctionEndpoint(late)))
    assert start.works
    assert 0.2 <= float(start.seen.split()[0]) < 5

    def broken(messages: Messages) -> Reply:
        raise EndpointError("no state came")

    start, *_ = asyncio.run(examine_embedded(FunctionEndpoint(broken)))
    assert (start.works, start.seen) == (False, "no state came")


def test_completion_in_passing_is_enough_for_the_plain_call() -> None:
    assert examined(lambda request: Response(completion("yes"))).form.reply == "text"
