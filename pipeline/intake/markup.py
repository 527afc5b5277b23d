"""XML exports: one question, and the answers of several people."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator

from pipeline.errors import InputError
from pipeline.intake.archive import refuse_entities
from pipeline.intake.columns import OURS, fold
from pipeline.intake.draft import Draft, Options, Pair, Source
from pipeline.intake.faults import PARSER_FAULTS
from pipeline.intake.sources import read_whole

_QUESTION = {"questiontext", "question_text", "question", "prompt"}
_ANSWER = {"response", "answer", "answertext", "answer_text", "responsetext"}
_SCORE = {"score", "grade", "mark", "points"}


def read(source: Source, options: Options) -> Iterator[Draft]:
    """The drafts of an .xml file: one interview for each element that holds an answer."""
    data = read_whole(source)
    refuse_entities(data, source=source.name)
    try:
        root = ET.fromstring(data)
    except (ET.ParseError, *PARSER_FAULTS):
        raise InputError("is not valid XML.", source=source.name) from None
    found = False
    for holder, question in _holders(root):
        found = True
        yield _draft(holder, question, _line(data, holder.get("id")))
    if not found:
        raise InputError(
            "is XML without a question and answers.",
            source=source.name,
            remedy="Looked for questionText with response or answer; or export a table.",
        )


def _holders(root: ET.Element) -> Iterator[tuple[ET.Element, str]]:
    """Elements that hold an answer directly, each with the question that stands before it."""
    question = ""
    for element in root.iter():
        own = next((child for child in element if _name(child) in _QUESTION and _said(child)), None)
        question = _said(own) if own is not None else question
        if question and any(_name(child) in _ANSWER and not len(child) for child in element):
            yield element, question


def _line(data: bytes, key: str | None) -> int | None:
    """The line on which an id stands; ElementTree keeps no places."""
    at = data.find(f'"{key}"'.encode()) if key else -1
    return data.count(b"\n", 0, at) + 1 if at >= 0 else None


def _draft(holder: ET.Element, question: str, line: int | None) -> Draft:
    answer = next(child for child in holder if _name(child) in _ANSWER and not len(child))
    scores = {_name(child): _said(child) for child in holder if _name(child) in _SCORE}
    pair = Pair(question=question, answer="".join(answer.itertext()), line=line, scores=scores)
    return Draft(pairs=(pair,), key=holder.get("id"), fields=_fields(holder))


def _fields(holder: ET.Element) -> dict[str, str]:
    fields = {OURS.get(fold(_name(child)), ""): _said(child) for child in holder}
    return {name: text for name, text in fields.items() if name in {"candidate", "role"}}


def _said(element: ET.Element) -> str:
    return " ".join("".join(element.itertext()).split())


def _name(element: ET.Element) -> str:
    return str(element.tag).rpartition("}")[2].casefold()
