"""Notes: what a model writes where a scorer gives the points - a quote and the problems.

No score and no reason for one is asked for: they would be about other points than those given.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from pipeline.records import Rubric, Verdict
from pipeline.verdict import InvalidVerdict, closed, parse_tree, validated

FIELDS = ("quote", "problems")
NOT_ASKED = (
    "No quotes were asked for (--no-explanations): no point has a passage of the answer as proof.",
    "本次没有要求给出引文（--no-explanations）：各项分数都没有原文作为依据。",
)


def notes_schema(rubric: Rubric, text_limit: int | None) -> dict[str, Any]:
    """JSON schema of the reply, keys in generation order; `text_limit` bounds each text."""
    text: dict[str, Any] = {"type": "string"}
    if text_limit is not None:
        text["maxLength"] = text_limit
    return closed(dict.fromkeys(rubric.keys, closed(dict.fromkeys(FIELDS, text))))


def parse_notes(text: str, rubric: Rubric, scores: Mapping[str, Decimal]) -> Verdict:
    """The notes in a reply's text, made a verdict with the points of a scorer.

    The verdict's whole points are the scores rounded half up. Raises InvalidVerdict.
    """
    tree = parse_tree(text)
    if not isinstance(tree, dict):
        raise InvalidVerdict("not a JSON object: the outermost value must be { ... }")
    if odd := set(tree) - set(rubric.keys):
        raise InvalidVerdict(f"{len(odd)} keys too many: only {', '.join(rubric.keys)}")
    for key in rubric.keys:
        if not isinstance(tree.get(key), dict) or set(tree[key]) != set(FIELDS):
            raise InvalidVerdict(f"{key}: needs {' and '.join(FIELDS)}, and nothing else")
    points = {key: {"rationale": "", "score": whole(scores[key])} for key in rubric.keys}
    return validated({key: tree[key] | points[key] for key in rubric.keys}, rubric)


def were_asked_for(manifest: Mapping[str, object]) -> bool:
    """Whether the points of a run come with quotes and problems."""
    parameters = manifest.get("parameters")
    return not isinstance(parameters, Mapping) or parameters.get("explanations") != "off"


def no_notes(rubric: Rubric) -> str:
    """The notes of a model that was not asked for any."""
    return json.dumps(dict.fromkeys(rubric.keys, dict.fromkeys(FIELDS, "")))


def whole(score: Decimal) -> int:
    """A score as whole points, half up."""
    return int(score.quantize(Decimal(1), ROUND_HALF_UP))


def dump_notes(verdict: Verdict) -> str:
    """The notes of a verdict as the model is asked to write them."""
    notes = {key: one.model_dump(include={*FIELDS}) for key, one in verdict.criteria.items()}
    return json.dumps(notes, ensure_ascii=False)
