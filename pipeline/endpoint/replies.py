"""The body of a 200 as a Reply, whatever shape its server gives it."""

from __future__ import annotations

import json
import re
from typing import Any

from pydantic import ValidationError

from pipeline.endpoint.faults import BrokenReply
from pipeline.records import Reply, Token, Usage

THOUGHTS = ("reasoning_content", "reasoning")
"""Where servers put what a model thought, and some the reply itself."""
LONGEST_NAME = 200
"""Characters kept of the name of a model."""
MOST_TOKENS = 10**9
"""More than any context holds."""
_HALVES = re.compile("[\ud800-\udfff]")


def read_reply(text: str) -> Reply:
    """A completion's JSON as a Reply. Raises BrokenReply where it is none."""
    try:
        body = json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        raise BrokenReply("status 200 without a completion in it", _streamed(text)) from None
    try:
        choice = body["choices"][0]
        message = choice["message"]
        if choice.get("error") or (body.get("error") and not message):
            raise BrokenReply("an error inside a 200", choice.get("error") or body["error"])
        content, text_tokens = text_of(message), choice.get("logprobs")
        return Reply(
            text=content or arguments_of(message) or only_thought(message),
            finish_reason=_whole(choice.get("finish_reason")),
            refusal=_whole(message.get("refusal")) or None,
            model=_name_or_none(body.get("model")),
            fingerprint=_name_or_none(body.get("system_fingerprint")),
            usage=read_usage(body.get("usage")),
            # Offsets of tokens hold for the content alone.
            tokens=read_tokens(text_tokens) if content else (),
        )
    except (KeyError, IndexError, TypeError, AttributeError, ValidationError):
        inside = body.get("error") if isinstance(body, dict) else None
        what = "an error inside a 200" if inside else "status 200 without a completion in it"
        raise BrokenReply(what, inside) from None


def text_of(message: dict[str, Any]) -> str:
    """The content: a text, or the texts of its parts."""
    content = message.get("content")
    if isinstance(content, list):
        return "".join(part["text"] for part in content if part.get("type") == "text")
    return content or ""


def only_thought(message: dict[str, Any]) -> str:
    """Thoughts that are a whole JSON object, where there is nothing but thoughts: the reply.

    Thoughts in words stay what they are: a draft in them is no verdict.
    """
    for name in THOUGHTS:
        thought = message.get(name)
        try:
            if isinstance(thought, str) and isinstance(json.loads(thought), dict):
                return thought
        except (ValueError, RecursionError):
            continue
    return ""


def _streamed(text: str) -> Any:
    """The error in an event stream that came instead of a completion, or None."""
    for line in text.splitlines()[:20]:
        try:
            event = json.loads(line.removeprefix("data:"))
        except (ValueError, RecursionError):
            continue
        if isinstance(event, dict) and "error" in event:
            return event["error"]
    return None


def _name_or_none(value: Any) -> str | None:
    """A name as it may be written to files and screens: no control signs, no half characters."""
    if not isinstance(value, str):
        return None
    return "".join(sign if sign.isprintable() else "\ufffd" for sign in value[:LONGEST_NAME])


def _whole(value: Any) -> Any:
    """A text without halves of surrogate pairs, which no file can hold; all else as it is."""
    return _HALVES.sub("\ufffd", value) if isinstance(value, str) else value


def arguments_of(message: dict[str, Any]) -> str:
    """The arguments of a reply's only tool call; "" where there is none."""
    calls = message.get("tool_calls")
    if not isinstance(calls, list) or len(calls) != 1:
        return ""
    try:
        arguments = calls[0]["function"]["arguments"]
    except (KeyError, TypeError):
        return ""
    return arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)


def read_usage(usage: Any) -> Usage:
    """The usage block; what is absent or no number stays None."""
    if not isinstance(usage, dict):
        return Usage()
    details = usage.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, dict) else None
    counts = {
        "input_tokens": usage.get("prompt_tokens"),
        "output_tokens": usage.get("completion_tokens"),
        "cached_tokens": cached,
    }
    return Usage(**{name: count for name, count in counts.items() if _is_count(count)})


def _is_count(value: Any) -> bool:
    """Whether a value can be a number of tokens: budgets and tables rest on it."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_TOKENS


def read_tokens(logprobs: Any) -> tuple[Token, ...]:
    """The tokens with their alternatives; () where the reply has none."""
    content = logprobs.get("content") if isinstance(logprobs, dict) else None
    return tuple(
        Token(
            text=_whole(entry["token"]),
            size=len(entry.get("bytes") or _whole(entry["token"]).encode()),
            logprob=entry["logprob"],
            top=tuple(
                (_whole(top["token"]), top["logprob"]) for top in entry.get("top_logprobs") or ()
            ),
        )
        for entry in content or ()
    )
