"""Requests at the least cost: what is the same in every call of a run is worked out once."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from openai import DefaultAioHttpClient


class Encoder:
    """Makes the JSON of request bodies; of most calls all but the last turn is the same."""

    def __init__(self) -> None:
        self._rest: dict[str, Any] = {}
        self._text = ""

    def encoded(self, body: dict[str, Any]) -> bytes:
        """The body as JSON in UTF-8."""
        *shared, last = body["messages"]
        turns = [_turn(turn["role"], turn["content"]) for turn in shared]
        turns.append(json.dumps(last, ensure_ascii=False))
        rest = {**body, "messages": None}
        if rest != self._rest:
            self._rest, self._text = rest, json.dumps(rest, ensure_ascii=False)
        filled = f'"messages": [{", ".join(turns)}]'
        return self._text.replace('"messages": null', filled, 1).encode()


@lru_cache(maxsize=64)
def _turn(role: str, content: str) -> str:
    return json.dumps({"role": role, "content": content}, ensure_ascii=False)


class QuickClient(DefaultAioHttpClient):
    """The SDK's aiohttp client, which works out address and own headers at the first request."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._known: dict[tuple[str, str], tuple[Any, list[tuple[str, str]], Any]] = {}

    def build_request(self, method: str, url: Any, **options: Any) -> Any:
        """A request as the SDK would build it; whatever is out of the ordinary it builds itself."""
        plain = isinstance(options.get("content"), bytes) and not self.cookies
        if not plain or options.get("params") or options.get("files"):
            return super().build_request(method, url, **options)
        given, timeout = options["headers"], options.get("timeout")
        known = self._known.get((method, str(url)))
        if known is None or known[2] != timeout:
            first = super().build_request(method, url, **options)
            names = {name.lower() for name, _ in given} | {"host", "content-length"}
            own = [pair for pair in first.headers.multi_items() if pair[0].lower() not in names]
            self._known[method, str(url)] = (first, own, timeout)
            return first
        first, own, _ = known
        return type(first)(
            method,
            first.url,
            content=options["content"],
            headers=[*own, *given],
            extensions=first.extensions,
        )
