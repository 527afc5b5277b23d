"""Rows of a table to drafts, one at a time: rows of one interview stand together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from pipeline.errors import InputError
from pipeline.intake.cells import list_of, text_of
from pipeline.intake.columns import FIELDS, match, require, score_columns
from pipeline.intake.draft import Draft, Options, Pair
from pipeline.intake.numerals import printed_number


class Row(NamedTuple):
    """One row and its place."""

    line: int
    cells: Sequence[object]


@dataclass(frozen=True)
class Columns:
    """Where a table keeps what."""

    at: Mapping[str, int]
    scores: Mapping[str, int]
    unused: tuple[str, ...]

    @classmethod
    def of(cls, names: Sequence[str], options: Options, *, source: str) -> Columns:
        at = match(names, options.mapping, source=source)
        require(at, names, source=source)
        scores = score_columns(names, at)
        used = {*at.values(), *scores.values()}
        unused = tuple(name for n, name in enumerate(names) if n not in used and name.strip())
        return cls(at, scores, unused)


@dataclass
class _Open:
    """The interview whose rows are being read."""

    key: str | None
    pairs: list[Pair] = field(default_factory=list)
    fields: dict[str, str] = field(default_factory=dict)
    empty: int = 0


def read_rows(
    rows: Iterable[Row],
    columns: Callable[[Row], Columns],
    options: Options,
    *,
    source: str,
    null_is_missing: bool = False,
) -> Iterator[Draft]:
    """One draft per interview id, as soon as its last row was read.

    `columns` gives the columns of a row (JSON lines may vary). `null_is_missing` is for formats
    that tell a null from an empty text.
    """
    opened: _Open | None = None
    closed: set[str | None] = set()
    unused: tuple[str, ...] = ()
    for row in rows:
        where = columns(row)
        unused = where.unused
        items = _items(row, where, options, source, null_is_missing)
        if not items:
            continue
        if null_is_missing:
            _refuse_empty_id(row, where, source)
        key = _key(row, where, opened.key if opened else None)
        if opened is None or key != opened.key:
            if key in closed:
                raise _scattered(source, row.line)
            if opened:
                closed.add(opened.key)
                yield _draft(opened, unused, source)
            opened = _Open(key)
        opened.pairs += items
        opened.empty += sum(not (item.answer or item.missing_reason == "absent") for item in items)
        _remember(opened.fields, row, where)
    if opened:
        yield _draft(opened, unused, source)


def _items(
    row: Row, where: Columns, options: Options, source: str, null_is_missing: bool
) -> list[Pair]:
    """The item of a row; several where question and answer are lists in a cell."""
    question, answer = (_raw(row, where.at[name]) for name in ("question", "answer"))
    questions = list_of(question)
    if questions is None:
        pair = _pair(row, where, options, source, null_is_missing)
        return [pair] if pair else []
    answers = list_of(answer)
    if answers is None or len(answers) != len(questions):
        raise InputError(
            f"has {len(questions)} questions in a cell, and not as many answers.",
            source=source,
            line=row.line,
            remedy="Give each question a row of its own.",
        )
    return [
        Pair(question=one.strip(), answer=two, line=row.line)
        for one, two in zip(questions, answers, strict=True)
        if one.strip()
    ]


def _pair(
    row: Row, where: Columns, options: Options, source: str, null_is_missing: bool
) -> Pair | None:
    at = where.at
    question = (_cell(row, at["question"]) or "").strip()
    answer = _cell(row, at["answer"])
    blank = answer is None or not answer.strip()
    if not question:
        if not blank:
            raise InputError(
                "has an answer without a question.",
                source=source,
                line=row.line,
                remedy="Fill in the question, or name its column with --map question=COLUMN.",
            )
        return None
    reason = None
    if answer is None and null_is_missing:
        reason = "absent"
    elif blank and options.empty_cell == "missing":
        reason = "empty_cell"
    number = _cell(row, at["number"]) if "number" in at else None
    objective = _cell(row, at["objective"]) if "objective" in at else None
    return Pair(
        question=question,
        answer=None if reason else answer or "",
        number=printed_number(number) if number else None,
        objective=(objective or "").strip() or None,
        line=row.line,
        missing_reason=reason,
        scores=_scores(row, where) if where.scores else {},
    )


def _raw(row: Row, at: int) -> object:
    return row.cells[at] if at < len(row.cells) else None


def _cell(row: Row, at: int) -> str | None:
    return text_of(_raw(row, at))


def _scores(row: Row, where: Columns) -> dict[str, str]:
    scores = {name: _cell(row, at) for name, at in where.scores.items()}
    return {name: score for name, score in scores.items() if score}


def _key(row: Row, where: Columns, current: str | None) -> str | None:
    """The id of the row's interview; an empty cell continues the one above (merged cells)."""
    at = where.at.get("interview_id", where.at.get("candidate"))
    if at is None:
        return None
    return (_cell(row, at) or "").strip() or current


def _refuse_empty_id(row: Row, where: Columns, source: str) -> None:
    """No cells are merged in JSON: an id that is there and empty would join the person above."""
    at = where.at.get("interview_id")
    if at is not None and not (_cell(row, at) or "").strip():
        raise InputError(
            "has an empty interview_id.",
            source=source,
            line=row.line,
            remedy="Give each row the id of its interview, or leave the key out everywhere.",
        )


def _remember(fields: dict[str, str], row: Row, where: Columns) -> None:
    for name, at in where.at.items():
        if name in FIELDS and name not in fields:
            text = (_cell(row, at) or "").strip()
            if text:
                fields[name] = text


def _scattered(source: str, line: int) -> InputError:
    return InputError(
        "comes back to an interview that other rows had closed: its rows do not stand together, "
        "or two interviews have one id.",
        source=source,
        line=line,
        remedy="Sort the table by interview, or give each interview its own id.",
    )


def empty_cells(count: int) -> list[str]:
    """The warning on empty answer cells, if there are any."""
    if not count:
        return []
    return [
        f"{count} empty answer cells were taken as empty answers "
        "(--empty-cell missing takes them as missing)"
    ]


def _draft(opened: _Open, unused: tuple[str, ...], source: str) -> Draft:
    if all(pair.question.isdigit() for pair in opened.pairs):
        raise InputError(
            "has numbers in place of questions.",
            source=source,
            line=opened.pairs[0].line,
            remedy="Join the questions' texts to it, or name their column: --map question=COLUMN.",
        )
    warnings = []
    if unused:
        warnings.append("columns not used: " + ", ".join(name[:40] for name in unused[:20]))
    warnings += empty_cells(opened.empty)
    return Draft(
        pairs=tuple(opened.pairs), fields=opened.fields, warnings=tuple(warnings), key=opened.key
    )
