"""A table without a header: its columns by position, or by what they hold."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pipeline.errors import InputError
from pipeline.intake.asking import share_asking
from pipeline.intake.cells import text_of
from pipeline.intake.draft import Options
from pipeline.intake.rows import Columns, Row

_NUMBER = re.compile(r"[\[(]?-?\d+(?:\.\d+)?[\])]?")


def guess_columns(sample: Sequence[Row], options: Options, *, source: str) -> Columns:
    """Columns by the positions of --map, else by content; InputError where that is not clear."""
    width = max(len(row.cells) for row in sample)
    names = [str(at + 1) for at in range(width)]
    if options.mapping:
        return Columns.of(names, options, source=source)
    texts = [_column(sample, at) for at in range(width)]
    prose = [at for at, column in enumerate(texts) if _is_prose(column)]
    asking = [at for at in prose if share_asking(texts[at]) >= 0.6]
    answers = [at for at in prose if at not in asking]
    if len(asking) != 1 or len(answers) != 1:
        raise InputError(
            f"has no column name that is known (question, answer, 问题, 回答), and the contents of "
            f"its {width} columns do not show which is which.",
            source=source,
            remedy="Add a header row, or name positions: --map question=2,answer=3.",
        )
    at = {"question": asking[0], "answer": answers[0]}
    unused = tuple(f"column {n + 1}" for n in range(width) if n not in at.values())
    return Columns(at, {}, unused)


def _column(sample: Sequence[Row], at: int) -> list[str]:
    cells = (text_of(row.cells[at]) if at < len(row.cells) else None for row in sample)
    return [cell.strip() for cell in cells if cell and cell.strip()]


def _is_prose(column: list[str]) -> bool:
    """Texts, not numbers, ids or one-word classes."""
    texts = [cell for cell in column if not _NUMBER.fullmatch(cell)]
    if len(texts) * 2 <= len(column) or not texts:
        return False
    return sum(map(len, texts)) / len(texts) >= 6
