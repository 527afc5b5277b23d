"""`grader doctor` for a model on this machine: a few calls to its own server."""

from __future__ import annotations

import time
from typing import Any

from pipeline.endpoint.base import Endpoint
from pipeline.endpoint.probes import SCHEMA, SCORE, filler
from pipeline.endpoint.profile import Finding
from pipeline.errors import CallError
from pipeline.records import Complete, Message, Messages, Reading, Reply

CONTEXT = 4_096
READING = Reading(before="Question: why is the sky blue?\nAnswer: ", answer="It is air. " * 16)
ALLOWANCE = 64
"""Tokens of a reply at most: enough to see its speed."""


async def examine_embedded(endpoint: Endpoint) -> tuple[Finding, ...]:
    """What the model and its server do. Raises ModelError where the server does not start."""
    async with endpoint.session(CONTEXT) as complete:
        return (
            await probe_start(complete),
            await probe_states(complete),
            await probe_schema(complete),
            await probe_score(complete),
            await probe_prefix(complete),
        )


async def probe_start(complete: Complete) -> Finding:
    """How long is it to the first reading? A server starts when it is first called."""
    started = time.monotonic()
    try:
        await complete(Messages(turns=(), reading=READING))
    except CallError as error:
        return Finding(name="start", works=False, seen=str(error), means="nothing can be read")
    seen = f"{time.monotonic() - started:.1f} s to the first reading"
    return Finding(name="start", works=True, seen=seen, means="once for each server of a run")


async def probe_states(complete: Complete) -> Finding:
    """Does it show what it makes of a text, and the same twice?"""
    means = "no scorer can be fitted to it"
    try:
        one, two = [await complete(Messages(turns=(), reading=READING)) for _ in range(2)]
    except CallError as error:
        return Finding(name="states", works=False, seen=str(error), means=means)
    same = "the same twice" if one.state == two.state else "another the second time"
    speed = (one.usage.input_tokens or 0) / max(one.seconds, 1e-3)
    seen = f"{len(one.state):,} numbers, {same}; {speed:,.0f} tokens/s"
    return Finding(name="states", works=True, seen=seen, means="a scorer can make points of them")


async def probe_schema(complete: Complete) -> Finding:
    """Is a form of reply kept to where the prompt does not help?"""
    reply = await _asked(complete, "Describe the weather.", schema=SCHEMA)
    works = isinstance(reply, Reply) and "grader-probe" in reply.text
    seen = reply if isinstance(reply, str) else "kept to" if works else "not kept to"
    means = "replies have the right form by construction" if works else "replies may be unreadable"
    return Finding(name="json_schema", works=works, seen=seen, means=means)


async def probe_score(complete: Complete) -> Finding:
    """Are there alternatives with probabilities at the place of a score?"""
    schema = {
        "type": "object",
        "properties": {"score": {"type": "integer", "enum": list(range(6))}},
        "required": ["score"],
        "additionalProperties": False,
    }
    reply = await _asked(complete, SCORE, schema=schema)
    if isinstance(reply, str):
        return Finding(name="logprobs", works=False, seen=reply, means="no expected values")
    at_score = [token.top for token in reply.tokens if any(map(str.isdigit, token.text))]
    most = max(map(len, at_score), default=0)
    means = "expected values are possible" if most > 1 else "no expected values"
    return Finding(name="logprobs", works=most > 1, seen=f"{most} alternatives", means=means)


async def probe_prefix(complete: Complete) -> Finding:
    """Is the beginning of a prompt read once, by the server's own count, and how fast is it?"""
    shared = filler(20)
    # Each server has a beginning of its own, and the free one that waited longest is called.
    replies = [await _asked(complete, f"{shared}Write about the number {n}.") for n in range(4)]
    last = replies[-1]
    if isinstance(last, str):
        return Finding(name="prompt cache", works=False, seen=last, means="every prompt in full")
    cached, whole = last.usage.cached_tokens or 0, last.usage.input_tokens or 0
    speed = (last.usage.output_tokens or 0) / max(last.seconds, 1e-3)
    seen = f"{cached:,} of {whole:,} tokens; {speed:,.1f} tokens/s written"
    means = "the rubric is read once" if cached else "every prompt in full"
    return Finding(name="prompt cache", works=bool(cached), seen=seen, means=means)


async def _asked(
    complete: Complete, text: str, schema: dict[str, Any] | None = None
) -> Reply | str:
    """The reply, or why there is none."""
    turns = (Message(role="user", content=text),)
    try:
        return await complete(Messages(turns=turns, reply_schema=schema, max_tokens=ALLOWANCE))
    except CallError as error:
        return str(error)
