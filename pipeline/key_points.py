"""Key points and known wrong claims of single questions, from `questions/*.yaml` of a prompt set.

An entry belongs to an item only where the question is the same, or one of its other wordings, with
white space, width, case and punctuation folded. Nothing is guessed from likeness: an item whose
question is in no file is graded without.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError

from pipeline.errors import ConfigError
from pipeline.quotes import fold
from pipeline.records import Language, Record
from pipeline.rubric import dotted, line_of, plain, read_yaml

FOLDER = "questions"
Lines = dict[Language, tuple[str, ...]]


class KeyPoints(Record):
    """What is known about the answers to one question."""

    file: str
    """Name of the file it stands in."""
    id: str
    """Names the entry; unique in the set."""
    question: str
    """The question as it is asked."""
    aliases: tuple[str, ...] = ()
    """Other wordings of the same question."""
    key_points: Lines = Field(default_factory=dict)
    """What a good answer may name, by language."""
    wrong_claims: Lines = Field(default_factory=dict)
    """What answers claim and is wrong, by language."""

    @property
    def name(self) -> str:
        """File and entry, as tables and report show them."""
        return f"{self.file}: {self.id}"

    @property
    def wordings(self) -> tuple[str, ...]:
        """All texts that the question may have."""
        return (self.question, *self.aliases)


PointsByQuestion = Mapping[str, KeyPoints]
"""By folded question."""


def load_key_points(folder: Path) -> PointsByQuestion:
    """All entries of a prompt set by folded wording. Raises ConfigError with file and line."""
    found: dict[str, KeyPoints] = {}
    ids: set[str] = set()
    for path in sorted((folder / FOLDER).glob("*.y*ml")):
        tree = read_yaml(path)
        if not isinstance(tree, Mapping) or not isinstance(tree.get("questions"), list):
            raise ConfigError(f"{path}: a file of key points has a list `questions`.")
        for index in range(len(tree["questions"])):
            entry = _entry(path, tree, index)
            if entry.id in ids:
                raise _refused(path, tree, (index, "id"), f"{entry.id!r} stands twice")
            ids.add(entry.id)
            for wording in entry.wordings:
                key = fold(wording).text
                if key in found:
                    what = f"the same question as in {found[key].name!r}: {wording!r}"
                    raise _refused(path, tree, (index,), what)
                found[key] = entry
    return found


def points_of(points: PointsByQuestion, question: str) -> KeyPoints | None:
    """The entry of a question, or None where no file names it."""
    return points.get(fold(question).text) if points else None


def in_neutral_order(lines: Lines, language: Language) -> tuple[str, ...]:
    """The lines of a language, in an order that says nothing about their weight.

    A model takes what stands first for what matters most, so the author's order is not kept; the
    same lines always come in the same order. Where a language has none, those of another are shown.
    """
    chosen = lines.get(language) or next((some for some in lines.values() if some), ())
    return tuple(sorted(chosen, key=lambda line: hashlib.sha256(line.encode()).digest()))


def _entry(path: Path, tree: Any, index: int) -> KeyPoints:
    content = plain(tree["questions"][index])
    if not isinstance(content, dict) or "file" in content:
        raise _refused(path, tree, (index,), "an entry has id, question, key_points, wrong_claims")
    try:
        entry = KeyPoints.model_validate({**content, "file": path.name})
    except ValidationError as error:
        fault = error.errors()[0]
        raise _refused(path, tree, (index, *fault["loc"]), fault["msg"]) from None
    if not any((*entry.key_points.values(), *entry.wrong_claims.values())):
        raise _refused(path, tree, (index,), "has neither key points nor wrong claims")
    if not all(fold(wording).text for wording in entry.wordings):
        raise _refused(path, tree, (index,), "a wording of the question says nothing")
    return entry


def _refused(path: Path, tree: Any, loc: tuple[str | int, ...], what: str) -> ConfigError:
    where = ("questions", *loc)
    return ConfigError(f"{path}, line {line_of(tree, where)}: {dotted(where)}{what}.")
