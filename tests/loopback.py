"""A real HTTP server on loopback that answers like an OpenAI-compatible endpoint."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from tests.scripted import verdict_json


@dataclass(frozen=True)
class Request:
    """One request as it came; header names in lower case."""

    headers: dict[str, str]
    text: str
    body: dict[str, Any]
    query: str = ""
    """What stands behind the ? of the address."""

    @property
    def prompt(self) -> str:
        """All that the model would see."""
        return "\n".join(turn["content"] for turn in self.body["messages"])


@dataclass(frozen=True)
class Response:
    """What to answer."""

    body: Any
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    content_type: str = "application/json"


Answer = Callable[[Request], Response]


def completion(text: str, *, finish_reason: str = "stop", **more: Any) -> dict[str, Any]:
    """A chat completion with `text` as its content."""
    message = {"role": "assistant", "content": text, **more.pop("message", {})}
    return {
        "id": "x",
        "object": "chat.completion",
        "model": "loopback-1",
        "system_fingerprint": "fp",
        "choices": [{"index": 0, "finish_reason": finish_reason, "message": message}],
        "usage": {"prompt_tokens": 2_500, "completion_tokens": 200, "total_tokens": 2_700},
        **more,
    }


def always(score: int) -> Answer:
    """Every answer gets the same score on every criterion, without a quote."""
    body = completion(verdict_json(score))
    return lambda request: Response(body)


def error(status: int, code: str = "", message: str = "no", **headers: str) -> Response:
    """An error in the protocol's form."""
    body = {"error": {"message": message, "type": code, "code": code or None}}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Response(body, status, named)


@dataclass
class Loopback:
    """A running server."""

    base_url: str
    requests: list[Request] = field(default_factory=list)


@contextmanager
def serve(answer: Answer, models: tuple[str, ...] | None = None) -> Iterator[Loopback]:
    """Serve until the block ends; `answer` is called in the server's thread.

    Without `models` there is no list of models.
    """
    loop = asyncio.new_event_loop()
    served = Loopback("")

    async def handle(request: web.Request) -> web.StreamResponse:
        text = await request.text()
        headers = {name.lower(): value for name, value in request.headers.items()}
        seen = Request(headers, text, json.loads(text), request.query_string)
        served.requests.append(seen)
        response = answer(seen)
        await asyncio.sleep(response.delay)
        content = response.body
        if not isinstance(content, str | bytes):
            content = json.dumps(content)
        return web.Response(
            body=content.encode() if isinstance(content, str) else content,
            status=response.status,
            headers=response.headers,
            content_type=response.content_type,
        )

    async def list_models(request: web.Request) -> web.Response:
        return web.json_response({"data": [{"id": name} for name in models or ()]})

    async def start() -> web.AppRunner:
        app = web.Application(client_max_size=1 << 26)
        app.router.add_post("/v1/chat/completions", handle)
        if models is not None:
            app.router.add_get("/v1/models", list_models)
        runner = web.AppRunner(app, shutdown_timeout=0.1, handler_cancellation=True)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        served.base_url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
        return runner

    runner = loop.run_until_complete(start())
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        yield served
    finally:
        asyncio.run_coroutine_threadsafe(runner.cleanup(), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
        loop.close()
