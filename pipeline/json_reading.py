"""Read a JSON object as models write it, where its meaning is beyond doubt.

Beyond JSON these are read: typographic or full-width quotes around strings, full-width
punctuation and digits outside strings, a comma before a closing bracket, line breaks within
strings. Whatever could be read in two ways is refused: nothing is closed, added or guessed.
"""

from __future__ import annotations

import json
import re
from typing import Any
from unicodedata import normalize

DEEPEST = 8
"""Levels of nesting; a verdict has two."""
CLOSING = {"“": "”", "”": "”", "＂": "＂", "„": "“", "「": "」", "『": "』"}
"""Marks that may open a string, with the one that closes it."""
_SPACE = re.compile(r"[\s\ufeff\u200b\u3000]*")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_NUMBER = re.compile(r"[-－]?[0-9０-９]{1,20}(?:[.．][0-9０-９]{1,20})?(?![0-9０-９.．eE])")
_LITERAL = re.compile(r"(?:true|false|null)\b")


class NotReadable(ValueError):
    """No object of beyond-doubt meaning stands here; `place` is the character that broke it."""

    def __init__(self, place: int) -> None:
        super().__init__(f"not a JSON object at character {place}")
        self.place = place


class Reader:
    """A place in a text, moved on by whatever has been read."""

    def __init__(self, text: str, place: int) -> None:
        self.text, self.place = text, place

    def value(self, depth: int = 0) -> Any:
        """The value that starts here. Raises NotReadable."""
        mark = self._peek()
        if depth > DEEPEST:
            raise NotReadable(self.place)
        if mark == "{":
            return self._object(depth)
        if mark == "[":
            return self._array(depth)
        if mark == '"' or mark in CLOSING:
            return self._string(mark)
        if found := _NUMBER.match(self.text, self.place):
            return self._loaded(found, normalize("NFKC", found[0]))
        if found := _LITERAL.match(self.text, self.place):
            return self._loaded(found, found[0])
        raise NotReadable(self.place)

    def _object(self, depth: int) -> dict[str, Any]:
        self._take("{")
        read: dict[str, Any] = {}
        while self._peek() != "}":
            key = self._string(self._peek())
            if key in read:
                raise NotReadable(self.place)
            self._take(":")
            read[key] = self.value(depth + 1)
            self._separate("}")
        self._take("}")
        return read

    def _array(self, depth: int) -> list[Any]:
        self._take("[")
        read = []
        while self._peek() != "]":
            read.append(self.value(depth + 1))
            self._separate("]")
        self._take("]")
        return read

    def _separate(self, end: str) -> None:
        if self._peek() != end:
            self._take(",")

    def _string(self, mark: str) -> str:
        if mark != '"':
            return self._marked(mark)
        found = _STRING.match(self.text, self.place)
        if found is None:
            raise NotReadable(self.place)
        return str(self._loaded(found, found[0]))

    def _marked(self, mark: str) -> str:
        """A string in other quotes; one that holds such a quote could end in two places."""
        if mark not in CLOSING:
            raise NotReadable(self.place)
        end = self.text.find(CLOSING[mark], self.place + 1)
        inside = self.text[self.place + 1 : end]
        doubtful = any(quote in inside for quote in '"\\“”＂„「」『』')
        if end < 0 or doubtful:
            raise NotReadable(self.place)
        self.place = end + 1
        if self._peek() not in (":", ",", "}", "]"):
            raise NotReadable(self.place)
        return inside

    def _loaded(self, found: re.Match[str], literal: str) -> Any:
        try:
            read = json.loads(literal, strict=False)
        except ValueError:
            raise NotReadable(self.place) from None
        self.place = found.end()
        return read

    def _peek(self) -> str:
        """The next mark after white space, full-width structure as its ASCII form."""
        if found := _SPACE.match(self.text, self.place):
            self.place = found.end()
        mark = self.text[self.place : self.place + 1]
        return {"｛": "{", "｝": "}", "：": ":", "，": ",", "［": "[", "］": "]"}.get(mark, mark)

    def _take(self, mark: str) -> None:
        if self._peek() != mark:
            raise NotReadable(self.place)
        self.place += 1


def read_object(text: str, start: int) -> tuple[dict[str, Any], int]:
    """The object that opens at `start`, and where it ends. Raises NotReadable."""
    reader = Reader(text, start)
    read = reader.value()
    if not isinstance(read, dict):
        raise NotReadable(start)
    return read, reader.place
