"""The server process: llama.cpp's own HTTP server, which ends when its parent does.

Run by path, so it stands on nothing of ours. Standard input brings one line of JSON settings and
is then the lifeline: its end is the parent's end. Standard output carries one line, the address.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from typing import Any, TextIO

WARNINGS_ONLY = 2
READING_TOKENS = 1_024


def main() -> None:
    """Serve until the lifeline breaks."""
    # Ctrl-C is the parent's to handle: it still wants replies to what is under way.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = os.getppid()
    report = _own_stdout()
    settings = json.loads(sys.stdin.readline())
    _end_with(sys.stdin)
    try:
        server = _start(settings)
    except RuntimeError as error:
        sys.exit(str(error))
    print(server.listening_address, file=report, flush=True)
    while os.getppid() == parent:
        time.sleep(1)


def _own_stdout() -> TextIO:
    """A handle on standard output; whatever the library prints goes to standard error."""
    report = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    return report


def _end_with(lifeline: TextIO) -> None:
    """End this process when the lifeline does."""
    if sys.platform == "linux":
        import fcntl

        # Loading holds the interpreter's lock for seconds, and no thread of ours runs meanwhile.
        # SIGIO's default action ends the process without it. (PR_SET_PDEATHSIG would do so too
        # early: it fires at the end of the thread that started us, not of the process.)
        fcntl.fcntl(lifeline, fcntl.F_SETOWN, os.getpid())
        flags = fcntl.fcntl(lifeline, fcntl.F_GETFL)
        fcntl.fcntl(lifeline, fcntl.F_SETFL, flags | os.O_ASYNC)
    threading.Thread(target=_exit_at_end, args=(lifeline,), daemon=True).start()


def _exit_at_end(lifeline: TextIO) -> None:
    lifeline.read()
    os._exit(0)


def _start(settings: dict[str, Any]) -> Any:
    """Load the model and listen on a port that the system chooses."""
    if settings["yielding"]:
        # Threads that spin at each barrier beside other work slow one another tenfold.
        os.environ["OMP_WAIT_POLICY"] = "PASSIVE"
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = settings["model"]
    params.model_alias = {settings["alias"]}
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.api_keys = [settings["api_key"]]
    params.n_parallel = settings["slots"]
    params.n_ctx = settings["context_tokens"] * settings["slots"]
    if settings["threads"] is not None:
        params.cpuparams.n_threads = settings["threads"]
        params.cpuparams_batch.n_threads = settings["threads"]
    if settings["reads"]:
        # Readings ask for the state at every token, and have to fit one batch.
        params.embedding = True
        params.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_NONE
        params.embd_normalize = -1
        params.n_batch = params.n_ubatch = READING_TOKENS
    # An over-long prompt is an error, never cut; the context asked for is never lowered.
    params.ctx_shift = False
    params.fit_params = False
    # With templates in Jinja the reply may be fenced and then stripped, so that its text no longer
    # lines up with its log-probabilities.
    params.use_jinja = False
    # The default keeps up to 8 GiB of old prompts; this is enough for one beginning per language.
    params.cache_ram_mib = 512
    params.ui = False
    params.endpoint_slots = False
    params.verbosity = WARNINGS_ONLY
    return xllamacpp.Server(params)


if __name__ == "__main__":
    main()
