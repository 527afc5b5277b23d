"""Characters that cannot be seen: marked, and never let loose on a page or a terminal."""

from __future__ import annotations

import re
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.report.environment import visible
from pipeline.visible import odd_runs, on_one_line, plain

TEXTS = st.text(
    st.sampled_from("ab 中\u202e\u2066\u200b\ufeff\u200d🧪\x1b\x07\x9b<&\n\r\t\U000e0041")
)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain 中文\n\ttext", "plain 中文\n\ttext"),
        ("a\u202eb", "a⟨U+202E⟩b"),
        ("a\u200b\u200b\u200bb", "a⟨U+200B ×3⟩b"),
        ("\x1b[31mred", "⟨U+001B⟩[31mred"),
        ("\x9b31m", "⟨U+009B⟩31m"),
        ("a\r\nb\rc\u2028d", "a\nb\nc\nd"),
        ("👩\u200d💻 é\u00ad", "👩\u200d💻 é\u00ad"),
        ("\U000e0041\U000e0042", "⟨U+E0041 ×2⟩"),
    ],
)
def test_plain_names_what_cannot_be_seen(text: str, shown: str) -> None:
    assert plain(text) == shown


@given(TEXTS)
def test_a_page_keeps_the_text_as_it_is(text: str) -> None:
    html = str(visible(text))
    assert unescape(re.sub(r"<[^>]*>", "", html)) == text
    for start, end in odd_runs(text):
        assert f">{text[start:end]}</bdi>" in html


@given(TEXTS)
def test_a_terminal_gets_no_control_character(text: str) -> None:
    assert not set("\u202e\u2066\u200b\x1b\x07\x9b\r\U000e0041") & set(plain(text))
    assert "\n" not in on_one_line(text, 20)
    assert len(on_one_line(text, 20)) <= 20
