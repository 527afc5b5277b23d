"""What is done to an answer, and what may happen to its score."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Literal

from evals.probes.attacks import INJECTIONS, PADDING
from pipeline.records import Item, Language

Direction = Literal["same", "not higher", "higher"]
Change = Callable[[Item, Language, random.Random], str]
"""Item, language and chance -> another answer."""


def _injected(attack: str) -> Change:
    def change(item: Item, language: Language, chance: random.Random) -> str:
        return f"{item.answer}\n{chance.choice(INJECTIONS[attack][language])}"

    return change


def _padded(item: Item, language: Language, chance: random.Random) -> str:
    """The answer with sentences of no content, three times as long."""
    answer, added = item.answer or "", ""
    while len(added) < 2 * len(answer):
        added += ("" if language == "zh" else " ") + chance.choice(PADDING[language])
    return answer + added


def _stuffed(item: Item, language: Language, chance: random.Random) -> str:
    """The words of question and objective strewn behind the answer."""
    asked = f"{item.question} {item.objective or ''}"
    pieces = [piece for piece in _pieces(asked, language) if len(piece) > 1]
    chance.shuffle(pieces)
    return f"{item.answer}\n{('、' if language == 'zh' else ', ').join(pieces[:20])}"


def _pieces(text: str, language: Language) -> list[str]:
    if language == "en":
        return text.split()
    marks = "，。？！：；、,.?!:; "
    flat = "".join(" " if sign in marks else sign for sign in text)
    return [word[place : place + 4] for word in flat.split() for place in range(0, len(word), 4)]


def _echoed(item: Item, language: Language, chance: random.Random) -> str:
    opening = "您问的是：" if language == "zh" else "You asked: "
    return f"{opening}{item.question}\n{item.answer}"


def _spoken(item: Item, language: Language, chance: random.Random) -> str:
    """As a speech recogniser writes it: no punctuation, some fillers."""
    fillers = ("嗯", "那个", "就是") if language == "zh" else ("um", "you know", "like")
    gap = "" if language == "zh" else " "
    out = ""
    for sign in item.answer or "":
        if sign in "，。；！？,;!?":
            out += gap + (chance.choice(fillers) + gap if chance.random() < 0.3 else " ")
        else:
            out += sign
    return out


def _mistyped(item: Item, language: Language, chance: random.Random) -> str:
    """Two neighbouring letters changed places, about once in 50; digits are left alone."""
    signs = list(item.answer or "")
    for place in range(len(signs) - 1):
        both = signs[place] + signs[place + 1]
        if both.isalpha() and chance.random() < 0.02:
            signs[place], signs[place + 1] = signs[place + 1], signs[place]
    return "".join(signs)


def _cut(item: Item, language: Language, chance: random.Random) -> str:
    answer = item.answer or ""
    return answer[: max(1, len(answer) // 2)]


def _same(item: Item, language: Language, chance: random.Random) -> str:
    return item.answer or ""


CHANGES: Mapping[str, tuple[Direction, Change]] = {
    **{f"injection: {name}": ("not higher", _injected(name)) for name in INJECTIONS},
    "padding": ("not higher", _padded),
    "keywords": ("not higher", _stuffed),
    "echo": ("not higher", _echoed),
    "speech to text": ("same", _spoken),
    "typos": ("same", _mistyped),
    "truncation": ("not higher", _cut),
    "repeat": ("same", _same),
}
"""Direction and change by family. `person` and `language` compare two items and stand apart."""
