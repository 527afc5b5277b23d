"""The verdict: what passes, what fails, and what settles nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from evals.thresholds import Thresholds, at_least, at_most, read_thresholds, verdict, within
from pipeline.errors import ConfigError
from tests.conftest import ROOT

GOOD = at_least("qwk", 0.8, 0.7, 100)
BAD = at_least("qwk", 0.6, 0.7, 100)
UNDEFINED = at_least("qwk", None, 0.7, 100, "no variation")


@pytest.mark.parametrize(
    ("checks", "n", "human", "accept", "expected"),
    [
        ([GOOD], 100, True, False, "PASS"),
        ([GOOD, BAD], 100, True, False, "FAIL"),
        ([GOOD, UNDEFINED], 100, True, False, "INCONCLUSIVE"),
        ([BAD, UNDEFINED], 100, True, False, "FAIL"),
        ([GOOD], 49, True, False, "INCONCLUSIVE"),
        ([BAD], 49, True, False, "INCONCLUSIVE"),
        ([], 0, True, True, "INCONCLUSIVE"),
        ([GOOD], 100, False, False, "INCONCLUSIVE"),
        ([BAD], 100, False, False, "FAIL"),
        ([GOOD], 100, False, True, "PASS"),
    ],
)
def test_verdict(checks: list[object], n: int, human: bool, accept: bool, expected: str) -> None:
    found, reasons = verdict(
        checks,
        n=n,
        min_items=50,
        human=human,
        accept_model_labels=accept,  # type: ignore[arg-type]
    )
    assert found == expected
    assert bool(reasons) == (expected != "PASS" or accept)


def test_rules_hold_at_their_limits() -> None:
    assert at_least("x", 0.7, 0.7, 1).result == "pass"
    assert at_most("x", 0.1, 0.1, 1).result == "pass"
    assert within("x", -0.15, 0.15, 1).result == "pass"
    assert within("x", -0.16, 0.15, 1).result == "fail"
    assert within("x", None, 0.15, 1).result == "undefined"


def test_file_of_the_repository_holds_the_defaults() -> None:
    assert read_thresholds(ROOT / "seeds" / "thresholds.yaml") == Thresholds()


def test_rules_can_be_switched_off_and_slips_are_named(write: Callable[[str, str], Path]) -> None:
    assert read_thresholds(write("t.yaml", "degradation: null\n")).degradation is None
    assert read_thresholds(write("empty.yaml", "")) == Thresholds()
    with pytest.raises(ConfigError, match=r"line 2: qkw: "):
        read_thresholds(write("t.yaml", "smd: 0.2\nqkw: 0.7\n"))
