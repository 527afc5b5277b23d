"""One request and its response over the SDK's aiohttp session, without the layers between.

Those are for what is never used here: redirects, sign-in flows, streams. Proxies, cookies and
whatever else is out of the ordinary go the SDK's own way. No body is read without a bound.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import httpx2
from openai import DefaultAioHttpClient

LONGEST_REPLY, LONGEST_STATES = 8 * 2**20, 64 * 2**20
"""Bytes of a reply that are read, and of the states of a reading: enough for a model of 8 billion
parameters. A server that sends without end must not fill the memory."""
PART = 2**14


class TooLong(Exception):
    """A reply of more bytes than are read."""


class QuickClient(DefaultAioHttpClient):
    """The SDK's aiohttp client, which takes a plain exchange straight to its aiohttp session."""

    def __init__(self, longest: int = LONGEST_REPLY, **options: Any) -> None:
        super().__init__(**options)
        self._longest = longest
        self._plain = not (self.follow_redirects or any(self.event_hooks.values()))
        self._limits: dict[tuple[Any, ...], aiohttp.ClientTimeout] = {}

    async def send(
        self, request: httpx2.Request, *, stream: bool = False, **options: Any
    ) -> httpx2.Response:
        """The response, read to its end. Raises httpx2.TransportError, TooLong."""
        session = self._session(request)
        if session is None or stream or options:
            streamed = await super().send(request, stream=True, **options)
            return streamed if stream else await _read(streamed, self._longest)
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
            body = await _body(told, self._longest)
            packed = "content-encoding" in told.headers
            response = httpx2.Response(
                told.status,
                headers=told.raw_headers,
                content=None if packed else body,
                stream=_Parts(body) if packed else None,
                request=request,
                extensions={"reason_phrase": (told.reason or "").encode()},
            )
            return await _read(response, self._longest) if packed else response

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


async def _read(response: httpx2.Response, longest: int) -> httpx2.Response:
    """The response with its body unpacked."""
    try:
        body = await _joined(response.aiter_bytes(PART), longest)
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


async def _body(told: aiohttp.ClientResponse, longest: int) -> bytes:
    if told.content_length is None:
        return await _joined(told.content.iter_any(), longest)
    if told.content_length > longest:
        raise TooLong
    return await told.read()


async def _joined(parts: AsyncIterator[bytes], longest: int) -> bytes:
    kept, size = [], 0
    async for part in parts:
        size += len(part)
        if size > longest:
            raise TooLong
        kept.append(part)
    return b"".join(kept)
