"""Arithmetic: means, caps, candidates and recommendations, in Decimal and rounded half up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.flags import FLAGS
from pipeline.prompt import PromptSet
from pipeline.records import (
    STATUSES,
    Candidate,
    Criterion,
    CriterionVerdict,
    Grade,
    Interview,
    Item,
    Outcome,
    Rubric,
    Verdict,
)
from pipeline.scoring import (
    caps_that_apply,
    flags_of_grade,
    grade_candidate,
    grade_verdict,
    half_up,
    weighted_mean,
    zero_grade,
)
from tests.scripted import KEYS

ANSWER = "索引不是白给的，写入时要多维护一棵树。我在订单表上试过，从 1.2 秒变成 2.1 秒。"
QUOTE = "写入时要多维护一棵树"

scores_by_key = st.fixed_dictionaries(
    dict.fromkeys(KEYS, st.decimals(0, 5, places=2, allow_nan=False, allow_infinity=False))
)


@pytest.fixture
def rubric(prompts: PromptSet) -> Rubric:
    return prompts.rubric


def verdict_of(scores: Mapping[str, int] | int, quote: str = QUOTE) -> Verdict:
    points = dict.fromkeys(KEYS, scores) if isinstance(scores, int) else scores
    return Verdict(
        criteria={
            key: CriterionVerdict(quote=quote, problems="", rationale="because", score=score)
            for key, score in points.items()
        }
    )


def graded(rubric: Rubric, scores: Mapping[str, Decimal | int | str]) -> Grade:
    """The grade of an answer with these scores, as the expected mode would give them."""
    exact = {key: Decimal(value) for key, value in scores.items()}
    return grade_verdict(verdict_of(3), ANSWER, rubric, mode="expected", scores=exact)


def five(*scores: int | str) -> dict[str, int | str]:
    return dict(zip(KEYS, scores, strict=True))


@pytest.mark.parametrize(
    ("value", "places", "rounded"),
    [
        ("2.25", 1, "2.3"),
        ("2.35", 1, "2.4"),
        ("2.2499999", 1, "2.2"),
        ("2.05", 1, "2.1"),
        ("4.95", 1, "5.0"),
        ("0", 1, "0.0"),
        ("0.05", 1, "0.1"),
        ("1.5", 0, "2"),
        ("1.49", 0, "1"),
        ("2.5", 0, "3"),
        ("2.125", 2, "2.13"),
    ],
)
def test_half_up_rounds_a_tie_away_from_zero(value: str, places: int, rounded: str) -> None:
    assert str(half_up(Decimal(value), places)) == rounded


# relevance, correctness, depth, evidence, clarity -> uncapped, unrounded capped, overall
OVERALLS = [
    (five(5, 5, 5, 5, 5), "5", "5", "5.0"),
    (five(0, 0, 0, 0, 0), "0", "0", "0.0"),
    (five(3, 3, 3, 3, 3), "3", "3", "3.0"),
    (five(4, 3, 3, 2, 2), "2.95", "2.95", "3.0"),
    (five(3, 3, 2, 2, 2), "2.55", "2.55", "2.6"),
    (five(2, 3, 1, 1, 2), "2.00", "2.00", "2.0"),
    (five(1, 5, 5, 5, 5), "4.2", "1", "1.0"),
    (five(0, 5, 5, 5, 5), "4", "1", "1.0"),
    (five(2, 5, 5, 5, 5), "4.4", "4.4", "4.4"),
    (five(5, 1, 5, 5, 5), "3.6", "2", "2.0"),
    (five(5, 0, 5, 5, 5), "3.25", "2", "2.0"),
    (five(5, 2, 5, 5, 5), "3.95", "3", "3.0"),
    (five(5, 3, 5, 5, 5), "4.3", "4.3", "4.3"),
    (five(1, 1, 5, 5, 5), "2.8", "1", "1.0"),
    (five(1, 1, 0, 0, 0), "0.55", "0.55", "0.6"),
    (five("1.49", 5, 5, 5, 5), "4.298", "1", "1.0"),
    (five("1.5", 5, 5, 5, 5), "4.3", "4.3", "4.3"),
    (five(5, "1.49", 5, 5, 5), "3.7715", "2", "2.0"),
    (five(5, "1.50", 5, 5, 5), "3.775", "3", "3.0"),
    (five(5, "2.49", 5, 5, 5), "4.1215", "3", "3.0"),
    (five(5, "2.5", 5, 5, 5), "4.125", "4.125", "4.1"),
]


@pytest.mark.parametrize(("scores", "uncapped", "capped", "overall"), OVERALLS)
def test_overall_is_the_weighted_mean_under_the_caps(
    rubric: Rubric, scores: dict[str, str], uncapped: str, capped: str, overall: str
) -> None:
    grade = graded(rubric, scores)
    assert grade.overall_uncapped == Decimal(uncapped)
    assert grade.overall_capped == Decimal(capped)
    assert str(grade.overall) == overall


@given(scores=scores_by_key)
def test_overall_stays_on_the_scale_and_caps_only_lower(
    prompts: PromptSet, scores: dict[str, Decimal]
) -> None:
    grade = graded(prompts.rubric, scores)
    assert 0 <= grade.overall_capped <= grade.overall_uncapped <= 5
    assert min(scores.values()) <= grade.overall_uncapped <= max(scores.values())
    assert abs(grade.overall - grade.overall_capped) <= Decimal("0.05")
    assert not grade.overall.is_signed()


@given(scores=scores_by_key, key=st.sampled_from(KEYS), more=st.decimals(0, 5, places=2))
def test_a_higher_score_never_lowers_the_overall(
    prompts: PromptSet, scores: dict[str, Decimal], key: str, more: Decimal
) -> None:
    higher = {**scores, key: min(scores[key] + more, Decimal(5))}
    before, after = graded(prompts.rubric, scores), graded(prompts.rubric, higher)
    assert after.overall_capped >= before.overall_capped
    assert after.overall_uncapped >= before.overall_uncapped


def test_a_criterion_that_is_not_asked_for_has_no_score_and_its_weight_is_shared_out(
    rubric: Rubric,
) -> None:
    without = {"relevance": "0.25", "correctness": "0.4", "depth": "0.25", "clarity": "0.1"}
    weights = {**rubric.weights, "concept": {k: Decimal(w) for k, w in without.items()}}
    other = rubric.model_copy(update={"weights": weights})
    grade = grade_verdict(
        verdict_of({**dict.fromkeys(KEYS, 4), "evidence": 0}),
        ANSWER,
        other,
        mode="verdict",
        profile="concept",
    )
    assert {c.key: c.score for c in grade.criteria}["evidence"] is None
    assert (grade.overall_uncapped, str(grade.overall)) == (Decimal(4), "4.0")


def test_weights_of_missing_scores_are_redistributed_in_proportion() -> None:
    weights = {"a": Decimal("0.5"), "b": Decimal("0.3"), "c": Decimal("0.2")}
    mean = weighted_mean({"a": Decimal(4), "b": Decimal(0)}, weights)
    assert mean == Decimal("2.5")


def test_a_criterion_without_a_score_caps_nothing(rubric: Rubric) -> None:
    assert caps_that_apply({"relevance": Decimal(5)}, rubric) == []
    assert caps_that_apply({"correctness": Decimal(1)}, rubric) == [Decimal(2), Decimal(3)]


def test_another_rubric_counts_by_its_own_keys_scale_and_caps() -> None:
    rubric = Rubric(
        name="small",
        scale=(1, 4),
        criteria=tuple(Criterion(key=k, names={}, anchors={}) for k in ("a", "b", "c")),
        weights={"default": {"a": Decimal("0.5"), "b": Decimal("0.25"), "c": Decimal("0.25")}},
    )
    opinions = {
        key: CriterionVerdict(quote="", problems="", rationale="", score=score)
        for key, score in {"a": 1, "b": 4, "c": 3}.items()
    }
    grade = grade_verdict(Verdict(criteria=opinions), "x", rubric, mode="verdict")
    assert (grade.overall_capped, str(grade.overall)) == (Decimal("2.25"), "2.3")


def test_a_zero_grade_is_zero_throughout(rubric: Rubric) -> None:
    grade = zero_grade(rubric)
    assert [(c.key, c.score, c.quote, c.match) for c in grade.criteria] == [
        (key, Decimal(0), "", "none") for key in KEYS
    ]
    assert (str(grade.overall), grade.overall_capped, grade.overall_uncapped) == ("0.0", 0, 0)
    assert grade.score_mode == "gate"


def test_a_verdict_keeps_its_words_and_says_where_its_quote_stands(rubric: Rubric) -> None:
    grade = grade_verdict(verdict_of(4), ANSWER, rubric, mode="verdict")
    one = grade.criteria[0]
    assert one.span is not None
    assert ANSWER[slice(*one.span)] == one.quote == QUOTE
    assert (one.match, one.score, one.rationale) == ("exact", Decimal(4), "because")


@pytest.mark.parametrize(
    ("score", "quote", "flags"),
    [
        (4, QUOTE, ()),
        (2, "", ()),
        (3, "", ("unsupported_credit",)),
        (2, "这句话并不在回答里", ("quote_not_found",)),
        (3, "这句话并不在回答里", ("unsupported_credit", "quote_not_found")),
        (3, "。", ("unsupported_credit", "quote_not_found")),
        (
            4,
            "索引不是白给的写入时要多维护一颗树我在订单表上试过从1.2秒变成2.1秒",
            ("quote_approximate",),
        ),
    ],
)
def test_flags_of_a_grade_say_how_its_quotes_were_found(
    rubric: Rubric, score: int, quote: str, flags: tuple[str, ...]
) -> None:
    grade = grade_verdict(verdict_of(score, quote), ANSWER, rubric, mode="verdict")
    assert flags_of_grade(grade) == flags


@pytest.mark.parametrize("quote", ["", "这句话并不在回答里", QUOTE])
def test_a_quote_never_changes_a_score(rubric: Rubric, quote: str) -> None:
    grade = grade_verdict(verdict_of(5, quote), ANSWER, rubric, mode="verdict")
    assert str(grade.overall) == "5.0"


def test_expected_scores_of_two_point_five_need_no_quote(rubric: Rubric) -> None:
    scores = dict.fromkeys(KEYS, Decimal("2.99"))
    grade = grade_verdict(verdict_of(3, ""), ANSWER, rubric, mode="expected", scores=scores)
    assert flags_of_grade(grade) == ()


# Candidates: each letter is an item; s with its overall is scored, the others by status.


def candidate(
    rubric: Rubric,
    statuses: Sequence[str],
    overalls: Sequence[str] = (),
    flags: Mapping[int, tuple[str, ...]] | None = None,
) -> Candidate:
    """A candidate whose items ended so; scored items take the next of `overalls`, or 4."""
    left = list(overalls)
    items, outcomes = [], {}
    for position, status in enumerate(statuses, start=1):
        item = Item(item_id=f"a#{position}", question="问题？", answer=ANSWER)
        items.append(item)
        grade = None
        if status in ("blank", "copied"):
            grade = zero_grade(rubric)
        if status == "scored":
            grade = with_capped(rubric, Decimal(left.pop(0)) if left else Decimal(4))
        if status != "not_run":
            outcomes[item.item_id] = Outcome.model_validate(
                {
                    "item_id": item.item_id,
                    "interview_id": "a",
                    "status": status,
                    "grade": grade,
                    "flags": (flags or {}).get(position, ()),
                }
            )
    interview = Interview(id="a", source="a.txt", role="后端", years_experience=3, items=items)
    return grade_candidate(interview, outcomes, rubric)


def with_capped(rubric: Rubric, capped: Decimal) -> Grade:
    update = {"overall_capped": capped, "overall": half_up(capped)}
    return zero_grade(rubric).model_copy(update={**update, "score_mode": "verdict"})


def test_a_candidate_counts_blank_as_zero_and_shows_coverage_and_both_means(
    rubric: Rubric,
) -> None:
    result = candidate(rubric, ["scored"] * 8 + ["blank", "copied"])
    assert (result.asked, result.answered, result.graded) == (10, 8, 10)
    assert result.coverage == Decimal("0.8")
    assert (str(result.overall), str(result.overall_answered_only)) == ("3.2", "4.0")
    assert (result.recommendation, result.reasons) == ("MIXED", ())
    assert (result.interview_id, result.role, result.years_experience) == ("a", "后端", 3)


def test_the_overall_is_the_mean_of_unrounded_overalls_rounded_once(rubric: Rubric) -> None:
    """Rounded first, these would give 3.3."""
    result = candidate(rubric, ["scored"] * 2, ["3.24", "3.25"])
    assert str(result.overall) == "3.2"


@pytest.mark.parametrize(
    ("overalls", "overall"), [(["2.2", "2.3"], "2.3"), (["2.3", "2.4"], "2.4"), (["0"], "0.0")]
)
def test_a_candidates_overall_is_rounded_half_up(
    rubric: Rubric, overalls: list[str], overall: str
) -> None:
    assert str(candidate(rubric, ["scored"] * len(overalls), overalls).overall) == overall


@pytest.mark.parametrize(
    ("overall", "recommendation"),
    [
        ("5", "STRONG_YES"),
        ("4.3", "STRONG_YES"),
        ("4.25", "STRONG_YES"),
        ("4.24", "YES"),
        ("3.5", "YES"),
        ("3.45", "YES"),
        ("3.44", "MIXED"),
        ("2.8", "MIXED"),
        ("2.74", "NO"),
        ("2.0", "NO"),
        ("1.94", "STRONG_NO"),
        ("0", "STRONG_NO"),
    ],
)
def test_the_recommendation_follows_the_cuts_of_the_rounded_overall(
    rubric: Rubric, overall: str, recommendation: str
) -> None:
    result = candidate(rubric, ["scored"], [overall])
    assert (result.recommendation, result.reasons) == (recommendation, ())


def test_coverage_of_exactly_seventy_percent_is_enough(rubric: Rubric) -> None:
    result = candidate(rubric, ["scored"] * 7 + ["blank"] * 3)
    assert (result.coverage, result.recommendation) == (Decimal("0.7"), "MIXED")


def test_coverage_just_below_is_not_enough_and_is_given_in_items(rubric: Rubric) -> None:
    result = candidate(rubric, ["scored"] * 23 + ["blank"] * 10)
    assert result.recommendation == "NO_DECISION"
    assert result.reasons == ("23 of 33 questions are answered (at least 70% needed)",)


@pytest.mark.parametrize("status", sorted(set(STATUSES) - {"scored", "blank", "copied"}))
def test_an_item_without_an_outcome_that_counts_blocks_and_is_in_no_mean(
    rubric: Rubric, status: str
) -> None:
    result = candidate(rubric, ["scored"] * 9 + [status])
    assert (str(result.overall), result.graded) == ("4.0", 9)
    assert result.recommendation == "NO_DECISION"
    assert result.reasons == (f"item 10: no score ({status})",)
    assert result.answered == (9 if status == "missing" else 10)


def test_an_item_not_run_yet_that_is_blank_does_not_count_as_answered(rubric: Rubric) -> None:
    item = Item(item_id="a#1", question="问题？", answer="。")
    result = grade_candidate(Interview(id="a", source="a.txt", items=(item,)), {}, rubric)
    assert (result.asked, result.answered, result.graded) == (1, 0, 0)


def test_without_any_grade_there_is_no_overall_and_never_a_zero(rubric: Rubric) -> None:
    result = candidate(rubric, ["endpoint_error", "missing"])
    assert (result.overall, result.overall_answered_only) == (None, None)
    assert (result.recommendation, len(result.reasons)) == ("NO_DECISION", 3)


def test_all_blank_is_zero_with_no_mean_of_answered_items(rubric: Rubric) -> None:
    result = candidate(rubric, ["blank", "blank"])
    assert (str(result.overall), result.overall_answered_only) == ("0.0", None)
    assert result.coverage == 0
    assert result.recommendation == "NO_DECISION"


def test_an_interview_without_items_has_neither_coverage_nor_overall(rubric: Rubric) -> None:
    result = grade_candidate(Interview(id="a", source="a.txt", items=()), {}, rubric)
    assert (result.asked, result.coverage, result.overall) == (0, None, None)
    assert (result.recommendation, result.reasons) == ("NO_DECISION", ("no items",))


@pytest.mark.parametrize("flag", sorted(FLAGS))
def test_a_flag_blocks_by_the_table_and_never_changes_a_score(rubric: Rubric, flag: str) -> None:
    result = candidate(rubric, ["scored"] * 4, flags={2: (flag,)})
    assert str(result.overall) == "4.0"
    if FLAGS[flag][1]:
        assert (result.recommendation, result.reasons) == ("NO_DECISION", (f"item 2: flag {flag}",))
    else:
        assert (result.recommendation, result.reasons) == ("YES", ())


@pytest.mark.parametrize(
    ("positions", "blocks"), [((1, 2), True), ((2, 3, 4), True), ((1, 3), False), ((4,), False)]
)
def test_mismatches_block_only_in_a_row(
    rubric: Rubric, positions: tuple[int, ...], blocks: bool
) -> None:
    flags = dict.fromkeys(positions, ("mismatch",))
    result = candidate(rubric, ["scored"] * 4, flags=flags)
    assert (result.recommendation == "NO_DECISION") is blocks
    assert [reason for reason in result.reasons if "shifted" in reason] == list(result.reasons)


def test_every_reason_is_given(rubric: Rubric) -> None:
    result = candidate(
        rubric,
        ["scored", "blank", "missing", "endpoint_error", "not_run"],
        flags={1: ("injection", "truncated_end")},
    )
    assert len(result.reasons) == 5
    assert all(any(str(n) in reason for reason in result.reasons) for n in (1, 3, 4, 5))


def test_an_overall_below_all_cuts_is_no_decision_with_a_reason(rubric: Rubric) -> None:
    short = rubric.model_copy(update={"cuts": rubric.cuts[:2]})
    result = candidate(short, ["scored"], ["2"])
    assert result.recommendation == "NO_DECISION"
    assert result.reasons == ("the rubric has no recommendation for this overall",)
