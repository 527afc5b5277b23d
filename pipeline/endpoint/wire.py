"""Calls over the SDK at the least cost: what is the same in every call is worked out once.

The SDK's client, its errors and its aiohttp session do the work. Left out is what they would work
out again for each call: address, own headers, options, and the layers for what is never used here
(redirects, sign-in flows, streams). A call out of the ordinary goes the SDK's own way.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from functools import lru_cache
from typing import Any

import aiohttp
import httpx2
from openai import AsyncOpenAI, DefaultAioHttpClient
from openai._models import FinalRequestOptions

LONGEST_REPLY = 32 * 2**20
"""Bytes of a reply that are read; a server that sends without end must not fill the memory."""
PART = 2**14
PLAIN_JSON = frozenset({"application/json", "application/json; charset=utf-8"})
"""Types of content that are UTF-8, whatever else a header may say of a text."""
Headers = list[tuple[bytes, bytes]]


class TooLong(Exception):
    """A reply of more than LONGEST_REPLY bytes."""


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
        """The response to a POST, read to its end. Raises what the SDK raises, and TooLong."""
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


class QuickClient(DefaultAioHttpClient):
    """The SDK's aiohttp client, which takes a plain exchange straight to its aiohttp session."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._plain = not (self.follow_redirects or any(self.event_hooks.values()))
        self._limits: dict[tuple[Any, ...], aiohttp.ClientTimeout] = {}

    async def send(
        self, request: httpx2.Request, *, stream: bool = False, **options: Any
    ) -> httpx2.Response:
        """The response, read to its end. Raises httpx2.TransportError, TooLong."""
        session = self._session(request)
        if session is None or stream or options:
            streamed = await super().send(request, stream=True, **options)
            return streamed if stream else await _read(streamed)
        try:
            response = await self._exchange(session, request)
        except (aiohttp.ServerTimeoutError, aiohttp.SocketTimeoutError) as error:
            raise httpx2.ReadTimeout(str(error), request=request) from error
        except aiohttp.ClientConnectionError as error:
            raise httpx2.ConnectError(str(error), request=request) from error
        except aiohttp.ClientPayloadError as error:
            raise httpx2.ReadError(str(error), request=request) from error
        if "set-cookie" in response.headers:
            self.cookies.extract_cookies(response)
        return response

    def _session(self, request: httpx2.Request) -> aiohttp.ClientSession | None:
        """The session behind, or None where something is out of the ordinary: a proxy, cookies."""
        transport: Any = self._transport_for_url(request.url)
        if not self._plain or self.cookies or request.url.userinfo or self.is_closed:
            return None
        if getattr(transport, "proxy", True) is not None:
            return None
        if not isinstance(transport.client, aiohttp.ClientSession):
            transport.client = transport.get_client()
        session: aiohttp.ClientSession = transport.client
        return session

    async def _exchange(
        self, session: aiohttp.ClientSession, request: httpx2.Request
    ) -> httpx2.Response:
        async with session.request(
            request.method,
            str(request.url),
            data=request.content,
            headers=[(name.decode(), value.decode()) for name, value in request.headers.raw],
            allow_redirects=False,
            auto_decompress=False,
            timeout=self._time_limit(request.extensions.get("timeout", {})),
        ) as told:
            body = await _body(told)
            packed = "content-encoding" in told.headers
            response = httpx2.Response(
                told.status,
                headers=told.raw_headers,
                content=None if packed else body,
                stream=_Parts(body) if packed else None,
                request=request,
                extensions={"reason_phrase": (told.reason or "").encode()},
            )
            return await _read(response) if packed else response

    def _time_limit(self, wanted: dict[str, Any]) -> aiohttp.ClientTimeout:
        key = (wanted.get("connect"), wanted.get("read"), wanted.get("pool"))
        if key not in self._limits:
            connect, read, pool = key
            self._limits[key] = aiohttp.ClientTimeout(
                sock_connect=connect, sock_read=read, connect=pool
            )
        return self._limits[key]


class _Parts(httpx2.AsyncByteStream):
    """A body in small parts: what a packed one unpacks to is counted as it comes."""

    def __init__(self, body: bytes) -> None:
        self._body = body

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for start in range(0, len(self._body), PART):
            yield self._body[start : start + PART]


async def _read(response: httpx2.Response) -> httpx2.Response:
    """The response with its body unpacked."""
    try:
        body = await _joined(response.aiter_bytes(PART))
    finally:
        await response.aclose()
    kept = [pair for pair in response.headers.multi_items() if pair[0] != "content-encoding"]
    return httpx2.Response(
        response.status_code,
        headers=kept,
        content=body,
        request=response.request,
        extensions=response.extensions,
    )


async def _body(told: aiohttp.ClientResponse) -> bytes:
    if told.content_length is None:
        return await _joined(told.content.iter_any())
    if told.content_length > LONGEST_REPLY:
        raise TooLong
    return await told.read()


async def _joined(parts: AsyncIterator[bytes]) -> bytes:
    kept, size = [], 0
    async for part in parts:
        size += len(part)
        if size > LONGEST_REPLY:
            raise TooLong
        kept.append(part)
    return b"".join(kept)
