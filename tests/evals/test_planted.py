"""Planted defects against the release rules: which rule finds which, and the honest one passes."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pandas as pd
import pytest

from evals.breakdown import breakdown_figures
from evals.figures import Setting
from evals.label_set import LabelSet
from evals.pooled import baseline_figures, pooled_figures
from evals.rules import make_checks
from evals.study import make_study
from evals.thresholds import Check, Thresholds
from pipeline.prompt import PromptSet
from tests.evals.planted import DEFECTS, make_corpus, planted, rate

EXPECTED = {"honest": set(), "lenient": {"bias", "smd"}, "constant": {"qwk", "adjacent"}}
"""Rules that must find the defect. Length, injection and English are for probes and DSM."""


def checks_of(defect: str, seed: int, prompts: PromptSet) -> list[Check]:
    """The rules on the overall for one planted grader: 50 candidates of 4 answers, two raters."""
    interviews, _, truth = make_corpus(pairs=25, items=4, seed=seed)
    grader = planted(defect, truth, seed)
    items = [(interview, item) for interview in interviews for item in interview.items]
    frame = pd.DataFrame(
        {
            "interview_id": [interview.id for interview, _ in items],
            "language": [interview.language for interview, _ in items],
            "question": [item.question for _, item in items],
            "objective": "",
            "answer": [item.answer for _, item in items],
            "status": "scored",
            "doubt": 0.0,
            "overall": [grader(item) for _, item in items],
        },
        index=[item.item_id for _, item in items],
    )
    for key in prompts.rubric.keys:
        frame[key] = float("nan")
    labels = pd.concat(
        [_labels(list(frame.index), truth, rater, 2 * seed + n) for n, rater in enumerate("ab")]
    )
    known = LabelSet(
        labels=labels, kinds={"a": "human", "b": "human"}, pairs={}, thresholds=Thresholds(),
        split="none", reads_test=False, ledger=Path("none"), notes=(),
    )  # fmt: skip
    study = make_study(frame, known, prompts.rubric, scale=(0, 5))
    setting = Setting(scale=(0, 5), draws=200, seed=seed)
    figures = [
        *pooled_figures(study, setting),
        *baseline_figures(study, setting),
        *breakdown_figures(study, setting),
    ]
    # A grader with noise .6 misses by two points now and then; what is tried here is the rest.
    return list(make_checks(figures, study, Thresholds(adjacent=0.9, qwk_low=0.5)))


def _labels(items: list[str], truth: dict[str, float], rater: str, seed: int) -> pd.DataFrame:
    scores = rate(items, truth, seed)
    return pd.DataFrame(
        {"item_id": items, "criterion": "overall", "rater": rater, "score": scores.values()}
    )


def detection(defect: str, seeds: range, prompts: PromptSet) -> Counter[str]:
    """How often each rule fails."""
    return Counter(
        check.name
        for seed in seeds
        for check in checks_of(defect, seed, prompts)
        if check.result != "pass"
    )


@pytest.mark.parametrize("defect", EXPECTED)
def test_rules_find_what_they_are_for(defect: str, prompts: PromptSet) -> None:
    """Three seeds here; docs/evals.md has twenty."""
    found = detection(defect, range(3), prompts)
    assert set(DEFECTS) >= set(EXPECTED)
    for rule in EXPECTED[defect]:
        assert found[rule] == 3, found
    if defect == "honest":
        assert sum(found.values()) <= 1, found
