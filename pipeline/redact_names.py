"""The candidate's name in the forms in which people write it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

HAN = "\u3400-\u9fff\uf900-\ufaff"
LETTER = "A-Za-z\u00c0-\u024f\u0370-\u052f"
GAP = "[\\s\u200b-\u200d\u2060·•]{0,2}"
COMPOUND = frozenset(
    "欧阳 司马 上官 诸葛 东方 皇甫 尉迟 公孙 慕容 司徒 令狐 夏侯 长孙 宇文 端木 南宫 独孤".split()
)
TITLES = "先生|女士|小姐|同学|老师|经理|师傅|总(?![体的量是之结共数线计和会])"
NO_NAMES = frozenset(
    "candidate applicant interviewee speaker student anonymous unknown user none "
    "候选人 应聘者 面试者 求职者 应聘人 匿名 考生 学生 学员 未知 保密".split()
)
"""What stands in the place of a name where there is none."""
WORDS = frozenset(
    "art bill case chase drew faith frank grace grant hope king long mark may page price rich rose "
    "sandy summer will young joy dawn iris ray".split()
)
"""Parts of names that are English words too: taken for a name only in the middle of a sentence."""


@lru_cache(maxsize=256)
def name_pattern(candidate: str) -> re.Pattern[str] | None:
    """Finds the name in a text, or None where the field holds no name."""
    forms = [form for part in _parts(candidate) for form in _forms(part)]
    return re.compile("|".join(forms)) if forms else None


def _parts(candidate: str) -> Iterator[str]:
    """`张伟（Zhang Wei）` has two; titles and what is no name are left out."""
    for part in re.split(r"[()（）\[\]/|,，;；、:：]", candidate):
        name = re.sub(rf"(?:{TITLES})$", "", part.strip())
        name = re.sub(r"^(?:mr|mrs|ms|dr|prof)\.?\s", "", name, flags=re.IGNORECASE)
        if len(name) > 1 and not any(word in NO_NAMES for word in name.casefold().split()):
            yield name


def _forms(name: str) -> Iterator[str]:
    han = re.sub(rf"[^{HAN}]", "", name)
    if len(han) >= 2 and not any(name.startswith(word) for word in NO_NAMES):
        yield from _han_forms(han)
    words = re.findall(rf"[{LETTER}]+", name)
    if words and any(len(word) > 1 for word in words):
        yield from _latin_forms(words)


def _han_forms(han: str) -> Iterator[str]:
    yield GAP.join(map(re.escape, han))
    size = 2 if han[:2] in COMPOUND and len(han) > 2 else 1
    surname, given = han[:size], han[size:]
    yield f"{surname}(?:{TITLES})"
    yield f"[小老]{surname}(?=[，。！？、,.!?：:\\s]|同学|[你您说啊呀]|$)"
    if len(given) >= 2:
        yield f"(?<=叫){given}|(?<=叫我){given}|(?<=是){given}(?=[，。！])"


def _latin_forms(words: list[str]) -> Iterator[str]:
    """The whole name in either order, with a middle initial; then each part that is capitalised."""
    for order in (words, words[::-1], [*words[-1:], *words[:-1]]):
        joined = r"[\s.,·'’-]{0,3}(?:[A-Z]\.?\s)?".join(map(re.escape, order))
        yield f"(?<![{LETTER}])(?i:{joined})(?![{LETTER}])"
    for word in words:
        if len(word) >= 3:
            start = "(?<=[a-z,] )" if word.casefold() in WORDS else f"(?<![{LETTER}])"
            title = re.escape(word[0].upper() + word[1:].lower())
            cased = {title, re.escape(word)} if word[0].isupper() else {title}
            yield f"{start}(?:{'|'.join(sorted(cased))})(?![{LETTER}])"
