"""The embedded endpoint: the model on this machine, served by a child while the session lasts."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from pipeline.endpoint.base import EndpointInfo
from pipeline.endpoint.client import Target, open_client
from pipeline.endpoint.form import Adapted
from pipeline.endpoint.llama_server import serve
from pipeline.endpoint.model_file import EMBEDDED, require_model
from pipeline.endpoint.retry import RetryPolicy
from pipeline.records import Complete

SLOTS = 2
"""Calls served at a time: as many as the cores that this was measured on."""
CONTEXT = (4_096, 32_768)
"""Least and most tokens of a slot; the model was trained on the latter."""
TEXT_LIMIT = 40
"""Characters of a quote, problem or rationale: output is the slow part."""


class EmbeddedEndpoint:
    """The model file of this project, or one like it."""

    def __init__(self, model: Path | None = None, *, timeout: float = 600.0) -> None:
        self._path = require_model(model)
        self._timeout = timeout
        self.info = EndpointInfo(
            kind="embedded",
            host="127.0.0.1",
            model=EMBEDDED.name,
            score_mode="expected",
            text_limit=TEXT_LIMIT,
            schema_bounds_texts=True,
            max_tokens=768,
            concurrency=SLOTS,
        )

    def parameters(self) -> dict[str, Any]:
        """The request parameters actually sent."""
        return self._target("", "").parameters()

    def steps(self) -> tuple[str, ...]:
        """None: this server accepts all that is sent."""
        return ()

    @asynccontextmanager
    async def session(self, context_tokens: int) -> AsyncIterator[Complete]:
        """Start the server with room for the longest prompt, and stop it on every way out."""
        with serve(self._path, context_tokens=slot_size(context_tokens), slots=SLOTS) as served:
            target = self._target(served.base_url, served.api_key)
            async with open_client(target, RetryPolicy(attempts=2), Adapted()) as complete:
                yield complete

    def _target(self, base_url: str, api_key: str) -> Target:
        return Target(
            base_url=base_url,
            api_key=api_key,
            model=EMBEDDED.name,
            logprobs=True,
            timeout=self._timeout,
            connections=SLOTS,
        )


def slot_size(needed: int) -> int:
    """Tokens of context for a slot, in steps of 1,024. Longer prompts are refused, not cut."""
    least, most = CONTEXT
    return min(max(-(-needed // 1_024) * 1_024, least), most)
