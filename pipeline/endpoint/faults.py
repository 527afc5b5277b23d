"""The failure policy, as data: what each fault of an endpoint means, and how often it is tried.

The first rule that fits counts. A rule fits by HTTP status or by words in the error's code, type
or message; an error inside a 200 is judged by its own code. Nothing of a body gets into a
message of ours but its code: bodies may quote the prompt.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal

import openai

from pipeline.endpoint.connecting import ConnectionFault, connection_fault
from pipeline.errors import CallError, ContentFiltered, EndpointError, StopRun

Meaning = Literal["stop", "filtered", "item", "retry"]
"""For the run: stop. For the item: filtered, item. For the moment: retry."""


NOT_READABLE = "a response that is no readable HTTP"
TOO_LONG = "a response that does not end"


class BrokenReply(Exception):
    """Status 200, but no completion: a proxy's page, a cut body, an error inside."""

    def __init__(self, what: str, inside: Any = None) -> None:
        super().__init__(what)
        self.inside = inside
        """The error object found in the body, if there is one."""


class NoReplyInTime(Exception):
    """A request that was not answered to its last byte within the time limit."""


ABOUT_MONEY = frozenset({402, 403, 429})
"""Statuses with which the message alone may say that a quota is spent."""


@dataclass(frozen=True)
class Fault:
    """What is known about one failed request."""

    kind: Literal["status", "inside", "broken"] | ConnectionFault
    status: int | None = None
    code: str = ""
    named: str = ""
    """Code and type in lower case, only ever searched."""
    said: str = ""
    """The message in lower case, only ever searched: it may quote a candidate."""


@dataclass(frozen=True)
class Rule:
    """What a kind of fault means."""

    name: str
    meaning: Meaning
    statuses: frozenset[int] = frozenset()
    words: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    tries: int = 1
    """Requests in all for one call, this fault alone occurring."""
    crowded: bool = False
    """Whether fewer calls at a time would help."""
    text: str = "{what}"

    def fits(self, fault: Fault) -> bool:
        """Whether the rule is about this fault."""
        said = fault.said
        if self.meaning == "stop" and fault.status not in ABOUT_MONEY:
            # A candidate's own words, quoted by a server, must not be able to stop a run.
            said = ""
        named = any(word in fault.named or word in said for word in self.words)
        return named or fault.kind in self.kinds or fault.status in self.statuses


POLICY: tuple[Rule, ...] = (
    Rule(
        "quota spent",
        "stop",
        frozenset({402}),
        ("insufficient_quota", "billing_hard_limit", "insufficient balance", "arrearage"),
        text="The endpoint's quota is spent: {what}. Top it up, then run again.",
    ),
    Rule(
        "content filter",
        "filtered",
        words=(
            "content_filter",
            "content_policy",
            "data_inspection_failed",
            "content exists risk",
            "moderation",
        ),
        text="the provider's content filter refused it: {what}",
    ),
    Rule(
        "key",
        "stop",
        frozenset({401, 403}),
        text="The endpoint refuses the key: {what}. Check OPENAI_API_KEY.",
    ),
    Rule(
        "model or address",
        "stop",
        frozenset({404}),
        text="The endpoint knows no such model or address: {what}. Check both.",
    ),
    Rule(
        "elsewhere",
        "stop",
        frozenset({301, 302, 303, 307, 308}),
        text="The endpoint sends calls on to another address: {what}. Texts go only where they are "
        "said to go: give the right address as --base-url.",
    ),
    Rule("busy", "retry", frozenset({429, 503, 529}), tries=8, crowded=True),
    Rule("server", "retry", frozenset({408, 409, 500, 502, 504, 520, 522, 524}), tries=6),
    Rule(
        "too long",
        "item",
        words=("context_length_exceeded", "exceed_context_size", "context size", "context length"),
        text="the prompt is longer than the model's context: {what}",
    ),
    Rule("rejected", "item", frozenset(range(300, 500)), kinds=("status",)),
    Rule("broken reply", "retry", kinds=("broken", "inside"), tries=4),
    Rule("time-out", "retry", kinds=("timeout",), tries=3, crowded=True, text="no reply in time"),
    Rule("connection", "retry", kinds=("connection",), tries=6, text="the connection failed"),
    Rule("unreachable", "retry", kinds=("unreachable",), tries=6, text="nobody answers there"),
    Rule(
        "untrusted",
        "stop",
        kinds=("untrusted",),
        text="The endpoint's certificate is not trusted, or it does not speak https. Check the "
        "address; SSL_CERT_FILE names the certificates to trust.",
    ),
)


def fault_of(error: BaseException) -> Fault:
    """What is known about a failed request."""
    if isinstance(error, openai.APIStatusError):
        body = error.body if isinstance(error.body, dict) else {}
        named, said = f"{error.code} {error.type}", str(body.get("message", ""))
        code = _as_code(error.code)
        return Fault("status", error.status_code, code, named.casefold(), said.casefold())
    if isinstance(error, BrokenReply):
        return _fault_inside(error)
    slow = isinstance(error, NoReplyInTime | openai.APITimeoutError)
    return Fault(connection_fault(error, slow=slow))


def rule_for(error: BaseException) -> Rule:
    """The rule that applies to a failed request."""
    fault = fault_of(error)
    return next(rule for rule in POLICY if rule.fits(fault))


def as_ours(error: Exception, attempts: int) -> StopRun | CallError:
    """A failed request as an error of the product."""
    rule, fault = rule_for(error), fault_of(error)
    what = rule.text.format(what=_in_words(error, fault))
    if rule.meaning == "stop":
        return StopRun(what)
    if rule.meaning == "filtered":
        return ContentFiltered(what, attempts=attempts)
    return EndpointError(f"{what}, {attempts} attempts", attempts=attempts)


def _in_words(error: Exception, fault: Fault) -> str:
    if isinstance(error, BrokenReply):
        return f"{error} ({fault.code})" if fault.code else str(error)
    return f"HTTP {fault.status}" + (f" ({fault.code})" if fault.code else "")


def _fault_inside(error: BrokenReply) -> Fault:
    inside = error.inside
    if not isinstance(inside, dict):
        return Fault("broken", said=inside.casefold() if isinstance(inside, str) else "")
    code = inside.get("code")
    status = code if isinstance(code, int) and 400 <= code < 600 else None
    named, said = f"{code} {inside.get('type', '')}", str(inside.get("message", ""))
    return Fault("inside", status, _as_code(code), named.casefold(), said.casefold())


def _as_code(code: object) -> str:
    """An error's code, where it is one: servers put whole sentences there as well."""
    text = "" if code is None else str(code)
    return text if re.fullmatch(r"[A-Za-z0-9_.-]{1,60}", text) else ""
