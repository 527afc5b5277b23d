"""The embedded model's server: started as a child on loopback, stopped on every way out."""

from __future__ import annotations

import http.client
import importlib.util
import json
import re
import secrets
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO
from urllib.parse import urlsplit

import psutil  # type: ignore[import-untyped, unused-ignore]

from pipeline.endpoint.model_file import EMBEDDED, LocalModel, require_model
from pipeline.errors import ModelError

CHILD = Path(__file__).with_name("llama_child.py")
START_TIMEOUT = 180.0
STOP_TIMEOUT = 5.0
BUSY_INTERVAL = 0.3
BUSY_PERCENT = 25.0
MEMORY_MARGIN = 768 << 20
TAIL = 2000
UNKNOWN = re.compile(r"unknown model architecture: '([^'\n]*)'")


@dataclass(frozen=True, kw_only=True)
class Served:
    """Where a running server is to be reached, and by whom."""

    base_url: str
    """Ends in /v1, as the OpenAI client wants it."""
    api_key: str = field(repr=False)
    """Made anew at each start: other users of the machine do not have it."""
    pid: int
    """Process id of the server."""


@contextmanager
def serve(
    model: Path,
    *,
    context_tokens: int,
    slots: int,
    threads: int | None = None,
    expected: LocalModel = EMBEDDED,
    reads: bool = True,
    start_timeout: float = START_TIMEOUT,
) -> Iterator[Served]:
    """Serve the model while the block runs; each of the slots has the whole context.

    Without `reads` it only writes: a server of states needs larger batches.

    Raises ModelError if the extra, the file or the memory is wanting, or the server does not start.
    """
    require_extra()
    require_gguf(require_model(model, expected))
    needed = memory_needed(expected, context_tokens * slots)
    require_memory(needed, psutil.virtual_memory().available)
    settings = {
        "model": str(model),
        "alias": expected.name,
        "api_key": secrets.token_urlsafe(32),
        "context_tokens": context_tokens,
        "slots": slots,
        "reads": reads,
        "threads": threads,
        # Measured on two cores: a third slower alone, two to five times faster beside other work.
        "yielding": psutil.cpu_percent(BUSY_INTERVAL) > BUSY_PERCENT,
    }
    with tempfile.TemporaryFile() as log, _child(log) as process:
        address = _start(process, settings, log, start_timeout)
        yield Served(base_url=f"{address}/v1", api_key=str(settings["api_key"]), pid=process.pid)


def require_extra() -> None:
    """Raise ModelError where the package with the server is not installed."""
    if importlib.util.find_spec("xllamacpp") is None:
        raise ModelError(
            "the embedded model needs an extra: pip install 'interview-grader[local]'."
        )


def require_gguf(path: Path) -> Path:
    """Raise ModelError for a file of another kind."""
    with path.open("rb") as file:
        magic = file.read(4)
    if magic != b"GGUF":
        raise ModelError(
            f"{path} is no GGUF file, or damaged. Run `grader model remove`, then `pull`."
        )
    return path


def memory_needed(model: LocalModel, tokens: int) -> int:
    """Bytes for the weights, the key-value cache of all slots, and working memory."""
    return model.size + tokens * model.kv_bytes_per_token + MEMORY_MARGIN


def require_memory(needed: int, available: int) -> None:
    """Raise ModelError before the system has to kill something."""
    if available < needed:
        raise ModelError(
            f"too little memory for the embedded model: it needs {needed >> 20:,} MiB and "
            f"{available >> 20:,} MiB are free. Close other programs, or name a smaller model with "
            "--model-file."
        )


@contextmanager
def _child(log: IO[bytes]) -> Iterator[subprocess.Popen[str]]:
    # -P: a folder of the user's named like one of our packages must not be imported. A session of
    # its own: Ctrl-C reaches only the parent, which stops the child when it has finished.
    command = [sys.executable, "-P", str(CHILD)]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, stdin=pipe, stdout=pipe, stderr=log, text=True, start_new_session=True
    ) as process:
        try:
            yield process
        finally:
            _stop(process)


def _stop(process: subprocess.Popen[str]) -> None:
    """Cut the lifeline; kill what does not end by that."""
    assert process.stdin is not None
    with suppress(BrokenPipeError):
        process.stdin.close()
    try:
        process.wait(STOP_TIMEOUT)
    except subprocess.TimeoutExpired:
        process.kill()


def _start(
    process: subprocess.Popen[str], settings: dict[str, object], log: IO[bytes], timeout: float
) -> str:
    """The server's address, once it answers; a child that dies is noticed at once."""
    assert process.stdin is not None
    assert process.stdout is not None
    deadline = time.monotonic() + timeout
    watchdog = threading.Timer(timeout, process.kill)
    watchdog.start()
    try:
        with suppress(BrokenPipeError):
            process.stdin.write(json.dumps(settings) + "\n")
            process.stdin.flush()
        address = process.stdout.readline().strip()
    finally:
        watchdog.cancel()
    while address and process.poll() is None and time.monotonic() < deadline:
        if _is_healthy(address):
            return address
        time.sleep(0.05)
    raise _start_failure(process, log, deadline)


def _is_healthy(address: str) -> bool:
    # Not urllib: a proxy set in the environment must not see, or answer, a call to loopback.
    connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=5)
    try:
        connection.request("GET", "/health")
        return connection.getresponse().status == http.HTTPStatus.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def _start_failure(process: subprocess.Popen[str], log: IO[bytes], deadline: float) -> ModelError:
    late = time.monotonic() >= deadline
    if late:
        process.kill()
    code = process.wait(STOP_TIMEOUT)
    log.seek(0)
    said = log.read().decode("utf-8", "replace")
    if found := UNKNOWN.search(said):
        return ModelError(
            f"the model's architecture, {found[1][:40]!r}, is not one that the server knows. "
            "Choose another file for --model-file, or upgrade the server: "
            "pip install --upgrade xllamacpp."
        )
    tail = said[-TAIL:].strip()
    what = "was not ready in time" if late else f"ended at its start (exit {code})"
    return ModelError(f"the embedded model's server {what}: {tail or 'it said nothing'}")
