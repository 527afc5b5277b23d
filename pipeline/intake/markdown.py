"""Markdown texts: what a page does not show is no answer; a table of items is a table."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pipeline.intake.columns import recognised
from pipeline.intake.decode import decode
from pipeline.intake.draft import Draft, Options, Source, warned
from pipeline.intake.rows import Row
from pipeline.intake.sources import read_whole
from pipeline.intake.table import read_table
from pipeline.intake.text import numbered, read_lines

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.S)
_FOLD = re.compile(r"<summary>[^\n]{0,200}?</summary>|</?details[^>\n]{0,80}>", re.I)
_TABLE_RULE = re.compile(r"[ \t]*\|?(?:[ \t]*:?-{1,}:?[ \t]*\|)+[ \t]*(?::?-+:?)?[ \t]*$")


def read(source: Source, options: Options) -> Iterator[Draft]:
    """The drafts of a .md file: one interview, or the rows of a table of items."""
    text, doubts = decode(read_whole(source), source=source.name)
    if "```" not in text and "~~~" not in text:
        text, hidden = _COMMENT.subn(lambda found: "\n" * found[0].count("\n"), text)
        doubts = (*doubts, f"{hidden} hidden comments were left out") if hidden else doubts
        text = _FOLD.sub("", text)
    rows = list(_table(text.split("\n")))
    drafts = (
        read_table(rows, options, source=source)
        if rows
        else iter([read_lines(numbered(text), source=source.name)])
    )
    for draft in drafts:
        yield warned(draft, *doubts)


def _table(lines: list[str]) -> Iterator[Row]:
    """The rows of the first table that names question and answer, its header first."""
    for at in range(1, len(lines)):
        if _TABLE_RULE.match(lines[at]) and {"question", "answer"} <= recognised(
            _cells(lines[at - 1])
        ):
            yield Row(at, _cells(lines[at - 1]))
            for below in range(at + 1, len(lines)):
                if "|" not in lines[below]:
                    return
                yield Row(below + 1, _cells(lines[below]))
            return


def _cells(line: str) -> list[str]:
    inner = line.strip().removeprefix("|").removesuffix("|")
    return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", inner)]
