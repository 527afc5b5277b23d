"""One cheap call of `grader doctor`: what was answered, with headers, and no error raised."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import openai
from openai import AsyncOpenAI

from pipeline.endpoint.client import Target
from pipeline.endpoint.faults import NOT_READABLE, BrokenReply, NoReplyInTime
from pipeline.endpoint.form import Form, next_form
from pipeline.endpoint.replies import read_reply
from pipeline.endpoint.retry import RetryPolicy, with_retries
from pipeline.errors import CallError, StopRun
from pipeline.records import Reply

ALLOWANCE = 600
"""Tokens a reply may take: a model that thinks first needs some for that."""
Turn = dict[str, str]


@dataclass(frozen=True)
class Answer:
    """What came back: a reply, or an error."""

    reply: Reply | None = None
    message: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    error: StopRun | CallError | None = None

    @property
    def text(self) -> str:
        """The reply's text, "" for an error."""
        return self.reply.text if self.reply else ""

    @property
    def seen(self) -> str:
        """The error in words, or that there was a reply."""
        return f"refused: {self.error}" if self.error else "accepted"


class Asker:
    """Asks, and learns what names and parameters the endpoint accepts."""

    def __init__(self, client: AsyncOpenAI, target: Target, policy: RetryPolicy) -> None:
        self._client, self._target, self._policy = client, target, policy
        self.form = Form(reply="text")
        self.calls = 0

    async def ask(self, *turns: Turn, adapt: bool = False, **more: Any) -> Answer:
        """One call; with `adapt`, parameters that the endpoint names as wrong are left out."""
        while True:
            answer = await self._answered(lambda: self._post(list(turns), more))
            rejection = answer.error.__cause__ if answer.error else None
            if not (adapt and isinstance(rejection, openai.APIStatusError)):
                return answer
            found = next_form(self.form, rejection)
            if found is None:
                return answer
            self.form, _ = found

    async def models(self) -> tuple[str, ...] | None:
        """The models that the endpoint lists, or None where it does not."""
        try:
            async with asyncio.timeout(self._target.timeout):
                raw = await self._client.models.with_raw_response.list()
            return tuple(entry["id"] for entry in json.loads(raw.text)["data"])
        except Exception:  # noqa: BLE001 - a list that cannot be had or read is no list
            return None

    async def _answered(self, post: Callable[[], Awaitable[Answer]]) -> Answer:
        try:
            answer, _ = await with_retries(post, self._policy)
        except (StopRun, CallError) as error:
            return Answer(error=error)
        return answer

    async def _post(self, turns: list[Turn], more: dict[str, Any]) -> Answer:
        self.calls += 1
        body = {"model": self._target.model, "messages": turns, "temperature": 0, **more}
        body = {name: value for name, value in body.items() if name not in self.form.dropped}
        body[self.form.allowance] = ALLOWANCE
        try:
            async with asyncio.timeout(self._target.timeout):
                raw = await self._client.chat.completions.with_raw_response.create(**body)
        except openai.APIError:
            raise
        except TimeoutError:
            raise NoReplyInTime from None
        except Exception as error:
            raise BrokenReply(NOT_READABLE) from error
        reply = read_reply(raw.text)
        message = json.loads(raw.text)["choices"][0]["message"]
        return Answer(reply=reply, message=message, headers=raw.headers)


def user(text: str) -> Turn:
    """A user turn."""
    return {"role": "user", "content": text}
