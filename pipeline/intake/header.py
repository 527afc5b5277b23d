"""The head of a transcript: role, years, candidate, profile; the rest of it is the intro."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from pipeline.intake.compose import unwrap
from pipeline.intake.draft import Draft

_FIELDS = {
    "role": r"岗位|職位|职位|應徵職[位務]|應聘職位|应聘岗位|应聘职位|面试岗位|面试职位|"
    r"目标岗位|申请岗位|求职岗位|"
    r"Role|Position|Job title|Target (?:role|level|position)|Applied (?:role|position|for)",
    "years_experience": r"从业年限|工作年限|从业经验|工作经验|從業年限|经验年限|年限|"
    r"Years(?: of experience| experience)?|Experience",
    "profile": r"简介|個人簡介|个人简介|候选人简介|自我简介|簡介|Profile|About|Bio",
    "candidate": r"候选人姓名|应聘者姓名|姓名|候选人|应聘者|面试者|求职者|考生|應徵者|候選人|"
    r"Candidate(?: name)?|Interviewee|Applicant|Name|Student",
}
_GROUPS = "|".join(f"(?P<{name}>{words})" for name, words in _FIELDS.items())
_FIELD = re.compile(
    r"(?:^[ \t\u3000]*(?:[-*+][ \t]+|#+[ \t]*)?|(?<=[ \t\u3000|；;，,、*]))"
    rf"(?:\*\*|__)?(?:{_GROUPS})"
    r"[ \t\u3000]*(?:\*\*|__)?[ \t\u3000]*[:：](?:\*\*|__)?",
    re.I,
)
_APART = re.compile(r"(?:[ \t]{2}|\t|[\u3000|])[ \t\u3000*]*$")
_UNKNOWN = re.compile(r"(?:[ \t]{2,}|\t|[\u3000|；;])[ \t\u3000]*(?=[^\W\d_][\w ]{0,20}[:：])")
"""Where a field begins, on the line of another one, whose name is none of ours."""


def head(lines: Sequence[str]) -> dict[str, str]:
    """Fields by name, with the free text as `intro`. Labels count at line start only, or after
    another field on the same line; a wrapped profile runs on to the next label or blank line."""
    fields: dict[str, str] = {}
    intro: list[str] = []
    profile: list[str] = []
    for line in lines:
        found = _on_line(line)
        if found:
            profile = []
            for name, value in found:
                known, *others = [value] if name == "profile" else _UNKNOWN.split(value)
                fields.setdefault(name, known.strip())
                intro += others
            if found[-1][0] == "profile":
                profile = [found[-1][1]]
        elif profile and line.strip():
            profile.append(line)
            fields["profile"] = unwrap(profile)
        else:
            profile = []
            intro.append(line.rstrip())
    fields = {name: value for name, value in fields.items() if value}
    text = re.sub(r"\n{3,}", "\n\n", "\n".join(intro)).strip()
    return fields | ({"intro": text} if text else {})


def with_head(draft: Draft, lines: Sequence[str]) -> Draft:
    """The draft of a table with the fields of the lines above it, if it is the only one there."""
    return draft if draft.key else replace(draft, fields=head(lines) | dict(draft.fields))


def starts_interview(line: str) -> bool:
    """Whether a line gives role and years: the head of an interview, wherever it stands."""
    return {"role", "years_experience"} <= {name for name, _ in _on_line(line)}


def is_field(line: str) -> bool:
    """Whether a line starts with the label of a field of the head, such as 岗位 or 姓名."""
    return any(name in {"role", "years_experience", "candidate"} for name, _ in _on_line(line))


def _is_set_off(match: re.Match[str], first: re.Match[str]) -> bool:
    """Whether a later label is none of the words of a sentence: `Profile: Ten years: six as …`."""
    word, opening = match[match.lastgroup or 0], first[first.lastgroup or 0]
    if first.lastgroup == "profile" and not _APART.search(match.string[: match.start()]):
        return False
    return not word[0].islower() or opening[0].islower()


def _on_line(line: str) -> list[tuple[str, str]]:
    matches = list(_FIELD.finditer(line[:4000]))
    if not matches or line[: matches[0].start()].strip():
        return []
    first = matches[0]
    matches = [first] + [match for match in matches[1:] if _is_set_off(match, first)]
    ends = [match.start() for match in matches[1:]] + [len(line)]
    values = [line[match.end() : end] for match, end in zip(matches, ends, strict=True)]
    values = [value.strip(" \t\u3000|；;，,*") for value in values[:-1]] + [
        values[-1].strip(" \t\u3000*")
    ]
    return [(match.lastgroup or "", value) for match, value in zip(matches, values, strict=True)]
