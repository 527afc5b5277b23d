"""Claims with numbers, and where two of them about the same thing cannot both hold.

Conservative: only changes of one named quantity are compared, and only where the words around
them show that the same thing is meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import combinations, pairwise

from pipeline.records import Record
from pipeline.terms import terms

_NUMBER = r"(\d+(?:\.\d+)?|[一二两三四五六七八九十])"
_CHANGE = re.compile(
    r"(?P<what>[\u4e00-\u9fffA-Za-z0-9]{0,12}?)(?P<way>缩短|降低|减少|下降|提[高升]|加快|增加|提速)了?(?:约|大约"
    r"|近|到原来的)?\s*"
    rf"{_NUMBER}\s*(?P<unit>倍|%|％|个百分点)"
    r"|(?P<verb>reduc\w+|cut|shorten\w*|improv\w+|increas\w+|sp[ed]+ up)\s+(?:the "
    r"|our )?(?P<thing>[a-z ]{3,30}?)\s+by\s+"
    r"(?:about |around |roughly )?(?P<value>\d+(?:\.\d+)?)\s*(?P<kind>%|percent|x|times|-?fold)",
    re.IGNORECASE,
)
_LONGER = re.compile(
    rf"时间(?:会|就)?(?:变[为成]|增加到)(?:原来的)?\s*{_NUMBER}\s*倍|只?需要?\s*{_NUMBER}\s*倍的?时间"
    r"|\btakes? (\d+) times (?:as long|the time)",
    re.IGNORECASE,
)
_MORE_OR_LESS = ("缩短", "降低", "减少", "下降", "提高", "提升", "加快", "增加", "提速")
_UNITS = ("倍", "%", "％", "个百分点")
_BY = re.compile(r"\sby\s+(?:about |around |roughly )?\d", re.IGNORECASE)
_FASTER = re.compile(
    r"提速|加速|提高.{0,6}(?:效率|速度)|更快|缩短|speed-?up|faster|efficien", re.IGNORECASE
)
_THAT_IS = re.compile(
    r"也就是|即|相当于|等于|换句话说|i\.e\.|that is|in other words", re.IGNORECASE
)
_WAYS = {"缩短": "-", "降低": "-", "减少": "-", "下降": "-"}
_DIGITS = dict(zip("一二两三四五六七八九十", (1, 2, 2, 3, 4, 5, 6, 7, 8, 9, 10), strict=True))
_NAMES = re.compile(r"^.*?(?:将|把|使得?|让|的)(?=[\u4e00-\u9fff]{3,})")
SHARED_TERMS = 6
"""So many terms two answers must share before their numbers are compared."""


class Claim(Record):
    """A change of one quantity, as an answer claims it."""

    place: int
    """Which answer, from 0."""
    what: str
    """The quantity, in the answer's words."""
    left: Decimal
    """What is left of the quantity, as a factor: 50% less is 0.5, 5 times less is 0.2."""
    text: str
    """Number and unit as printed."""


def claims(answer: str, place: int = 0) -> list[Claim]:
    """The changes that an answer claims."""
    return [claim for found in _changes(answer) if (claim := _claim(found, place))]


def _changes(answer: str) -> Iterator[re.Match[str]]:
    """The changes that a text speaks of. Most texts have none of the words, and end here."""
    chinese = _has_one(answer, _MORE_OR_LESS) and _has_one(answer, _UNITS)
    return _CHANGE.finditer(answer) if chinese or _BY.search(answer) else iter(())


def _has_one(text: str, words: Sequence[str]) -> bool:
    return any(word in text for word in words)


def conflicts(answers: Sequence[str]) -> list[tuple[Claim, Claim]]:
    """Pairs of claims from two answers about the same thing with different numbers."""
    made = [claim for place, answer in enumerate(answers) for claim in claims(answer, place)]
    if len(made) > 200:
        return []
    about = {claim.place: terms(answers[claim.place]) for claim in made}
    return [
        (one, other)
        for one, other in combinations(made, 2)
        if one.place != other.place
        and one.what == other.what
        and len(one.what) > 1
        and _differ(one.left, other.left)
        and len(about[one.place] & about[other.place]) >= SHARED_TERMS
    ]


def contradicts_itself(answer: str) -> bool:
    """Whether one answer says two things about a change that cannot both hold."""
    takes_longer = _has_one(answer.lower(), ("倍", "times")) and any(
        _FASTER.search(answer[found.start() : found.end() + 40])
        for found in _LONGER.finditer(answer)
    )
    if takes_longer:
        return True
    return any(
        _THAT_IS.search(answer[one.end() : other.start() + 8]) and _at_odds(one, other)
        for one, other in pairwise(_changes(answer))
        if other.start() - one.end() < 30
    )


def _at_odds(one: re.Match[str], other: re.Match[str]) -> bool:
    first, second = _claim(one, 0), _claim(other, 0)
    return bool(first and second and _differ(first.left, second.left))


def _differ(one: Decimal, other: Decimal) -> bool:
    """More than what rounding explains."""
    return max(one, other) > min(one, other) * Decimal("1.25")


def _claim(found: re.Match[str], place: int) -> Claim | None:
    if found["what"] is None:
        return _english(found, place)
    number, unit = _value(found[3]), found["unit"]
    if found["way"] == "提速" or unit == "倍":
        left = 1 / number if number > 1 else None
    elif found["way"] in _WAYS and number < 100:
        left = 1 - number / 100
    else:
        left = 1 / (1 + number / 100)
    what = _NAMES.sub("", found["what"])
    if left is None or unit == "个百分点":
        return None
    return Claim(place=place, what=what, left=left, text=f"{found[3]}{unit}")


def _english(found: re.Match[str], place: int) -> Claim | None:
    number, kind = Decimal(found["value"]), found["kind"].lower()
    if kind in ("%", "percent"):
        falls = re.match(r"reduc|cut|short", found["verb"], re.IGNORECASE)
        left = 1 - number / 100 if falls and number < 100 else 1 / (1 + number / 100)
    elif number > 1:
        left = 1 / number
    else:
        return None
    what = " ".join(found["thing"].lower().split())
    return Claim(place=place, what=what, left=left, text=f"{found['value']} {kind}")


def _value(text: str) -> Decimal:
    return Decimal(_DIGITS[text]) if text in _DIGITS else Decimal(text)


def pairs_in_words(answers: Sequence[str]) -> Iterator[str]:
    """Each pair of conflicting claims, with both places."""
    for one, other in conflicts(answers):
        yield (
            f"items {one.place + 1} and {other.place + 1}: {one.text} and {other.text} about the "
            "same thing"
        )
