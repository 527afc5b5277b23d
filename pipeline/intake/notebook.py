"""Notebooks: a cell that asks, and the cells that answer it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from pipeline.errors import InputError
from pipeline.intake.compose import compose, unwrap
from pipeline.intake.decode import decode
from pipeline.intake.draft import Draft, Options, Pair, Source
from pipeline.intake.jsonlines import parse
from pipeline.intake.labels import Label, label_of
from pipeline.intake.marks import implied_questions
from pipeline.intake.sources import read_whole
from pipeline.intake.text import numbered, read_lines
from pipeline.records import Turn

_HEADING = re.compile(r"\s*#{1,6}\s+\S[^\n]*\s*$")


def read(source: Source, options: Options) -> Iterator[Draft]:
    """The one interview of an .ipynb file; places are cell numbers."""
    text, _ = decode(read_whole(source), source=source.name)
    book = parse(text, source=source.name)
    cells = book.get("cells") if isinstance(book, Mapping) else None
    if not isinstance(cells, list) or not all(isinstance(cell, Mapping) for cell in cells):
        raise InputError("is no notebook: it has no cells.", source=source.name)
    texts = [(at, cell, _source(cell)) for at, cell in enumerate(cells, start=1)]
    pairs, doubts = _pairs(texts)
    if pairs:
        yield Draft(pairs=pairs, warnings=doubts)
        return
    joined = "\n\n".join(text for _, _, text in texts)
    if not implied_questions(numbered(joined)):
        raise InputError(
            "is a notebook without questions and answers.",
            source=source.name,
            remedy="Looked for cells that start with Question 1 (or 问题1), answers in the next.",
        )
    yield read_lines(numbered(joined), source=source.name)


def _pairs(
    texts: list[tuple[int, Mapping[str, object], str]],
) -> tuple[tuple[Pair, ...], tuple[str, ...]]:
    """Questions with the cells up to the next one; headings alone in a cell belong to none."""
    groups: list[tuple[int, Label, list[str], list[str]]] = []
    doubts: list[str] = []
    for at, cell, text in texts:
        first, _, below = text.strip().partition("\n")
        label = label_of(first) if cell.get("cell_type") == "markdown" else None
        if label and label.kind == "question":
            groups.append((at, label, [label.rest, *below.split("\n")], []))
        elif groups and text.strip() and not _HEADING.fullmatch(text):
            body, number = _answer(text)
            if number not in {None, groups[-1][1].number}:
                doubts.append(f"cell {at}: its answer label bears another number than the question")
            groups[-1][3].append(body)
    return tuple(_pair(*group) for group in groups), tuple(doubts)


def _answer(text: str) -> tuple[str, int | str | None]:
    """A cell without its answer label, and the number on that label."""
    first, _, below = text.strip().partition("\n")
    label = label_of(first)
    if label and label.kind == "answer":
        return f"{label.rest}\n{below}".strip(), label.number
    return text.strip(), None


def _pair(at: int, label: Label, question: list[str], answers: list[str]) -> Pair:
    turns = [Turn(kind="question", text=unwrap(question), line=at)]
    if answers:
        turns.append(Turn(kind="answer", text="\n\n".join(answers), line=at))
    return compose(turns, number=label.number, line=at)


def _source(cell: Mapping[str, object]) -> str:
    source = cell.get("source", "")
    return "".join(map(str, source)) if isinstance(source, list) else str(source)
