"""A panel of judges: several models of one endpoint, each of which gives one of the samples."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from pipeline.endpoint.base import Endpoint
from pipeline.endpoint.slots import Slots
from pipeline.errors import ConfigError
from pipeline.records import Complete, Messages, Reply


class PanelEndpoint:
    """Sample n of an item goes to judge n, as that judge's own first sample."""

    def __init__(self, judges: Sequence[Endpoint]) -> None:
        self._judges = tuple(judges)
        names = [judge.info.model for judge in self._judges]
        if len(names) < 2 or len({*names}) < len(names):
            raise ConfigError("a panel has two judges or more, each another model.")
        self.info = self._judges[0].info.model_copy(update={"model": ",".join(names)})

    def parameters(self) -> dict[str, Any]:
        """The request parameters asked for, by judge."""
        return {judge.info.model: judge.parameters() for judge in self._judges}

    def steps(self) -> tuple[str, ...]:
        """How requests were adapted, by judge."""
        return tuple(
            f"{judge.info.model}: {step}" for judge in self._judges for step in judge.steps()
        )

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
