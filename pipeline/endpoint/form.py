"""The form of a request, and how it is adapted to what an endpoint accepts.

The ladder of reply forms: json_schema (strict), tool call, json_object, plain text. A 400 that
names a parameter steps down or leaves it out, once, for the rest of the session. Nothing hangs on
the name of a model.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import openai

from pipeline.records import Message, Messages, Record

ReplyForm = Literal["json_schema", "tool", "json_object", "text"]
LADDER: tuple[ReplyForm, ...] = ("json_schema", "tool", "json_object", "text")
OPTIONAL = ("seed", "temperature", "top_logprobs", "logprobs")
"""Parameters that may be left out without changing what is asked."""
REJECTED = frozenset({400, 415, 422, 501})
WORDS_OF_FORM: dict[ReplyForm, tuple[str, ...]] = {
    "json_schema": ("response_format", "json_schema", "structured output", "guided", "grammar"),
    "tool": ("tool", "function"),
    "json_object": ("response_format", "json_object", "json mode"),
    "text": (),
}
TOOL = "verdict"


class Form(Record):
    """What goes into a request body besides model and messages."""

    reply: ReplyForm = "json_schema"
    """How the form of the reply is asked for."""
    allowance: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    """Name of the parameter that bounds the reply."""
    dropped: tuple[str, ...] = ()
    """Optional parameters that the endpoint does not accept."""
    system: bool = True
    """Whether the system role is heeded; otherwise its text stands before the first user turn."""


@dataclass
class Adapted:
    """The form in force for a session, and the steps that led to it."""

    form: Form = field(default_factory=Form)
    steps: list[str] = field(default_factory=list)

    def adopt(self, used: Form, error: openai.APIStatusError) -> bool:
        """Whether another attempt makes sense: the form has changed, here or by another call."""
        if used != self.form:
            return True
        found = next_form(used, error)
        if found is None:
            return False
        self.form, step = found
        self.steps.append(step)
        return True


def next_form(form: Form, error: openai.APIStatusError) -> tuple[Form, str] | None:
    """The form without what the error names, and the step in words; None if it names nothing."""
    if error.status_code not in REJECTED:
        return None
    said = _said(error)
    if "max_completion_tokens" in said and form.allowance == "max_tokens":
        changed = form.model_copy(update={"allowance": "max_completion_tokens"})
        return changed, "max_tokens is called max_completion_tokens"
    for name in OPTIONAL:
        if name in said and name not in form.dropped:
            return form.model_copy(update={"dropped": (*form.dropped, name)}), f"without {name}"
    if any(word in said for word in WORDS_OF_FORM[form.reply]):
        lower = LADDER[LADDER.index(form.reply) + 1]
        changed = form.model_copy(update={"reply": lower})
        return changed, f"replies as {lower}, not {form.reply}"
    return None


def _said(error: openai.APIStatusError) -> str:
    body = error.body if isinstance(error.body, dict) else {}
    return f"{error.code} {error.param} {body.get('message', '')}".casefold()


def request_body(messages: Messages, parameters: dict[str, Any], form: Form) -> dict[str, Any]:
    """The JSON body of one request. The messages hold no name, path or id of anybody."""
    body = {name: value for name, value in parameters.items() if name not in form.dropped}
    if messages.sample and "seed" in body:
        body["seed"] += messages.sample
    if "logprobs" in form.dropped:
        body.pop("top_logprobs", None)
    turns = messages.turns if form.system else without_system(messages.turns)
    body["messages"] = [{"role": turn.role, "content": turn.content} for turn in turns]
    body[form.allowance] = messages.max_tokens
    if messages.reply_schema is not None:
        body |= asked_form(messages.reply_schema, form.reply)
    return body


def without_system(turns: tuple[Message, ...]) -> tuple[Message, ...]:
    """The turns with the system's text in front of the first user turn."""
    if len(turns) < 2 or turns[0].role != "system":
        return turns
    first = turns[1].model_copy(update={"content": f"{turns[0].content}\n\n{turns[1].content}"})
    return (first, *turns[2:])


def asked_form(schema: dict[str, Any], reply: ReplyForm) -> dict[str, Any]:
    """The part of the body that asks for a reply of this schema."""
    named = {"name": TOOL, "strict": True}
    if reply == "json_schema":
        return {
            "response_format": {"type": "json_schema", "json_schema": {**named, "schema": schema}}
        }
    if reply == "tool":
        return {
            "tools": [{"type": "function", "function": {**named, "parameters": schema}}],
            "tool_choice": {"type": "function", "function": {"name": TOOL}},
        }
    return {"response_format": {"type": "json_object"}} if reply == "json_object" else {}
