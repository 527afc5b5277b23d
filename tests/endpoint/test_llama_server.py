"""The embedded model's server: refused early, reached with its key only, gone with its parent."""

from __future__ import annotations

import dataclasses
import http.client
import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from contextlib import contextmanager
from urllib.parse import urlsplit

import psutil
import pytest

from pipeline.endpoint import llama_server
from pipeline.endpoint.llama_server import (
    memory_needed,
    require_extra,
    require_gguf,
    require_memory,
    serve,
)
from pipeline.endpoint.model_file import EMBEDDED, require_model
from pipeline.errors import ModelError

CONTEXT = 256
SCHEMA = {
    "type": "object",
    "properties": {"quote": {"type": "string", "maxLength": 10}, "score": {"type": "integer"}},
    "required": ["quote", "score"],
    "additionalProperties": False,
}


def test_a_missing_extra_is_named(monkeypatch):
    monkeypatch.setattr(llama_server.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ModelError, match=r"pip install 'interview-grader\[local\]'"):
        require_extra()


def test_a_file_of_another_kind_is_refused(tmp_path):
    path = tmp_path / "model.gguf"
    path.write_bytes(b"PK\3\4")
    with pytest.raises(ModelError, match="no GGUF file"):
        require_gguf(path)


def test_short_memory_is_told_in_figures():
    needed = memory_needed(EMBEDDED, 2 * 4096)
    assert needed > EMBEDDED.size + 2 * 4096 * EMBEDDED.kv_bytes_per_token
    require_memory(needed, needed)
    with pytest.raises(ModelError, match=f"needs {needed >> 20:,} MiB and 1,000 MiB are free"):
        require_memory(needed, 1000 << 20)


@pytest.fixture
def damaged(tmp_path):
    """A file with the right beginning and nothing more, and its description."""
    pytest.importorskip("xllamacpp", exc_type=ImportError)
    path = tmp_path / "model.gguf"
    path.write_bytes(b"GGUF" + b"\0" * 60)
    return path, dataclasses.replace(EMBEDDED, size=64)


def test_a_child_that_dies_is_noticed_and_quoted(damaged, capfd):
    path, description = damaged
    before = time.monotonic()
    with (
        pytest.raises(ModelError, match=r"(?s)ended at its start \(exit 1\).*failed to load"),
        serve(path, context_tokens=CONTEXT, slots=1, expected=description),
    ):
        pytest.fail("it cannot have started")
    assert time.monotonic() - before < 20
    assert capfd.readouterr() == ("", "")
    assert psutil.Process().children() == []


def test_a_start_without_end_is_given_up(damaged):
    path, description = damaged
    options = {"expected": description, "start_timeout": 0.001}
    with (
        pytest.raises(ModelError, match="not ready in time"),
        serve(path, context_tokens=CONTEXT, slots=1, **options),
    ):
        pytest.fail("it cannot have started")
    assert psutil.Process().children() == []


def test_a_file_of_the_wrong_size_is_refused_before_anything_starts(damaged):
    path, _ = damaged
    with (
        pytest.raises(ModelError, match="damaged: 64 bytes"),
        serve(path, context_tokens=CONTEXT, slots=1),
    ):
        pytest.fail("it cannot have started")


@pytest.fixture(scope="module")
def model():
    pytest.importorskip("xllamacpp", reason="the extra `local` is not installed")
    try:
        return require_model()
    except ModelError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def served(model):
    with serve(model, context_tokens=CONTEXT, slots=2) as served:
        yield served


@contextmanager
def connected(served):
    connection = http.client.HTTPConnection(urlsplit(served.base_url).netloc, timeout=120)
    try:
        yield connection
    finally:
        connection.close()


def ask(served, content, key=None, **options):
    body = {"messages": [{"role": "user", "content": content}], "max_tokens": 1, **options}
    headers = {"Authorization": f"Bearer {key or served.api_key}"}
    with connected(served) as connection:
        connection.request("POST", "/v1/chat/completions", json.dumps(body), headers)
        response = connection.getresponse()
        return response.status, json.loads(response.read())


