"""The bytes of every kind of reply that the chaos server gives."""

from __future__ import annotations

import json
from email.utils import formatdate
from time import time
from typing import Any

from evals.bench.chaos_world import World

MODEL = "chaos-1"


def response(kind: str, world: World, number: int) -> bytes:
    """Head and body. What hangs or tears needs more than bytes, and is the server's part."""
    if kind in _ERRORS:
        status, code, headers = _ERRORS[kind]
        return http(status, json.dumps({"error": {"message": code, "code": code}}), **headers)
    if kind == "busy_until":
        return http(429, '{"error": {}}', Date=formatdate(usegmt=True), Retry_After=_in(1))
    if kind == "html":
        return http(200, "<html><body>Sign in to the proxy</body></html>", Content_Type="text/html")
    if kind == "stream_error":
        event = 'data: {"error": {"code": "server_error", "message": "overloaded"}}\n\n'
        return http(200, event, Content_Type="text/event-stream")
    if kind == "error_inside":
        return http(200, json.dumps({"error": {"code": 502, "message": "upstream"}}))
    return http(200, json.dumps(completion(kind, world, number), ensure_ascii=False))


_ERRORS: dict[str, tuple[int, str, dict[str, str]]] = {
    "busy": (429, "rate_limit", {}),
    "busy_for": (429, "rate_limit", {"Retry_After": "1"}),
    "unavailable": (503, "overloaded", {"Retry_After_Ms": "30"}),
    "server_error": (500, "server_error", {}),
    "filtered": (400, "content_filter", {}),
    "locked_out": (401, "invalid_api_key", {}),
    "spent": (429, "insufficient_quota", {}),
}


def completion(kind: str, world: World, number: int) -> dict[str, Any]:
    """The JSON of a 200: a verdict, or what is wrong with it."""
    truth, wrong = world.verdict(number), dict.fromkeys(world.scores(number), 5)
    text = {
        "fenced": f"Here it is:\n```json\n{truth}\n```",
        "thought": f"<think>Score 5? No.</think>\n{truth}",
        "malformed": f"Scores: {json.dumps(wrong)[:-9]}",
        "off_scale": truth.replace('"score": ', '"score": 9'),
        "cut": truth[: len(truth) // 2],
        "filtered_late": "",
        "refused": "",
    }.get(kind, truth)
    finish = {"cut": "length", "filtered_late": "content_filter"}.get(kind, "stop")
    refusal = "I cannot grade this." if kind == "refused" else None
    message = {"role": "assistant", "content": text, "refusal": refusal}
    prompt_tokens = 40 if kind == "short_prompt" else 4_000
    return {
        "object": "chat.completion",
        "model": "another-2" if kind == "other_model" else MODEL,
        "choices": [{"index": 0, "finish_reason": finish, "message": message}],
        "usage": {"prompt_tokens": prompt_tokens, "completion_tokens": 200},
    }


def http(status: int, body: str, **headers: str) -> bytes:
    """A response of HTTP/1.1; `_` in the name of a header stands for `-`."""
    content = body.encode()
    lines = {"Content-Type": "application/json", "Content-Length": str(len(content))}
    lines |= {name.replace("_", "-"): value for name, value in headers.items()}
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    return f"HTTP/1.1 {status} -\r\n{head}\r\n".encode() + content


def _in(seconds: float) -> str:
    """An HTTP date."""
    return formatdate(time() + seconds, usegmt=True)
