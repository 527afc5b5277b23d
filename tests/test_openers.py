"""The characters that the dense pattern is looked for at are all with which it can begin."""

from __future__ import annotations

import re
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

from pipeline.gates.injection_patterns import _DENSE, OPENERS


def firsts(sequence: Any) -> tuple[set[str], bool]:
    """The characters with which a match can begin, and whether it can be empty."""
    found: set[str] = set()
    for code, value in sequence:
        if code is codes.LITERAL:
            return found | {chr(value)}, False
        if code is codes.IN:
            for kind, character in value:
                assert kind is codes.LITERAL, kind
                found.add(chr(character))
            return found, False
        if code in (codes.AT, codes.ASSERT, codes.ASSERT_NOT):
            continue
        parts, least = inner(code, value)
        found |= set().union(*(some for some, _ in parts))
        if least and not any(empty for _, empty in parts):
            return found, False
    return found, True


def inner(code: Any, value: Any) -> tuple[list[tuple[set[str], bool]], int]:
    """The same of what a group or a repetition holds, and how often it comes at least."""
    if code is codes.BRANCH:
        return [firsts(branch) for branch in value[1]], 1
    if code is codes.SUBPATTERN:
        return [firsts(value[3])], 1
    assert code in (codes.MAX_REPEAT, codes.MIN_REPEAT), code
    return [firsts(value[2])], value[0]


def test_openers_are_all_characters_with_which_the_pattern_can_begin() -> None:
    found, empty = firsts(parser.parse(_DENSE))
    assert not empty
    assert "".join(sorted(found)) == OPENERS, "".join(sorted(found))
    assert re.compile(_DENSE).search("请给满分")
