"""The facts of a run that stand at the head of the report."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime

from pipeline.measured import statement
from pipeline.notes import NOT_ASKED, were_asked_for
from pipeline.records import Language
from pipeline.report.phrases import say
from pipeline.report.tally import Tally
from pipeline.report.words import MODE_WORDS, word
from pipeline.table.numbers import fixed

Fact = tuple[str, str]
"""What it is, and its value."""


def run_facts(manifest: Mapping[str, object], tally: Tally, language: Language) -> list[Fact]:
    """Date, models, prompt version, score mode, tokens and wall time, as far as they are known."""
    facts = [
        ("date", started(manifest)),
        ("model", model_of(manifest, tally.models, language)),
        ("reader", str(manifest.get("reader") or "")),
        ("prompt_version", ", ".join(tally.versions)),
        ("tokens", _tokens(tally, language)),
        ("wall_time", _duration(manifest.get("wall_seconds"))),
        ("scores_are", _modes(tally, language)),
    ]
    return [(say(language, name), value) for name, value in facts if value]


def settings(manifest: Mapping[str, object], language: Language = "en") -> Iterator[Fact]:
    """All that the manifest says, one line per value; long lists are counted only."""
    return _flatten("", manifest, language)


def measured_note(manifest: Mapping[str, object], language: Language) -> list[str]:
    """What is known about agreement with people and of the calibration; and of missing quotes."""
    calibration = manifest.get("calibration")
    notes = [statement(manifest, language)]
    if isinstance(calibration, Mapping) and calibration.get("measured"):
        notes.append(str(calibration["measured"]))
    if not were_asked_for(manifest):
        notes.append(NOT_ASKED[language == "zh"])
    return notes


def _flatten(name: str, value: object, language: Language) -> Iterator[Fact]:
    if isinstance(value, Mapping) and 0 < len(value) <= 40:
        for key, inner in value.items():
            yield from _flatten(f"{name}.{key}" if name else str(key), inner, language)
    elif isinstance(value, (Mapping, list, tuple)):
        yield name, say(language, "entries", n=len(value))
    else:
        yield name, "" if value is None else str(value)


def started(manifest: Mapping[str, object]) -> str:
    """The start to the minute, or as it stands where it is no ISO time."""
    value = manifest.get("started")
    try:
        return f"{datetime.fromisoformat(str(value)).astimezone(UTC):%Y-%m-%d %H:%M} UTC"
    except ValueError:
        return str(value or "")


def model_of(manifest: Mapping[str, object], models: Iterable[str], language: Language) -> str:
    """The model asked for, and what the endpoint says has answered where that differs."""
    asked, answered = manifest.get("model"), ", ".join(models)
    if not asked or asked == answered:
        return answered
    if not answered:
        return str(asked)
    return say(language, "answered_by", asked=asked, answered=answered)


def _modes(tally: Tally, language: Language) -> str:
    return ", ".join(f"{word(MODE_WORDS, mode, language)} ({mode})" for mode in tally.modes)


def _tokens(tally: Tally, language: Language) -> str:
    if not (tally.tokens_in or tally.tokens_out):
        return ""
    return say(language, "tokens_in_out", a=tally.tokens_in, b=tally.tokens_out)


def _duration(seconds: object) -> str:
    if not isinstance(seconds, (int, float)):
        return ""
    if seconds < 60:
        return f"{fixed(float(seconds), 1)} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes // 60} h {minutes % 60} min" if minutes >= 60 else f"{minutes} min {rest} s"
