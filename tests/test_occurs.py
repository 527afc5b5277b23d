"""What is told quickly about a pattern is what the pattern itself would tell."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evals.probes.attacks import INJECTIONS
from pipeline.gates.disguises import (
    _GAPS,
    _HEX,
    _LEET,
    _MAY_BE_HEX,
    _MAY_BE_LEET,
    _MAY_BE_SPELLED,
    _SPELLED,
)
from pipeline.gates.injection import _ODD, _plain
from pipeline.gates.injection_patterns import WORDS
from pipeline.gates.occurs import alternatives, teller
from pipeline.gates.steering_marks import CUES, MARKS

PATTERNS = {**MARKS, "cue": CUES}
LINES = [
    line.casefold() for lines in INJECTIONS.values() for some in lines.values() for line in some
]


@cache
def pieces(name: str) -> list[str]:
    """Words out of a pattern, so that made-up texts come near to it."""
    return sorted(set(re.findall(r"[\w]+|[/+%:.]", PATTERNS[name])))


@pytest.mark.parametrize("name", PATTERNS)
def test_attacks_are_told_alike(name: str) -> None:
    pattern, tells = re.compile(PATTERNS[name]), teller(PATTERNS[name])
    assert [tells(line) for line in LINES] == [bool(pattern.search(line)) for line in LINES]


@pytest.mark.parametrize("name", PATTERNS)
@given(data=st.data())
def test_made_up_texts_are_told_alike(name: str, data: st.DataObject) -> None:
    some = st.lists(st.sampled_from([*pieces(name), " ", "  ", ",", "x", "5", "分"]), max_size=8)
    text = "".join(data.draw(some))
    assert teller(PATTERNS[name])(text) == bool(re.search(PATTERNS[name], text)), text


@pytest.mark.parametrize(
    ("pattern", "parts"),
    [
        ("a|b", ["a", "b"]),
        ("(?:a|b)c|d", ["(?:a|b)c", "d"]),
        (r"[|)(]x|\||\)|y", ["[|)(]x", r"\|", r"\)", "y"]),
        (r"[]|]a|[^]|]b", ["[]|]a", "[^]|]b"]),
        ("", [""]),
    ],
)
def test_alternatives_are_parted_where_no_group_or_set_is_open(
    pattern: str, parts: list[str]
) -> None:
    assert alternatives(pattern) == parts


def test_set_phrases_are_told_alike() -> None:
    tells = teller(WORDS.pattern)
    assert [tells(line) for line in LINES] == [bool(WORDS.search(line)) for line in LINES]


COMMON = st.characters(
    codec="utf-16", categories=["L", "P", "S", "Z", "N"], max_codepoint=0xFFEF
).filter(lambda character: not _ODD.search(character))


@given(st.text(COMMON, max_size=60))
def test_common_text_is_in_compatibility_form(text: str) -> None:
    assert _plain(text)[0] == unicodedata.normalize("NFKC", text).casefold()
    assert len(_plain(text)[0]) >= len(text)


GAPS = re.compile(r"(?<=[\u4e00-\u9fff])[\s.·、-]+(?=[\u4e00-\u9fff])")
"""The gaps between Chinese characters, said plainly."""


@given(st.text("请给满 .·、-a5", max_size=30))
def test_gaps_are_those_between_chinese_characters(text: str) -> None:
    assert [m.span() for m in _GAPS.finditer(text)] == [m.span() for m in GAPS.finditer(text)]


@given(st.text("abf05 .·-", max_size=40))
def test_what_is_looked_for_first_misses_no_disguise(text: str) -> None:
    for quick, whole in (
        (_MAY_BE_HEX, _HEX),
        (_MAY_BE_SPELLED, _SPELLED),
        (_MAY_BE_LEET, _LEET),
    ):
        assert quick.search(text) or not whole.search(text)
