"""Records: frozen, closed, always encodable, and the same after a round trip."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from pipeline.records import (
    COUNTED,
    FAILED,
    STATUSES,
    Interview,
    Item,
    Message,
    Messages,
    Outcome,
    Reply,
)


def item(**fields: object) -> Item:
    return Item.model_validate({"item_id": "a#1", "question": "q", "answer": "x", **fields})


def test_a_record_cannot_be_changed() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        item().answer = "other"


def test_an_unknown_field_is_refused() -> None:
    with pytest.raises(ValidationError, match="Extra inputs are not permitted"):
        item(score=5)


def test_an_unknown_status_is_refused() -> None:
    with pytest.raises(ValidationError):
        Outcome.model_validate({"item_id": "a#1", "interview_id": "a", "status": "done"})


def test_statuses_fall_into_counted_failed_missing_and_not_run() -> None:
    assert {"scored", "blank", "copied"} == COUNTED
    assert COUNTED | FAILED | {"missing", "not_run"} == set(STATUSES)
    assert not COUNTED & FAILED


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("a\ud83db", "a\ufffdb"),
        ("\udc00", "\ufffd"),
        ("\ud83d\ude00", "😀"),
        ("\ud83d\ud83d\ude00", "\ufffd😀"),
        ("a\0b", "a\0b"),
    ],
)
def test_a_lone_surrogate_becomes_a_replacement_character(given: str, kept: str) -> None:
    assert item(answer=given).answer == item(question=given).question == kept
    assert Reply(text=given).text == kept


@given(text=st.text(alphabet=st.characters()))
def test_any_text_of_an_item_can_be_encoded(text: str) -> None:
    one = item(question=text, objective=text, answer=text, number=text)
    assert one.model_dump_json().encode("utf-8")


def test_an_empty_and_an_absent_answer_stay_apart_in_a_round_trip() -> None:
    pair = (item(answer=""), item(answer=None))
    read = tuple(Item.model_validate_json(one.model_dump_json()) for one in pair)
    assert read == pair
    assert [one.answer for one in read] == ["", None]


@pytest.mark.parametrize("number", [None, 3, "3", "三", "3.1"])
def test_a_number_stays_as_printed(number: int | str | None) -> None:
    kept = item(number=number).number
    assert (kept, type(kept)) == (number, type(number))


@pytest.mark.parametrize("years", [None, 3, 2.5, "3", "三年"])
def test_years_stay_a_number_or_text_as_given(years: float | str | None) -> None:
    kept = Interview(id="a", source="a", years_experience=years, items=()).years_experience
    assert (kept, type(kept)) == (years, type(years))


def test_two_items_do_not_share_their_source_scores() -> None:
    first, second = item(), item()
    first.source_scores["评分"] = "5"
    assert second.source_scores == item().source_scores == {}


def test_messages_iterate_over_their_turns() -> None:
    turns = (Message(role="system", content="s"), Message(role="user", content="u"))
    messages = Messages(turns=turns)
    assert (tuple(messages), len(messages), messages[-1]) == (turns, 2, turns[1])
