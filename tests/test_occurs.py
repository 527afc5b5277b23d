"""What is told quickly about a pattern is what the pattern itself would tell."""

from __future__ import annotations

import re
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evals.probes.attacks import INJECTIONS
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
