"""One statement about agreement: whose labels, how far, and that a person decides."""

from __future__ import annotations

import re
from typing import Any

import pytest

from pipeline.measured import against_people, statement

SCORER = {"measured": "QWK .50", "measured_kind": "model"}


@pytest.mark.parametrize(
    ("manifest", "says", "people"),
    [
        ({}, "No agreement with people has been measured", False),
        (
            SCORER,
            "against labels by models: QWK .50. How far they agree with people has not",
            False,
        ),
        ({**SCORER, "measured_kind": "human"}, "against labels by people: QWK .50. Every", True),
        ({**SCORER, "measured_kind": "mixed"}, "partly by people, partly by models: QWK", False),
        ({"measured": "QWK .50"}, "of unknown origin: QWK .50. How far", False),
        ({"calibration": {"rater_kind": "human"}}, "Every figure", True),
        ({"calibration": {"rater_kind": "model"}}, "No agreement with people", False),
    ],
)
def test_the_statement_names_the_kind_of_labels(
    manifest: dict[str, Any], says: str, people: bool
) -> None:
    assert says in statement(manifest)
    assert against_people(manifest) is people


@pytest.mark.parametrize("kind", [None, "human", "mixed", "model", "unknown"])
def test_every_statement_is_advisory_and_said_in_both_languages(kind: str | None) -> None:
    manifest = {"measured": "QWK .50", "measured_kind": kind} if kind else {}
    english, chinese = (statement(manifest, language) for language in ("en", "zh"))
    assert english.endswith("advisory: a person decides.")
    assert chinese.endswith("由人决定。")
    assert not re.search("[\u4e00-\u9fff]", english)
    assert ("QWK .50" in chinese) is ("QWK .50" in english) is (kind is not None)
