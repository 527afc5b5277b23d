"""The one retry layer: tries again what the failure policy says may work a little later."""

from __future__ import annotations

import asyncio
import email.utils
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

import openai
from tenacity import AsyncRetrying, RetryCallState
from tenacity.wait import wait_exponential_jitter

from pipeline.endpoint.faults import BrokenReply, NoReplyInTime, as_ours, rule_for

T = TypeVar("T")
FAULTS = (openai.APIError, BrokenReply, NoReplyInTime)
"""All that a failed request raises."""


@dataclass(frozen=True)
class RetryPolicy:
    """How transient faults are met. Times in seconds."""

    attempts: int = 8
    """Requests at most for one call, whatever the faults; each fault has its own bound below."""
    first_wait: float = 1.0
    """Doubled at each further attempt, with up to as much again at random on top."""
    longest_wait: float = 60.0
    """Bounds a Retry-After as well, which otherwise is kept to as it stands."""
    unreachable: tuple[float, float] = (3.0, 30.0)
    """Time without anybody at the address that ends the run: before the first reply, and after.

    A wrong address is told at once; a server that starts again is waited for."""
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep


def retry_after(error: BaseException | None, now: float | None = None) -> float | None:
    """Seconds that the server asked to wait, from retry-after-ms, seconds or an HTTP date.

    A date is held against the server's own clock, where the reply shows it: ours may be wrong.
    """
    if not isinstance(error, openai.APIStatusError):
        return None
    headers = error.response.headers
    for name, divisor in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "")) / divisor
        except ValueError:
            continue
        return seconds if 0 <= seconds < float("inf") else None
    moment = _seconds_of(headers.get("retry-after", ""))
    if moment is None:
        return None
    sent = _seconds_of(headers.get("date", ""))
    if sent is None:
        sent = time.time() if now is None else now
    return max(0.0, moment - sent)


def _seconds_of(date: str) -> float | None:
    """An HTTP date in seconds since 1970; None where it is none."""
    moment = email.utils.parsedate_tz(date)
    try:
        return None if moment is None else float(email.utils.mktime_tz(moment))
    except (OverflowError, ValueError):
        return None


async def with_retries(
    call: Callable[[], Awaitable[T]],
    policy: RetryPolicy,
    pause: Callable[[float], Awaitable[None]] | None = None,
) -> tuple[T, int]:
    """Call until it works; the result and the number of requests made.

    `pause` waits between attempts; None is the policy's own sleep. Raises StopRun,
    ContentFiltered or EndpointError, the latter two with the attempts made.
    """
    try:
        return await call(), 1
    except FAULTS as error:
        # Most calls work at once, and need none of what follows.
        return await _retried(_after(error, call), policy, pause)


def _after(error: Exception, call: Callable[[], Awaitable[T]]) -> Callable[[], Awaitable[T]]:
    """The call as from its first attempt on, which met `error`."""
    met = [error]

    async def attempt() -> T:
        if met:
            raise met.pop()
        return await call()

    return attempt


async def _retried(
    call: Callable[[], Awaitable[T]],
    policy: RetryPolicy,
    pause: Callable[[float], Awaitable[None]] | None,
) -> tuple[T, int]:
    growing = wait_exponential_jitter(max=policy.longest_wait / policy.first_wait)
    met: Counter[str] = Counter()

    def wait(state: RetryCallState) -> float:
        asked = retry_after(_error_of(state))
        wanted = policy.first_wait * growing(state) if asked is None else asked
        return min(wanted, policy.longest_wait)

    def again(state: RetryCallState) -> bool:
        error = _error_of(state)
        if not isinstance(error, FAULTS):
            return False
        rule = rule_for(error)
        met[rule.name] += 1
        return rule.meaning == "retry" and met[rule.name] < rule.tries

    retrying = AsyncRetrying(
        stop=lambda state: state.attempt_number >= policy.attempts,
        wait=wait,
        retry=again,
        reraise=True,
        sleep=pause or policy.sleep,
    )
    made = 0
    try:
        async for attempt in retrying:
            with attempt:
                made += 1
                return await call(), made
    except FAULTS as error:
        raise as_ours(error, made) from error
    raise AssertionError("unreachable: tenacity either returns or raises")


def _error_of(state: RetryCallState) -> BaseException | None:
    return state.outcome.exception() if state.outcome else None
