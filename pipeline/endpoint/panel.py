"""A panel of judges: models of one endpoint or of several, each of which gives one sample."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

from pipeline.endpoint.base import Endpoint, EndpointInfo
from pipeline.endpoint.slots import Slots
from pipeline.errors import ConfigError
from pipeline.records import Complete, Messages, Reply

AT_ADDRESS = re.compile(r"^(?P<model>.+?)@(?P<base_url>https?://.*)$")
"""`model@https://host/v1`; a model's name may hold an @ of its own."""
KEY_PREFIX = "GRADER_KEY_"


@dataclass(frozen=True)
class Judge:
    """One of a panel, as it was named."""

    model: str
    base_url: str | None = None
    """None: where the other options say."""

    @property
    def key_name(self) -> str:
        """The variable that may hold its key: `GRADER_KEY_QWEN2_5_72B` for qwen2.5-72b."""
        return KEY_PREFIX + re.sub(r"[^A-Z0-9]+", "_", self.model.upper()).strip("_")


def judge_of(text: str) -> Judge:
    """`model` or `model@https://host/v1` as a judge."""
    if found := AT_ADDRESS.match(text.strip()):
        return Judge(found["model"], found["base_url"])
    return Judge(text.strip())


class PanelEndpoint:
    """Sample n of an item goes to judge n, as that judge's own first sample."""

    def __init__(self, judges: Sequence[Endpoint]) -> None:
        self._judges = tuple(judges)
        self.models = tuple(judge.info.model for judge in self._judges)
        """The model of each judge."""
        self._names = names_of([judge.info for judge in self._judges])
        if len(self._names) < 2 or len({*self._names}) < len(self._names):
            raise ConfigError("a panel has two judges or more, each another model or address.")
        self.info = info_of([judge.info for judge in self._judges], self._names)

    def parameters(self) -> dict[str, Any]:
        """The request parameters asked for, by judge."""
        named = zip(self._names, self._judges, strict=True)
        return {name: judge.parameters() for name, judge in named}

    def steps(self) -> tuple[str, ...]:
        """How requests were adapted, by judge."""
        named = zip(self._names, self._judges, strict=True)
        return tuple(f"{name}: {step}" for name, judge in named for step in judge.steps())

    @asynccontextmanager
    async def session(
        self, context_tokens: int, slots: Slots | None = None
    ) -> AsyncIterator[Complete]:
        """All judges open at once; the slots are shared."""
        async with AsyncExitStack() as stack:
            opened = [
                await stack.enter_async_context(judge.session(context_tokens, slots))
                for judge in self._judges
            ]

            async def complete(messages: Messages) -> Reply:
                own = messages.model_copy(update={"sample": 0})
                return await opened[messages.sample](own)

            yield complete


def names_of(judges: Sequence[EndpointInfo]) -> tuple[str, ...]:
    """What each judge is called: its model, with the host where two have the same."""
    times = Counter(judge.model for judge in judges)
    return tuple(
        judge.model if times[judge.model] == 1 else f"{judge.model}@{judge.host}{judge.route}"
        for judge in judges
    )


def info_of(judges: Sequence[EndpointInfo], names: Sequence[str]) -> EndpointInfo:
    """The panel as one endpoint; where all are at one address, it is at that address."""
    changed = {"model": ",".join(names)}
    if len({judge.identity for judge in judges}) > 1:
        changed["host"] = ",".join(judge.host for judge in judges)
        changed["route"] = ",".join(judge.route for judge in judges).strip(",")
    return judges[0].model_copy(update=changed)
