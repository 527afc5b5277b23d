"""What a text is about: its terms, good enough to compare two texts of one interview."""

from __future__ import annotations

import re
from itertools import pairwise

_LATIN = re.compile(r"[a-z][a-z0-9+#.-]*[a-z0-9+#]|[a-z]")
_CHINESE = re.compile("[\u3400-\u9fff]+")
_ENDING = re.compile(r"(?:ing|ed|es|s|e)$")
_STOP = re.compile(
    "[的了在是和与及其或有为以对从到中上下个这那哪什么怎样如何请您你我他们它会能可要会把被将并也就都还而但"
    "说讲谈介绍解一下次些种些等吗呢吧问题考察候选人被面试者]"
)
_WORDS = frozenset(
    "a an and are as at be been but by can could describe did do does explain first for from give "
    "had has have how i if in into is it its just looks make may me my no not of on one or our out "
    "please should so some such tell than that the their them then there these they this to two "
    "understands us use used want was we were what when where whether which who why will with "
    "would you your about case checks knows own real".split()
)


def terms(text: str) -> frozenset[str]:
    """Latin words and pairs of Chinese characters that are no function words."""
    folded = text.casefold()
    words = (word for word in _LATIN.findall(folded) if len(word) > 1 and word not in _WORDS)
    latin = {_ENDING.sub("", word) if len(word) > 4 else word for word in words}
    runs = _CHINESE.findall(_STOP.sub(" ", folded))
    pairs = {one + next_one for run in runs for one, next_one in pairwise(run)}
    return frozenset(latin | pairs)
