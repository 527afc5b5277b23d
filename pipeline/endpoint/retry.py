"""The one retry layer: what is tried again, how often, and how long to wait.

Transient: 408, 409, 429 (unless the quota is spent), 5xx, time-outs, lost connections.
Permanent for the run: a bad key, no permission, an unknown model, a spent quota.
Permanent for the item: every other 4xx.
"""

from __future__ import annotations

import email.utils
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

import openai
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, stop_after_attempt
from tenacity.wait import wait_exponential_jitter

from pipeline.errors import ContentFiltered, EndpointError, StopRun

T = TypeVar("T")
TRANSIENT = frozenset({408, 409, 429, 500, 502, 503, 504, 520, 522, 524, 529})
SPENT = ("insufficient_quota", "billing_hard_limit_reached", "insufficient balance", "arrearage")
FILTERED = ("content_filter", "content_policy", "data_inspection_failed", "content exists risk")
TOO_LONG = ("context_length_exceeded", "exceed_context_size", "context size", "context length")


class BrokenReply(Exception):
    """Status 200, but no completion: a proxy's page, a cut body, an error inside."""


@dataclass(frozen=True)
class RetryPolicy:
    """How transient faults are met. Times in seconds."""

    attempts: int = 6
    first_wait: float = 1.0
    longest_wait: float = 60.0
    sleep: Callable[[float], Awaitable[None]] | None = None
    """Replaced in tests; None sleeps for real."""


def is_transient(error: BaseException) -> bool:
    """Whether the same request may succeed a little later."""
    if isinstance(error, openai.APIStatusError):
        return error.status_code in TRANSIENT and not _says(error, SPENT)
    return isinstance(error, openai.APIConnectionError | BrokenReply)


def retry_after(error: BaseException | None, now: float | None = None) -> float | None:
    """Seconds that the server asked to wait, from retry-after-ms, seconds or an HTTP date."""
    if not isinstance(error, openai.APIStatusError):
        return None
    headers = error.response.headers
    for name, divisor in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "")) / divisor
        except ValueError:
            continue
        return seconds if 0 <= seconds < float("inf") else None
    moment = email.utils.parsedate_tz(headers.get("retry-after", ""))
    if moment is None:
        return None
    return max(0.0, email.utils.mktime_tz(moment) - (time.time() if now is None else now))


async def with_retries(call: Callable[[], Awaitable[T]], policy: RetryPolicy) -> tuple[T, int]:
    """Call until it works; the result and the number of requests made.

    Raises StopRun, ContentFiltered or EndpointError, the latter two with the attempts made.
    """
    backoff = wait_exponential_jitter(initial=policy.first_wait, max=policy.longest_wait)

    def wait(state: RetryCallState) -> float:
        asked = retry_after(state.outcome.exception() if state.outcome else None)
        return backoff(state) if asked is None else min(asked, policy.longest_wait)

    options = {} if policy.sleep is None else {"sleep": policy.sleep}
    retrying = AsyncRetrying(
        stop=stop_after_attempt(policy.attempts),
        wait=wait,
        retry=retry_if_exception(is_transient),
        reraise=True,
        **options,  # type: ignore[arg-type]
    )
    made = 0
    try:
        async for attempt in retrying:
            with attempt:
                made += 1
                return await call(), made
    except (openai.APIError, BrokenReply) as error:
        raise as_ours(error, made) from error
    raise AssertionError("unreachable: tenacity either returns or raises")


def as_ours(error: Exception, attempts: int) -> StopRun | ContentFiltered | EndpointError:
    """The SDK's error as one of ours. Codes and status only: bodies may quote the prompt."""
    if isinstance(error, openai.APIStatusError):
        return _from_status(error, attempts)
    if isinstance(error, openai.APITimeoutError) and not _never_connected(error):
        return EndpointError(f"no reply in time, {attempts} attempts", attempts=attempts)
    if isinstance(error, BrokenReply):
        return EndpointError(f"{error}, {attempts} attempts", attempts=attempts)
    return EndpointError(f"the connection failed, {attempts} attempts", attempts=attempts)


def _never_connected(error: BaseException | None) -> bool:
    """Whether a failed connection lies behind: the SDK's transport reports some as time-outs."""
    while error is not None:
        if isinstance(error, OSError) and not isinstance(error, TimeoutError):
            return True
        error = error.__cause__ or error.__context__
    return False


def _from_status(
    error: openai.APIStatusError, attempts: int
) -> StopRun | ContentFiltered | EndpointError:
    what = f"HTTP {error.status_code}" + (f" ({error.code})" if error.code else "")
    if _says(error, SPENT):
        return StopRun(f"The endpoint's quota is spent: {what}. Top it up, then run again.")
    if error.status_code in (401, 403):
        return StopRun(f"The endpoint refuses the key: {what}. Check OPENAI_API_KEY.")
    if error.status_code == 404:
        return StopRun(f"The endpoint knows no such model or address: {what}. Check both.")
    if _says(error, FILTERED):
        return ContentFiltered(
            f"the provider's content filter refused it: {what}", attempts=attempts
        )
    if _says(error, TOO_LONG):
        what = f"the prompt is longer than the model's context: {what}"
    return EndpointError(f"{what}, {attempts} attempts", attempts=attempts)


def _says(error: openai.APIStatusError, words: tuple[str, ...]) -> bool:
    body = error.body if isinstance(error.body, dict) else {}
    text = f"{error.code} {error.type} {body.get('message', '')}".casefold()
    return any(word in text for word in words)
