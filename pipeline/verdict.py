"""Reply -> verdict: strict, closed, and never clamped.

A reply that breaks a rule raises InvalidVerdict with a message that the re-ask can show to the
model. The message holds criterion keys and rules only, nothing of the answer.
"""

from __future__ import annotations

import json
import re
from typing import Any

from pydantic import ValidationError

from pipeline.records import Rubric, Verdict

FIELDS = ("quote", "problems", "rationale", "score")
_THINKING = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)
_FENCED = re.compile(r"\A```[a-zA-Z]*\s*\n(.*?)\n?```\s*\Z", re.DOTALL)


class InvalidVerdict(ValueError):
    """A reply that is no verdict by the rubric; `str()` says what is wrong with it."""


def reply_schema(rubric: Rubric, text_limit: int | None) -> dict[str, Any]:
    """JSON schema of the reply, keys in generation order; `text_limit` bounds each text."""
    low, high = rubric.scale
    text: dict[str, Any] = {"type": "string"}
    if text_limit is not None:
        text["maxLength"] = text_limit
    score = {"type": "integer", "enum": list(range(low, high + 1))}
    criterion = closed({"quote": text, "problems": text, "rationale": text, "score": score})
    return closed(dict.fromkeys(rubric.keys, criterion))


def closed(properties: dict[str, Any]) -> dict[str, Any]:
    """An object schema with all of `properties` required and nothing else allowed."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def parse_verdict(text: str, rubric: Rubric) -> Verdict:
    """The verdict in a reply's text. Raises InvalidVerdict."""
    return validated(parse_tree(text), rubric)


def parse_tree(text: str) -> Any:
    """The JSON of a reply's text, thoughts and a fence left out. Raises InvalidVerdict."""
    body = _THINKING.sub("", text).strip()
    if fenced := _FENCED.match(body):
        body = fenced[1].strip()
    if not body:
        raise InvalidVerdict("the reply is empty")
    try:
        return json.loads(body, object_pairs_hook=_unique, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise InvalidVerdict(
            f"not a JSON object: {error.msg} at character {error.pos} of {len(body)}"
        ) from None
    except InvalidVerdict:
        raise
    except RecursionError:
        raise InvalidVerdict("not a JSON object: nested too deeply") from None
    except ValueError:
        raise InvalidVerdict("a number has too many digits") from None


def validated(tree: Any, rubric: Rubric) -> Verdict:
    """The verdict that a JSON tree stands for. Raises InvalidVerdict."""
    if not isinstance(tree, dict):
        raise InvalidVerdict("not a JSON object: the outermost value must be { ... }")
    try:
        verdict = Verdict.model_validate({"criteria": tree}, strict=True)
    except ValidationError as error:
        fault = error.errors(include_input=False)[0]
        place = ".".join(str(step) for step in fault["loc"][1:3] if step in (*rubric.keys, *FIELDS))
        raise InvalidVerdict(f"{place or 'an unknown key'}: {fault['msg']}") from None
    if fault_text := find_verdict_fault(verdict, rubric):
        raise InvalidVerdict(fault_text)
    return Verdict(criteria={key: verdict.criteria[key] for key in rubric.keys})


def find_verdict_fault(verdict: Verdict, rubric: Rubric) -> str:
    """What a well-formed verdict has wrong against the rubric, or ""."""
    if lacking := [key for key in rubric.keys if key not in verdict.criteria]:
        return f"missing criteria: {', '.join(lacking)}"
    if len(verdict.criteria) > len(rubric.keys):
        return f"only these criteria are allowed: {', '.join(rubric.keys)}"
    low, high = rubric.scale
    for key in rubric.keys:
        if not low <= verdict.criteria[key].score <= high:
            return f"{key}.score: must be a whole number from {low} to {high}"
    return ""


def dump_verdict(verdict: Verdict) -> str:
    """The verdict as the model is asked to write it."""
    return json.dumps(verdict.model_dump()["criteria"], ensure_ascii=False)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({key for key, _ in pairs}) < len(pairs):
        raise InvalidVerdict("a key stands twice in one object")
    return dict(pairs)


def _no_constant(name: str) -> float:
    raise InvalidVerdict(f"{name} is not a number of JSON")
