"""The table of flags: its names, and which of them block a recommendation."""

from __future__ import annotations

from pipeline.flags import FLAGS, blocking

BLOCKING = "injection truncated_start prompt_doubt unsupported_credit spread".split()
NOT_BLOCKING = (
    "mismatch truncated_end question_echo repetition padding other_language code_only "
    "duplicate_answer hidden_characters quote_not_found quote_approximate self_contradiction "
    "repaired over_length low_confidence"
).split()


def test_the_table_holds_exactly_the_flags_of_the_design() -> None:
    assert sorted(FLAGS) == sorted(BLOCKING + NOT_BLOCKING)


def test_the_blocking_flags_are_those_of_the_design() -> None:
    assert [flag for flag, (_, blocks) in FLAGS.items() if blocks] == BLOCKING


def test_blocking_keeps_the_order_given_and_passes_over_unknown_names() -> None:
    given = ("spread", "padding", "no_such_flag", "injection")
    assert blocking(given) == ("spread", "injection")


def test_every_flag_says_what_it_means() -> None:
    meanings = [meaning for meaning, _ in FLAGS.values()]
    assert all(meanings)
    assert len(set(meanings)) == len(meanings)
