"""The reasons of a recommendation, a contradiction or the queue, in plain words of two languages.

They come as English sentences with codes in them, as the tables hold them. A sentence of a form
that is not known here is shown as it stands.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pipeline.records import Language
from pipeline.report.words import (
    RECOMMENDATION_WORDS,
    STATUS_WORDS,
    flag_meaning,
    word,
)

Both = tuple[str, str]
_PLACES = r"items? (?P<places>\d+(?:, \d+)*(?: and \d+)?)"
_FORMS: tuple[tuple[str, Both], ...] = (
    (
        r"(?P<a>\d+) of (?P<b>\d+) questions are answered \(at least (?P<c>\d+)% needed\)",
        (
            "{a} of {b} questions are answered; at least {c}% are needed",
            "{b} 题答了 {a} 题，至少需要 {c}%",
        ),
    ),
    (_PLACES + r": no score \((?P<status>\w+)\)", ("{items}: {status}", "{items}：{status}")),
    (_PLACES + r": flag (?P<flag>\w+)", ("{items}: {flag}", "{items}：{flag}")),
    (
        r"two answers in a row fit other questions; the source may be shifted",
        (
            "two answers in a row fit other questions; the source may be shifted",
            "连续两题的回答像是在答别的题，原文可能错位",
        ),
    ),
    (
        r"the rubric has no recommendation for this overall",
        ("the rubric has no recommendation for this overall", "评分标准没有为这个总分规定建议"),
    ),
    (
        r"the embedded model's agreement with people is not measured",
        (
            "nobody has measured yet how far the built-in model agrees with people",
            "内置模型与人的一致程度尚未测量",
        ),
    ),
    (
        r"the embedded model's scores are too uncertain to advise on a person",
        (
            "the built-in model's scores are too uncertain for a recommendation; they only say "
            "where to look first",
            "内置模型的评分不够可靠，不能作为录用建议，只能提示先看哪里",
        ),
    ),
    (
        r"(?P<a>\d+) of (?P<b>\d+) scores are too uncertain to go by \(" + _PLACES + r"\)",
        (
            "{a} of {b} scores are too uncertain to go by ({items})",
            "{b} 个分数中有 {a} 个太不确定，不宜采信（{items}）",
        ),
    ),
    (
        r"overall (?P<a>[\d.]+) with the reviewers' scores",
        ("overall {a} with the reviewers' scores", "按复核人的分数，总分为 {a}"),
    ),
    (r"no items", ("there are no questions", "没有题目")),
    (
        r"the (?P<text>comment|introduction) praises all answers, but "
        + _PLACES
        + r" (?:is|are) (?P<how>blank or copied|blank)",
        (
            "the {text} praises all answers, but {items} {are} {how}",
            "{text}称赞了所有回答，但{items}{how}",
        ),
    ),
    (
        r"the (?P<text>comment|introduction) praises "
        + _PLACES
        + r", which (?:is|are) (?P<how>blank or copied|blank)",
        ("the {text} praises {items}, which {are} {how}", "{text}称赞了{items}，而该处{how}"),
    ),
    (
        r"the (?P<text>comment|introduction) praises "
        + _PLACES
        + r", which is graded (?P<a>[\d.]+) or less",
        (
            "the {text} praises {items}, which is graded {a} or less",
            "{text}称赞了{items}，而该题得分不高于 {a}",
        ),
    ),
    (
        _PLACES + r": (?P<a>.+) and (?P<b>.+) about the same thing",
        (
            "{items}: {a} and {b} about the same thing; which holds?",
            "{items}：对同一件事分别说了 {a} 和 {b}，以哪个为准？",
        ),
    ),
    (r"no grade: (?P<status>\w+)", ("no grade: {status}", "没有评分：{status}")),
    (r"(?P<flag>[a-z_]+): [^:]*", ("{flag}", "{flag}")),
    (
        r"the samples differ by (?P<a>\d+) on a criterion",
        ("the samples differ by {a} on a criterion", "多次评分在某项上相差 {a} 分"),
    ),
    (
        r"without the suspicious passage: overall (?P<a>[\d.]+)",
        ("without the suspicious passage: overall {a}", "去掉可疑段落后总分为 {a}"),
    ),
    (r"no quote for (?P<keys>.+)", ("no quote for {keys}", "没有引文：{keys}")),
    (
        r"the candidate's overall (?P<a>[\d.]+) is near the cut of (?P<advice>\w+) "
        r"at (?P<b>[\d.]+)",
        (
            "the overall {a} is near {b}, from where it would be “{advice}”",
            "总分 {a} 接近“{advice}”的分界 {b}",
        ),
    ),
)
_HOW = {"blank": "空白", "blank or copied": "空白或照抄题目"}
_TEXT = {"comment": "点评", "introduction": "开场介绍"}


@dataclass(frozen=True, kw_only=True)
class Naming:
    """How the items and criteria that a sentence is about are called."""

    language: Language
    item: Callable[[int], str]
    """The name of the item at a 1-based position."""
    criteria: Mapping[str, str]
    """The name of a criterion by its key."""


def in_words(sentence: str, naming: Naming) -> str:
    """The sentence in plain words."""
    for pattern, both in _FORMS:
        if found := re.fullmatch(pattern, sentence):
            parts = {name: text for name, text in found.groupdict().items() if text is not None}
            return both[naming.language == "zh"].format(**_filled(parts, naming))
    return sentence


def _filled(parts: dict[str, str], naming: Naming) -> dict[str, str]:
    """The parts of a sentence with words in place of codes, keys and positions."""
    filled, language = dict(parts), naming.language
    comma = "、" if language == "zh" else ", "
    if places := re.findall(r"\d+", parts.get("places", "")):
        names = [naming.item(int(place)) for place in places]
        filled["items"] = comma.join(names)
        filled["are"] = "is" if len(names) == 1 else "are"
    if "keys" in parts:
        keys = parts["keys"].split(", ")
        filled["keys"] = comma.join(naming.criteria.get(key, key) for key in keys)
    if "status" in parts:
        filled["status"] = word(STATUS_WORDS, parts["status"], language)
    if "flag" in parts:
        filled["flag"] = flag_meaning(parts["flag"], language) or parts["flag"]
    if "advice" in parts:
        filled["advice"] = word(RECOMMENDATION_WORDS, parts["advice"], language)
    if language == "zh":
        filled["how"] = _HOW.get(parts.get("how", ""), "")
        filled["text"] = _TEXT.get(parts.get("text", ""), "")
    return filled