@pytest.mark.model
def test_a_reply_has_schema_seed_and_log_probabilities(served):
    options = {
        "temperature": 0.5,
        "seed": 7,
        "max_tokens": 60,
        "logprobs": True,
        "top_logprobs": 10,
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "verdict", "strict": True, "schema": SCHEMA},
        },
    }
    status, reply = ask(served, "2 + 2 = 5? Quote and score.", **options)
    assert status == 200
    choice = reply["choices"][0]
    assert choice["finish_reason"] == "stop"
    assert set(json.loads(choice["message"]["content"])) == {"quote", "score"}
    tokens = choice["logprobs"]["content"]
    assert "".join(token["token"] for token in tokens) == choice["message"]["content"]
    assert all(len(token["top_logprobs"]) == 10 for token in tokens)
    assert (
        ask(served, "2 + 2 = 5? Quote and score.", **options)[1]["choices"][0]["message"]
        == (choice["message"])
    )
    assert reply["model"] == EMBEDDED.name


@pytest.mark.model
def test_a_shared_beginning_is_read_once(served):
    beginning = "Rubric: name the index, the query plan and the measured effect. " * 10
    _, first = ask(served, f"{beginning}Answer: alpha")
    _, second = ask(served, f"{beginning}Answer: beta gamma")
    cached = second["usage"]["prompt_tokens_details"]["cached_tokens"]
    assert cached >= first["usage"]["prompt_tokens"] - 10


@pytest.mark.model
def test_an_over_long_prompt_is_an_error(served):
    status, reply = ask(served, "word " * CONTEXT)
    assert status == 400
    assert reply["error"]["type"] == "exceed_context_size_error"
    assert reply["error"]["n_ctx"] == CONTEXT


@pytest.mark.model
def test_a_reply_that_reaches_the_end_of_the_context_says_so(served):
    ignore = {"ignore_eos": True, "max_tokens": CONTEXT}
    status, reply = ask(served, "word " * (CONTEXT - 60), **ignore)
    assert status == 200
    assert reply["choices"][0]["finish_reason"] == "length"
    assert reply["usage"]["total_tokens"] <= CONTEXT


@pytest.mark.model
def test_only_the_holder_of_the_key_is_served_and_only_on_loopback(served):
    assert ask(served, "hello", key="guess")[0] == 401
    process = psutil.Process(served.pid)
    assert served.api_key not in " ".join(process.cmdline())
    assert served.api_key not in repr(served)
    assert {place.laddr.ip for place in process.net_connections("tcp")} == {"127.0.0.1"}


@pytest.mark.model
def test_an_exception_in_the_block_stops_the_server(model, capfd):
    def fail():
        with serve(model, context_tokens=CONTEXT, slots=1) as served:
            pids.append(served.pid)
            assert psutil.pid_exists(served.pid)
            raise ZeroDivisionError

    pids = []
    with pytest.raises(ZeroDivisionError):
        fail()
    assert not psutil.pid_exists(pids[0])
    assert capfd.readouterr() == ("", "")


PARENT = """
    import sys, time
    from pathlib import Path
    from pipeline.endpoint.llama_server import serve, _is_healthy
    try:
        with serve(Path(sys.argv[1]), context_tokens=256, slots=1) as served:
            try:
                print(served.pid, flush=True)
                time.sleep(120)
            except KeyboardInterrupt:
                print(_is_healthy(served.base_url), flush=True)
                raise
    except KeyboardInterrupt:
        sys.exit(130)
"""


@contextmanager
def parent_of_a_server(model):
    command = [sys.executable, "-c", textwrap.dedent(PARENT), str(model)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def running(pid):
    """A zombie has ended: where nobody adopts orphans (a bare container) it stays in the list."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def gone(pid, within):
    deadline = time.monotonic() + within
    while running(pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not running(pid)


unix = pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix")


@unix
@pytest.mark.model
@pytest.mark.parametrize("name", ["SIGKILL", "SIGTERM"])
def test_the_server_ends_with_a_parent_that_is_killed(model, name):
    with parent_of_a_server(model) as parent:
        server = int(parent.stdout.readline())
        assert running(server)
        parent.send_signal(getattr(signal, name))
        assert gone(server, within=5)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere it ends when it has loaded")
@pytest.mark.model
def test_the_server_ends_with_a_parent_that_is_killed_while_it_loads(model):
    with parent_of_a_server(model) as parent:
        while not (children := psutil.Process(parent.pid).children()):
            time.sleep(0.01)
        server = children[0]
        while server.memory_info().rss < 200 << 20:
            time.sleep(0.01)
        parent.kill()
        assert gone(server.pid, within=2)


@unix
@pytest.mark.model
def test_ctrl_c_leaves_the_server_to_the_parent_that_stops_it(model):
    with parent_of_a_server(model) as parent:
        server = int(parent.stdout.readline())
        os.killpg(parent.pid, signal.SIGINT)
        assert parent.stdout.readline() == "True\n"
        assert parent.wait(20) == 130
        assert gone(server, within=2)
