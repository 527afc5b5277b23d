"""Keeps an eye on an endpoint: tells the slots how it takes the load, and says when it is down.

Down is: nobody at the address for some seconds, or many calls in a row that failed. Then the run
stops with all results kept, since every later item would fail as well.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

import openai

from pipeline.endpoint.faults import rule_for
from pipeline.endpoint.retry import FAULTS
from pipeline.endpoint.slots import Slots
from pipeline.errors import EndpointError, StopRun
from pipeline.records import Reply

T = TypeVar("T")
BARE_AFTER = 3
"""Replies in a row without log-probabilities that say that no more will come."""
NO_ALTERNATIVES = (
    "The endpoint no longer sends log-probabilities, which expected scores are made of. All "
    "results are kept. See what `grader doctor` finds now: with --retry-errors the same command "
    "goes on once they come again, and a new run with --score-mode verdict does without."
)
DOWN_AFTER = 10
"""Calls in a row, each with all its attempts, that say an endpoint is down."""


class Watch:
    """What the calls of one session have met. `unreachable` is that of the retry policy."""

    def __init__(self, slots: Slots | None, host: str, unreachable: tuple[float, float]) -> None:
        self._slots = slots
        self._host, self._patience = host, unreachable
        self._failed = self._bare = 0
        self._answered = False
        self._alone_since: float | None = None

    async def request(self, send: Callable[[], Awaitable[T]]) -> T:
        """Send one request, and note how it was taken. Raises StopRun where nobody is there."""
        sent = time.monotonic()
        try:
            reply = await send()
        except FAULTS as error:
            rule = rule_for(error)
            if self._slots and rule.crowded:
                self._slots.refused(sent)
            self._note_reach(sent, reached=rule.name != "unreachable")
            raise
        self._failed = 0
        self._answered = True
        self._note_reach(sent, reached=True)
        if self._slots:
            self._slots.succeeded()
        return reply

    def _note_reach(self, sent: float, *, reached: bool) -> None:
        if reached:
            self._alone_since = None
            return
        if self._alone_since is None:
            self._alone_since = sent
        if time.monotonic() - self._alone_since >= self._patience[self._answered]:
            raise StopRun(
                f"Nobody answers at {self._host}: the server does not run, or the address is "
                "wrong. All results are kept; mend that and give the same command again."
            )

    def check_alternatives(self, reply: Reply) -> None:
        """For expected scores: raise StopRun when the probabilities no longer come."""
        if not reply.text or any(len(token.top) > 1 for token in reply.tokens):
            self._bare = 0
            return
        self._bare += 1
        if self._bare >= BARE_AFTER:
            raise StopRun(NO_ALTERNATIVES)

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
