"""The plain words that the report uses for codes."""

from __future__ import annotations

from collections.abc import Mapping

from pipeline.records import Language

STATUS_WORDS: Mapping[str, str] = {
    "scored": "graded by the model",
    "blank": "nothing to grade",
    "copied": "only repeats the question",
    "missing": "no answer to grade",
    "refused": "the model declined to grade",
    "content_filtered": "stopped by the provider's filter",
    "truncated_reply": "the model's reply was cut off",
    "prompt_truncated": "the model did not see the whole prompt",
    "unparseable": "no valid reply from the model",
    "endpoint_error": "no reply from the endpoint",
    "not_run": "not graded yet",
}
MODE_WORDS: Mapping[str, str] = {
    "verdict": "whole points",
    "expected": "expected values",
    "median": "medians of several samples",
    "gate": "set by rule",
}
RECOMMENDATION_WORDS: Mapping[str, str] = {
    "STRONG_YES": "Strong yes",
    "YES": "Yes",
    "MIXED": "Mixed",
    "NO": "No",
    "STRONG_NO": "Strong no",
    "NO_DECISION": "No decision",
}
MATCH_WORDS: Mapping[str, str] = {
    "none": "no quote given",
    "exact": "found in the answer",
    "approximate": "found with small deviations",
    "not_found": "not found in the answer",
}


def in_language(texts: Mapping[str, str], language: Language, otherwise: str = "") -> str:
    """The text in `language`, or else in the first language there is."""
    return texts.get(language) or next(iter(texts.values()), otherwise)
