"""Calls over the SDK at the least cost: what is the same in every call is worked out once.

Address, own headers and options are those of the first call; a call out of the ordinary is made
the SDK's own way.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

import httpx2
from openai import AsyncOpenAI
from openai._models import FinalRequestOptions

PLAIN_JSON = frozenset({"application/json", "application/json; charset=utf-8"})
"""Types of content that are UTF-8, whatever else a header may say of a text."""
Headers = list[tuple[bytes, bytes]]


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


def text_of_body(response: httpx2.Response) -> str:
    """The body as text. Raises what decoding raises."""
    told = response.headers.get("content-type", "")
    if told in PLAIN_JSON:
        return response.content.decode(errors="replace")
    return response.text


class QuickOpenAI(AsyncOpenAI):
    """The SDK's client, which makes a request out of the first one to the same address."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._options = FinalRequestOptions.construct(method="post", url="")
        self._known: dict[tuple[str, ...], tuple[httpx2.Request, Headers]] = {}

    async def post_bytes(
        self, address: str, content: bytes, headers: dict[str, str]
    ) -> httpx2.Response:
        """The response to a POST, read to its end. Raises what the SDK raises, and
        `exchange.TooLong`."""
        options = self._options.model_copy()
        options.url, options.content, options.headers = address, content, headers
        # Never sent, as the SDK has no header for it, yet made anew where it is missing.
        options.idempotency_key = "-"
        return await self.request(httpx2.Response, options)

    def _build_request(
        self, options: FinalRequestOptions, *, retries_taken: int = 0
    ) -> httpx2.Request:
        given: Any = options.headers
        content: Any = options.content
        plain = type(content) is bytes and isinstance(given, dict)
        if not plain or self._client.cookies:
            return super()._build_request(options, retries_taken=retries_taken)
        key = (options.url, *given)
        if key not in self._known:
            first = super()._build_request(options, retries_taken=retries_taken)
            changing = {name.lower().encode() for name in given} | {b"content-length"}
            own = [pair for pair in first.headers.raw if pair[0].lower() not in changing]
            self._known[key] = (first, own)
            return first
        first, own = self._known[key]
        return httpx2.Request(
            first.method,
            first.url,
            content=content,
            headers=[*own, *((name.encode(), value.encode()) for name, value in given.items())],
            extensions=first.extensions,
        )
