"""Markdown texts: what a page does not show is no answer; a table of items is a table."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pipeline.intake.columns import recognised
from pipeline.intake.decode import decode
from pipeline.intake.draft import Draft, Options, Source, warned
from pipeline.intake.labels import label_of
from pipeline.intake.rows import Row
from pipeline.intake.sources import read_whole
from pipeline.intake.table import read_table
from pipeline.intake.text import numbered, read_lines

_FENCED = re.compile(r"(^[ \t]{0,3}(?:```|~~~).*?^[ \t]{0,3}(?:```|~~~)[ \t]*$)", re.S | re.M)
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.S)
_SUMMARY = re.compile(r"<summary>([^\n]{0,200}?)</summary>", re.I)
_LINK = re.compile(
    r"^\[(?:\^[^\]\n]{1,60}\]:|[^\]\n]{1,60}\]:[ \t]+(?:<|https?:|/|#|\.))[^\n]*$", re.M
)
_BREAK = re.compile(r"<br[ \t]*/?>|&nbsp;", re.I)
_TAG = re.compile(
    r"</?(?:details|p|div|span|b|i|u|strong|em|font|sub|sup|center)(?:[ \t][^<>\n]{0,200})?>", re.I
)
_TABLE_RULE = re.compile(r"[ \t]*\|?(?:[ \t]*:?-{1,}:?[ \t]*\|)+[ \t]*(?::?-+:?)?[ \t]*$")


def read(source: Source, options: Options) -> Iterator[Draft]:
    """The drafts of a .md file: one interview, or the rows of a table of items."""
    text, doubts = decode(read_whole(source), source=source.name)
    # Odd parts are code fences, which show everything that is in them.
    parts = [part if n % 2 else _shown(part) for n, part in enumerate(_FENCED.split(text))]
    text, hidden = "".join(parts), len(_COMMENT.findall("".join(_FENCED.split(text)[::2])))
    if hidden:
        doubts = (*doubts, f"{hidden} hidden comments were left out")
    rows = list(_table(text.split("\n")))
    drafts = (
        read_table(rows, options, source=source)
        if rows
        else iter([read_lines(numbered(text), source=source.name)])
    )
    for draft in drafts:
        yield warned(draft, *doubts)


def _shown(text: str) -> str:
    """What a page shows of a text outside of code, line by line."""
    text = _COMMENT.sub(lambda found: "\n" * found[0].count("\n"), text)
    text = _SUMMARY.sub(_summary, text)
    return _TAG.sub("", _BREAK.sub(" ", _LINK.sub("", text)))


def _summary(found: re.Match[str]) -> str:
    """The title of a folded part stays if it is a label, such as Answer."""
    title = f"**{found[1].strip()}**"
    return title if label_of(title) else ""


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
