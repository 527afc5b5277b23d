"""Which lines of an answer are program code and which are prose."""

from __future__ import annotations

import re

_FENCE = re.compile(r"^\s*(?:```|~~~)")
_STRONG = re.compile(
    r"\w\([^()]*\)|\w\(\s*$|[=<>!+*/-]=|\s=\s?\S|=>|->|::|\w\[[^\]]*\]|[{}]\s*;?\s*$|^\s*[)}\]]"
    r"|^\s*(?:import \w|from \w[\w.]* import|def \w|class \w|return\b|else:|try:|@\w"
    r"|#include|<\w+>)"
    r"|^\s*(?:select|insert into|update \w+ set|delete from|create table|alter table|group by|"
    r"order by|left join|inner join|join \w|having|limit \d|where \w|from \w+ ?\w*$|with \w+ as)\b",
    re.IGNORECASE,
)
_PROSE = re.compile(r"(?:\b[a-z][a-z']*[,;:]? ){6,}|[a-z]{3}[.!?] [A-Z][a-z]", re.IGNORECASE)
_TEXT_IN_CODE = re.compile(r"\"[^\"]*\"|'[^']*'|(?:#|//|--|/\*).*$")
_CJK = re.compile("[\u3400-\u9fff]")
_COMMENT = re.compile(r"^\s*(?:#(?!include)|//|--|/\*|\*|\"\"\")\s*(.*)$")


def is_code_line(line: str) -> bool:
    """Whether one line reads as code: a sign of code, and neither Chinese nor running prose."""
    bare = _TEXT_IN_CODE.sub("", line)
    if _CJK.search(bare) or _PROSE.search(bare):
        return False
    return bool(_STRONG.search(bare))


def is_comment(line: str) -> bool:
    """A line that explains code from within."""
    found = _COMMENT.match(line)
    return bool(found and len(found[1]) >= 8)


def prose_lines(text: str) -> list[str]:
    """The lines that are neither empty nor code; comments in code explain, and count as prose."""
    kept, fenced = [], False
    for line in text.splitlines():
        if _FENCE.match(line):
            fenced = not fenced
        elif line.strip() and (is_comment(line) or not (fenced or is_code_line(line))):
            kept.append(line)
    return kept


def ends_in_code(text: str) -> bool:
    """Whether the last line is code."""
    lines = text.rstrip().splitlines()
    return bool(lines) and (is_code_line(lines[-1]) or bool(_FENCE.match(lines[-1])))
