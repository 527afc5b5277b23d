"""Servers that behave as kinds of endpoints are known to, under names that say nothing."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from tests.loopback import Request, Response, completion, error

FOUND = '{"found": "grader-probe"}'


@dataclass
class Imitation:
    """A model that does as it is told, behind a server with the traits given."""

    json_schema: str = "kept"
    """kept, ignored or refused; and so for the other forms."""
    tool: str = "kept"
    json_object: str = "kept"
    logprobs: int | None = None
    """Alternatives sent at each token; None refuses, 0 sends none."""
    seed: str = "kept"
    system: bool = True
    thoughts: str = ""
    """Field of the thoughts, or "think" for a tag in the text."""
    cached: bool = False
    reports_cache: bool = True
    context: int | None = None
    """Prompt tokens beyond which the beginning is dropped without a word."""
    headers: tuple[tuple[str, str], ...] = ()
    wants_completion_tokens: bool = False

    def __post_init__(self) -> None:
        self.seen: set[str] = set()
        self.calls = 0

    def __call__(self, request: Request) -> Response:
        self.calls += 1
        body = request.body
        if refused := self._refusal(body):
            return error(400, "invalid_request_error", refused)
        prompt = self._visible(request.prompt)
        if self._form(body) == "tool" and self.tool == "kept":
            call = {"function": {"name": "verdict", "arguments": FOUND}}
            return self._completion("", request, tool_calls=[call])
        return self._completion(self._text(prompt, body), request)

    def _refusal(self, body: dict[str, Any]) -> str:
        form = self._form(body)
        if form != "text" and getattr(self, form) == "refused":
            return "This response_format type is unavailable now; tools are not supported"
        if "logprobs" in body and self.logprobs is None:
            return "logprobs is not supported"
        if "seed" in body and self.seed == "refused":
            return "Unrecognized parameter: seed"
        if "max_tokens" in body and self.wants_completion_tokens:
            return "Unsupported parameter: use 'max_completion_tokens' instead"
        return ""

    @staticmethod
    def _form(body: dict[str, Any]) -> str:
        if "tools" in body:
            return "tool"
        return str(body.get("response_format", {}).get("type", "text"))

    def _visible(self, prompt: str) -> str:
        return prompt if self.context is None else prompt[-2 * self.context :]

    def _text(self, prompt: str, body: dict[str, Any]) -> str:
        form = self._form(body)
        if form == "json_schema" and self.json_schema == "kept":
            return FOUND
        if form != "text":
            return '{"weather": "fine"}' if getattr(self, form) == "kept" else "It is fine."
        if "first word" in prompt or "last word is" in prompt:
            return " ".join(word for word in ("ALDERNEY", "GUERNSEY") if word in prompt)
        if "random" in prompt:
            salt = body.get("seed") if self.seed == "kept" else self.calls
            return hashlib.sha256(str(salt).encode()).hexdigest()
        if '{"score": N}' in prompt:
            return '{"score": 3}'
        return (
            "ALDERNEY hello" if self.system and body["messages"][0]["role"] == "system" else "yes"
        )

    def _completion(self, text: str, request: Request, **message: Any) -> Response:
        if self.thoughts == "think":
            text = f"<think>hm</think>{text}"
        elif self.thoughts:
            message[self.thoughts] = "hm"
        body = completion(text, message=message)
        if self.logprobs:
            tops = [{"token": str(n), "logprob": -1.0} for n in range(self.logprobs)]
            tokens = [{"token": c, "logprob": -0.1, "top_logprobs": tops} for c in text]
            body["choices"][0]["logprobs"] = {"content": tokens}
        if self.reports_cache:
            hit = self.cached and request.prompt in self.seen
            body["usage"]["prompt_tokens_details"] = {"cached_tokens": 1_024 if hit else 0}
        body["usage"]["prompt_tokens"] = len(self._visible(request.prompt)) // 2
        self.seen.add(request.prompt)
        return Response(json.dumps(body), headers=dict(self.headers))


HOSTED_JSON_MODE = Imitation(
    json_schema="refused", logprobs=20, seed="ignored", thoughts="reasoning_content", cached=True
)
"""No schemas but tools and JSON mode; thinks in a field of its own; caches prefixes."""
LOCAL_SHORT_CONTEXT = Imitation(
    tool="ignored", logprobs=0, context=4_096, thoughts="think", reports_cache=False
)
"""Schemas are kept to; log-probabilities are accepted and not sent; long prompts are cut."""
SERVER_WITH_GRAMMARS = Imitation(logprobs=20, cached=True, thoughts="reasoning")
"""Keeps to every form, sends alternatives, caches."""
CHILD_PROCESS = Imitation(logprobs=10, tool="refused", seed="kept", reports_cache=False)
"""A small server on this machine."""
BARE = Imitation(
    json_schema="ignored", tool="ignored", json_object="ignored", seed="refused", system=False,
    wants_completion_tokens=True, headers=(("x-ratelimit-limit-requests", "500"),),
)  # fmt: skip
"""Accepts much, and does nothing of it."""
