"""Keeps an eye on an endpoint: tells the slots how it takes the load, and says when it is down."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

import openai

from pipeline.endpoint.faults import rule_for
from pipeline.endpoint.retry import FAULTS
from pipeline.endpoint.slots import Slots
from pipeline.errors import EndpointError, StopRun

T = TypeVar("T")
DOWN_AFTER = 10
"""Calls in a row, each with all its attempts, that say an endpoint is down."""


class Watch:
    """What the calls of one session have met."""

    def __init__(self, slots: Slots | None) -> None:
        self._slots = slots
        self._failed = 0

    async def request(self, send: Callable[[], Awaitable[T]]) -> T:
        """Send one request, and note how it was taken."""
        sent = time.monotonic()
        try:
            reply = await send()
        except FAULTS as error:
            if self._slots and rule_for(error).crowded:
                self._slots.refused(sent)
            raise
        self._failed = 0
        if self._slots:
            self._slots.succeeded()
        return reply

    async def call(self, with_attempts: Awaitable[T]) -> T:
        """One call with its attempts. Raises StopRun after too many failures in a row."""
        try:
            return await with_attempts
        except EndpointError as error:
            rejected = isinstance(error.__cause__, openai.APIStatusError)
            if rejected and rule_for(error.__cause__).meaning == "item":  # type: ignore[arg-type]
                raise
            self._failed += 1
            if self._failed < DOWN_AFTER:
                raise
            raise StopRun(
                f"The endpoint is down: {DOWN_AFTER} calls in a row failed, the last with: "
                f"{error}. All results are kept; give the same command with --retry-errors later."
            ) from None
