"""The facts of a run that stand at the head of the report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime

from pipeline.records import STATUSES, Candidate, Outcome
from pipeline.report.words import MODE_WORDS
from pipeline.table.numbers import fixed

Fact = tuple[str, str]
"""What it is, and its value."""


def count_statuses(
    candidates: Sequence[Candidate], outcomes: Mapping[str, Outcome]
) -> list[tuple[str, int]]:
    """How many items ended in which status, in the order of the contract, without zeros."""
    counts = Counter(outcome.status for outcome in outcomes.values())
    counts["not_run"] += sum(candidate.asked for candidate in candidates) - len(outcomes)
    return [(status, counts[status]) for status in STATUSES if counts[status] > 0]  # type: ignore[index]


def run_facts(manifest: Mapping[str, object], outcomes: Mapping[str, Outcome]) -> list[Fact]:
    """Date, model, prompt version, score mode, tokens and wall time, as far as they are known."""
    done = outcomes.values()
    facts = [
        ("Date", _date(manifest.get("started"))),
        ("Model", _model(manifest.get("model"), _distinct(outcome.model for outcome in done))),
        ("Prompt version", _distinct(outcome.prompt_version for outcome in done)),
        ("Tokens", _tokens(outcomes)),
        ("Wall time", _duration(manifest.get("wall_seconds"))),
        ("Scores are", _modes(outcomes)),
    ]
    return [(name, value) for name, value in facts if value]


def settings(manifest: Mapping[str, object]) -> Iterator[Fact]:
    """All that the manifest says, one line per value; long lists are counted only."""
    return _flatten("", manifest)


def _flatten(name: str, value: object) -> Iterator[Fact]:
    if isinstance(value, Mapping) and 0 < len(value) <= 40:
        for key, inner in value.items():
            yield from _flatten(f"{name}.{key}" if name else str(key), inner)
    elif isinstance(value, (Mapping, list, tuple)):
        yield name, f"{len(value)} entries"
    else:
        yield name, "" if value is None else str(value)


def _date(value: object) -> str:
    """The start to the minute, or as it stands where it is no ISO time."""
    try:
        return f"{datetime.fromisoformat(str(value)).astimezone(UTC):%Y-%m-%d %H:%M} UTC"
    except ValueError:
        return str(value or "")


def _model(asked: object, answered: str) -> str:
    """The model asked for, and what the endpoint says has answered where that differs."""
    if not asked or asked == answered:
        return answered
    return f"{asked} (answered: {answered})" if answered else str(asked)


def _distinct(values: Iterable[str | None]) -> str:
    return ", ".join(dict.fromkeys(value for value in values if value))


def _modes(outcomes: Mapping[str, Outcome]) -> str:
    modes = dict.fromkeys(
        outcome.grade.score_mode
        for outcome in outcomes.values()
        if outcome.grade is not None and outcome.status == "scored"
    )
    return ", ".join(f"{MODE_WORDS[mode]} ({mode})" for mode in modes)


def _tokens(outcomes: Mapping[str, Outcome]) -> str:
    used = [outcome.usage for outcome in outcomes.values()]
    sent = sum(usage.input_tokens or 0 for usage in used)
    received = sum(usage.output_tokens or 0 for usage in used)
    return f"{sent:,} in, {received:,} out" if sent or received else ""


def _duration(seconds: object) -> str:
    if not isinstance(seconds, (int, float)):
        return ""
    if seconds < 60:
        return f"{fixed(float(seconds), 1)} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes // 60} h {minutes % 60} min" if minutes >= 60 else f"{minutes} min {rest} s"
