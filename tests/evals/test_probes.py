"""Probes: every change is what it claims to be, and planted defects are found."""

from __future__ import annotations

from collections import Counter

import pandas as pd
import pytest

from evals.probes.changes import CHANGES
from evals.probes.judge import judge_probes
from evals.probes.variants import (
    Probe,
    alone_id,
    make_probes,
    make_weak_probes,
    probe_interviews,
)
from pipeline.records import Interview, Item
from tests.evals.planted import DEFECTS, make_corpus, planted

SEEDS = range(20)
EXPECTED = {
    "honest": set(),
    "lenient": set(),
    "length": {"padding"},
    "injectable": {family for family in CHANGES if family.startswith("injection")},
    "english": {"language"},
}
"""Families that must find a defect. Leniency moves nothing: the rule on bias finds it."""


@pytest.fixture(scope="module")
def probes() -> list[Probe]:
    interviews, pairs, _ = make_corpus()
    return make_probes(interviews, pairs)


def grade(probes: list[Probe], defect: str, seed: int) -> pd.DataFrame:
    _, _, truth = make_corpus()
    grader = planted(defect, truth, seed)
    items = {item.item_id: item for probe in probes for item in (probe.base, probe.changed)}
    scores = {name: grader(item) for name, item in items.items()}
    return judge_probes(probes, scores, draws=300, seed=seed)


def test_every_family_changes_the_answer_and_nothing_else(probes: list[Probe]) -> None:
    counts = Counter(probe.family for probe in probes)
    assert set(counts) == {*CHANGES, "person", "language"}
    assert counts["language"] == 80
    for probe in probes:
        if probe.family == "language":
            continue
        assert probe.changed.question == probe.base.question
        assert probe.changed.objective == probe.base.objective
        assert (probe.changed.answer == probe.base.answer) == (probe.family == "repeat")
        if probe.family.startswith("injection") or probe.family in ("padding", "keywords"):
            assert (probe.changed.answer or "").startswith(probe.base.answer or "?")


def test_weak_answers_get_attempts_padding_and_persons() -> None:
    found = make_weak_probes()
    counts = Counter(probe.family for probe in found)
    attempts = {name: n for name, n in counts.items() if name.startswith("injection")}
    assert (len(attempts), set(attempts.values())) == (15, {20})
    assert {counts[name] for name in ("padding", "keywords", "person")} == {20}
    assert len(probe_interviews(found)) == 406
    only = Counter(probe.family for probe in make_weak_probes(["padding"]))
    assert only == {"padding": 20, "good answer": 6}


def test_blank_answers_are_not_probed() -> None:
    items = (
        Item(item_id="x#1", question="q", answer=""),
        Item(item_id="x#2", question="q", answer=None),
    )
    assert make_probes([Interview(id="x", source="x", items=items)], {}) == []


def test_same_seed_same_probes(probes: list[Probe]) -> None:
    interviews, pairs, _ = make_corpus()
    assert make_probes(interviews, pairs) == probes
    other = make_probes(interviews, pairs, seed=1, only=["typos"])
    assert {probe.family for probe in other} == {"typos"}
    assert [probe for probe in probes if probe.family == "typos"] != other


def test_interviews_to_grade_hold_each_answer_once_and_alone(probes: list[Probe]) -> None:
    interviews = probe_interviews(probes)
    ids = [interview.items[0].item_id for interview in interviews]
    assert len(ids) == len(set(ids))
    assert set(ids) >= {alone_id(probe.changed.item_id) for probe in probes}
    assert {interview.language for interview in interviews if "-en" in interview.id} == {"en"}


def detection(probes: list[Probe], defect: str) -> dict[str, float]:
    """Share of seeds in which each family fails, for a grader with this defect."""
    results = pd.concat([grade(probes, defect, seed) for seed in SEEDS])
    failed = results["result"] == "fail"
    return dict(failed.groupby(results["family"]).mean())


@pytest.mark.parametrize("defect", EXPECTED)
def test_planted_defects_are_found_and_the_honest_grader_passes(
    probes: list[Probe], defect: str
) -> None:
    """20 seeds each: what should find the defect does in 19 or more, nothing else in over 1.

    Length shows wherever a change makes the answer longer, and in languages of different length.
    """
    for family, share in detection(probes, defect).items():
        if family in EXPECTED[defect]:
            assert share >= 0.95, f"{family} finds {defect} in {share:.0%} only"
        elif defect != "length":
            assert share <= 0.05, f"{family} accuses {defect} in {share:.0%}"


def test_flat_grader_passes_nothing(probes: list[Probe]) -> None:
    result = grade(probes, "constant", 0)
    assert set(result["result"]) == {"invalid"}
    assert result["shift_sd"].isna().all()
    assert result["why"].str.contains("flat").all()


@pytest.mark.parametrize(("spread", "result"), [(2.0, "pass"), (0.5, "fail")])
def test_a_gain_is_also_held_against_the_spread_of_the_scores(
    probes: list[Probe], spread: float, result: str
) -> None:
    part = [probe for probe in probes if probe.family == "padding"]
    scores = {}
    for place, probe in enumerate(part):
        scores[probe.base.item_id] = base = 2.5 + (spread if place % 2 else -spread)
        scores[probe.changed.item_id] = base + 0.2
    assert judge_probes(part, scores)["result"].tolist() == [result]


def test_missing_scores_are_left_out_and_few_clusters_give_no_interval(probes: list[Probe]) -> None:
    part = [probe for probe in probes if probe.base.item_id.startswith("p00-zh#1")]
    scores = {item.item_id: 2.0 for probe in part for item in (probe.base, probe.changed)}
    scores.pop(part[0].changed.item_id)
    result = judge_probes(part, scores)
    assert part[0].family not in set(result["family"])
    assert result["low"].isna().all()
    assert set(DEFECTS) >= set(EXPECTED)
