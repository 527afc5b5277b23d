"""Wide tables, as survey tools export them: a row is one person, a column one question."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pipeline.intake.asking import asks, ends_asking
from pipeline.intake.cells import text_of
from pipeline.intake.columns import FIELDS, fold, match, recognised
from pipeline.intake.draft import Draft, Options, Pair, Source
from pipeline.intake.numerals import printed_number
from pipeline.intake.rows import Row, empty_cells

_NUMBERED = re.compile(r"\s*(?:Q|第)?\s*(\d{1,3})\s*[题]?\s*[.、:：)）]\s*(.+)", re.I | re.S)
_MARKED = re.compile(
    r"[\[(（【][ \t]*(?:score|feedback|points|comments?|得分|分数|评分|反馈|评语|点评)"
    r"[ \t]*[\])）】]\s*$",
    re.I,
)
"""`Why us? [Score]`: what a quiz says of the answer beside it."""
_PAIR = re.compile(r"(question|q|问题|题目|answer|a|response|回答|答案|作答)_?(\d{1,3})")
_ASKED = {"question", "q", "问题", "题目"}


@dataclass(frozen=True)
class Wide:
    """Where a wide table keeps its items and its fields."""

    items: tuple[tuple[int, str | int, int | str | None], ...]
    """(answer column, question text or question column, number)."""
    fields: dict[str, int]
    unused: tuple[str, ...]


def wide_columns(names: Sequence[str], *, source: str) -> Wide | None:
    """The layout of a wide table, or None where the names are those of a long one."""
    if {"question", "answer"} & recognised(names):
        return None
    items = _paired(names) or _asked(names)
    if len(items) < 2:
        return None
    taken = {at for item in items for at in (item[0], item[1]) if isinstance(at, int)}
    fields = {
        name: at
        for name, at in match(names, {}, source=source).items()
        if at not in taken and (name in FIELDS or name == "interview_id")
    }
    used = taken | set(fields.values())
    unused = tuple(name for at, name in enumerate(names) if at not in used and name.strip())
    return Wide(items, fields, unused)


def read_wide(rows: Iterable[Row], wide: Wide, options: Options, source: Source) -> Iterator[Draft]:
    """One draft a row; without an id column the row's place is its id."""
    warnings = ["each row was read as one interview, each asking column as one question"]
    if wide.unused:
        warnings.append("columns not used: " + ", ".join(name[:40] for name in wide.unused[:20]))
    for row in rows:
        pairs = tuple(_pairs(row, wide, options))
        fields = {name: _cell(row, at).strip() for name, at in wide.fields.items()}
        key = fields.pop("interview_id", "") or fields.get("candidate")
        if any(pair.answer for pair in pairs) or key:
            yield Draft(
                pairs=pairs,
                fields={name: value for name, value in fields.items() if value},
                warnings=(*warnings, *empty_cells(sum(pair.answer == "" for pair in pairs))),
                key=key or f"{source.parts[-1]}-row{row.line}",
            )


def _pairs(row: Row, wide: Wide, options: Options) -> Iterator[Pair]:
    for answer_at, question, number in wide.items:
        text = question if isinstance(question, str) else _cell(row, question).strip()
        answer = _cell(row, answer_at).strip()
        missing = not answer and options.empty_cell == "missing"
        if text:
            yield Pair(
                question=text,
                answer=None if missing else answer,
                number=number,
                line=row.line,
                missing_reason="empty_cell" if missing else None,
            )


def _cell(row: Row, at: int) -> str:
    return (text_of(row.cells[at]) or "") if at < len(row.cells) else ""


def _asked(names: Sequence[str]) -> tuple[tuple[int, str | int, int | str | None], ...]:
    """Columns whose heading is itself the question."""
    items: list[tuple[int, str | int, int | str | None]] = []
    for at, name in enumerate(names):
        if _MARKED.search(name):
            continue
        numbered = _NUMBERED.match(name)
        text = numbered[2].strip() if numbered else name.strip()
        if ends_asking(text) or (numbered and asks(text)) or (asks(text) and len(text) > 12):
            items.append((at, text, printed_number(numbered[1]) if numbered else None))
    return tuple(items)


def _paired(names: Sequence[str]) -> tuple[tuple[int, str | int, int | str | None], ...]:
    """question1, answer1, question2, answer2, …"""
    places: dict[int, dict[bool, int]] = {}
    for at, name in enumerate(names):
        found = _PAIR.fullmatch(fold(name))
        if found:
            places.setdefault(int(found[2]), {})[found[1] in _ASKED] = at
    return tuple(
        (place[False], place[True], number)
        for number, place in sorted(places.items())
        if len(place) == 2
    )
