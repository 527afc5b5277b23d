"""How much of what identifies a person is found, on invented people; printed, with its n."""

from __future__ import annotations

from collections import Counter

import pytest

from pipeline.redact import Numbering, Redaction, redact
from tests.identities import Identity, identities

PEOPLE = 240
FORMLESS = {("name", "given name alone"), ("wechat", "not announced")}
"""Forms that no pattern can tell from ordinary words: they belong into --redact-list."""


def is_found(one: Identity) -> bool:
    """Whether every character of the mention gave way to a placeholder."""
    start = one.text.index(one.secret)
    shown = redact(one.text, Redaction(), one.candidate, Numbering())
    hidden = {
        place for piece in shown.pieces for place in range(piece.source_start, piece.source_end)
    }
    return hidden >= set(range(start, start + len(one.secret)))


def test_recall_on_invented_people(capsys: pytest.CaptureFixture[str]) -> None:
    asked: Counter[tuple[str, str, str]] = Counter()
    found: Counter[tuple[str, str, str]] = Counter()
    for one in identities(PEOPLE):
        assert one.secret in one.text
        key = (one.kind, one.form, one.language)
        asked[key] += 1
        found[key] += is_found(one)
    usual = [key for key in asked if key[:2] not in FORMLESS]
    hits, all_ = sum(found[key] for key in usual), sum(asked[key] for key in usual)
    with capsys.disabled():
        print(f"\nRedaction on {PEOPLE} invented people, {sum(asked.values())} mentions:")
        for key in sorted(asked):
            print(f"  {'/'.join(key):35} {found[key]:4} of {asked[key]:4}")
        print(f"  usual forms: {hits} of {all_}")
    assert hits / all_ >= 0.98
