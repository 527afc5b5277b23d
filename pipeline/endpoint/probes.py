"""The probes of `grader doctor`. What a model is called plays no part: each is tried."""

from __future__ import annotations

from typing import Any

from pipeline.endpoint.form import ReplyForm, asked_form
from pipeline.endpoint.probe_call import Answer, Asker, user
from pipeline.endpoint.profile import Finding
from pipeline.json_reading import NotReadable, read_object

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"found": {"type": "string", "enum": ["grader-probe"]}},
    "required": ["found"],
    "additionalProperties": False,
}
"""A form that no reply has by chance: the prompt does not name it."""
SCORE = (
    'Write {"score": N} with a whole number N from 0 to 5 for this answer, nothing else: "因为快"'
)
WORD = "ALDERNEY"
FILLER = "第{n}行：这一行没有内容，只为占位。 Line {n} holds nothing and only takes up room.\n"
MEANING: dict[ReplyForm, str] = {
    "json_schema": "replies have the right form by construction",
    "tool": "replies have the right form where json_schema is not to be had",
    "json_object": "replies are JSON, their form is asked for in the prompt",
    "text": "",
}


async def probe_models(asker: Asker, model: str) -> Finding:
    """Does the list of models hold the one asked for?"""
    names = await asker.models()
    if names is None:
        return Finding(name="models", works=None, seen="no list", means="names are not checked")
    means = "the name is right" if model in names else "check the name; aliases are not listed"
    return Finding(name="models", works=model in names, seen=f"a list of {len(names)}", means=means)


async def probe_form(asker: Asker, form: ReplyForm) -> Finding:
    """Is a form of reply accepted, and kept to where the prompt does not help?"""
    asked = "Describe the weather in JSON, in one short object with keys of your own."
    answer = await asker.ask(user(asked), **asked_form(SCHEMA, form))
    kept = _as_object(answer)
    if answer.error or kept is None:
        seen = answer.seen if answer.error else "accepted, but the reply is no JSON object"
        return Finding(name=form, works=False, seen=seen, means="not used")
    if form == "json_object":
        return Finding(name=form, works=True, seen="a JSON object", means=MEANING[form])
    works = kept == {"found": "grader-probe"}
    seen = "accepted and kept to" if works else "accepted, but ignored"
    return Finding(name=form, works=works, seen=seen, means=MEANING[form] if works else "not used")


async def probe_logprobs(asker: Asker) -> Finding:
    """Are there alternatives with probabilities at the place of a score?"""
    answer = await asker.ask(user(SCORE), logprobs=True, top_logprobs=10)
    if answer.reply is None:
        return Finding(name="logprobs", works=False, seen=answer.seen, means=_NO_EXPECTED)
    at_score = [token for token in answer.reply.tokens if any(c.isdigit() for c in token.text)]
    most = max((len(token.top) for token in at_score), default=0)
    works = most >= 2
    seen = f"{most} alternatives at the score" if at_score else "none sent"
    means = "--score-mode expected is possible" if works else _NO_EXPECTED
    return Finding(name="logprobs", works=works, seen=seen, means=means)


_NO_EXPECTED = "whole points only, no --score-mode expected"


async def probe_seed(asker: Asker) -> tuple[Finding, bool]:
    """Is a seed accepted, and does it give the same text twice? And do other seeds vary?"""
    asked = user("Write five random words.")
    one, two, other = [await asker.ask(asked, seed=seed, temperature=1) for seed in (11, 11, 12)]
    if one.error:
        means = "repeated runs may differ"
        return Finding(name="seed", works=False, seen=one.seen, means=means), False
    same, varies = one.text == two.text, other.text != one.text
    seen = "same seed, same text" if same else "accepted, but the same seed gave another text"
    means = "repeated runs agree" if same else "repeated runs may differ; --samples shows how much"
    return Finding(name="seed", works=same, seen=seen, means=means), varies


async def probe_system(asker: Asker) -> Finding:
    """Is the system role heeded?"""
    rule = {"role": "system", "content": f"Begin every reply with the word {WORD}."}
    answer = await asker.ask(rule, user("Say hello."))
    works = WORD in answer.text.upper()
    seen = "heeded" if works else ("ignored" if answer.reply else answer.seen)
    means = "the rubric goes there" if works else "the rubric goes before the first question"
    return Finding(name="system role", works=works, seen=seen, means=means)


def read_thoughts(plain: Answer) -> Finding:
    """Does the model think aloud, and where?"""
    fields = [name for name in ("reasoning_content", "reasoning") if plain.message.get(name)]
    if "<think" in str(plain.message.get("content") or ""):
        fields.append("<think> in the text")
    seen = ", ".join(fields) or "none"
    means = "thoughts are set aside; replies need more tokens" if fields else "nothing to set aside"
    return Finding(name="reasoning", works=bool(fields), seen=seen, means=means)


def read_limits(plain: Answer) -> Finding:
    """Do headers say how much may be asked?"""
    names = sorted(n for n in map(str.lower, plain.headers) if n.startswith("x-ratelimit-limit"))
    seen = ", ".join(f"{name[18:]} {plain.headers[name]}" for name in names) or "none"
    means = "the limit is found by trying, with --concurrency auto"
    return Finding(name="rate-limit headers", works=bool(names), seen=seen, means=means)


async def probe_cache(asker: Asker) -> Finding:
    """Are tokens of a repeated prompt counted as cached?"""
    long = user(filler(60) + "Answer with the word yes.")
    await asker.ask(long)
    again = await asker.ask(long)
    cached = again.reply.usage.cached_tokens if again.reply else None
    seen = "not reported" if cached is None else f"{cached:,} tokens of a repeated prompt"
    means = "the rubric is paid for in full once" if cached else "every prompt counts in full"
    return Finding(name="prompt cache", works=bool(cached), seen=seen, means=means)


async def probe_context(asker: Asker, most: int) -> tuple[Finding, int | None]:
    """How long may a prompt be before a part is lost? Both ends carry a word to be repeated."""
    seen_to: int | None = None
    for size in _sizes(most):
        # A line of the filler is about 30 tokens.
        text = f"The first word is {WORD}.\n{filler(size // 30)}The last word is GUERNSEY.\n"
        answer = await asker.ask(user(text + "Write the first word and the last word."))
        if not all(word in answer.text.upper() for word in (WORD, "GUERNSEY")):
            break
        reported = answer.reply.usage.input_tokens if answer.reply else None
        seen_to = reported or size
    seen = f"whole up to {seen_to:,} tokens" if seen_to else "lost a part of a short prompt"
    means = "longer prompts were not tried, or were cut" if seen_to else "do not grade with this"
    return Finding(name="context", works=bool(seen_to), seen=seen, means=means), seen_to


def _sizes(most: int) -> list[int]:
    doubled = [2_000 * 2**step for step in range(12)]
    return [size for size in doubled if size < most] + [most]


def filler(lines: int) -> str:
    """Text without content, every line another."""
    return "".join(FILLER.format(n=number) for number in range(lines))


def _as_object(answer: Answer) -> dict[str, Any] | None:
    try:
        start = answer.text.index("{")
        return read_object(answer.text, start)[0]
    except (ValueError, NotReadable):
        return None
