"""Where the source's own words and the grades do not go together, item by item.

The comment and the introduction never reach the grader. Afterwards they are held against what was
found: praise for a question that was left blank, and for an answer that was graded very low.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal

from pipeline.claims import pairs_in_words
from pipeline.gates.end import check
from pipeline.quotes import fold
from pipeline.records import Interview, Item, Outcome
from pipeline.terms import terms

LOW = Decimal("1.5")
"""An answer with at most this overall is not one to praise."""
LEAST_TERMS = 2
"""So many terms of this question alone must stand in the praise; in Chinese, one Latin word."""
_SENTENCE = re.compile(r"[^。！？!?；;\n.]+(?:\.(?!\s)[^。！？!?；;\n.]*)*[。！？!?；;\n.]?")
_PRAISE = re.compile(
    r"扎实|清晰|准确|深[刻入厚]|良好|出色|优秀|丰富|独到|到位|全面|详细|生动|较好|很好|不错|突出|熟悉|精通"
    r"|擅长|见解|素养|功底|专业|理解透|有条理|亮点|能够?(?:表达|结合|指出|讲清|说清)|认识|完整|值得|肯定|实用"
    r"|简洁|有温度|考虑到"
    r"|\b(?:excellent|strong|solid|clear\w*|impressive|thorough|detailed|good|great|well|insightful|"
    r"deep|convincing|accurate|competent|confident|skilled|in-depth|exact|"
    r"sensible|to the point|showed that)\b",
    re.IGNORECASE,
)
_CRITICAL = re.compile(
    r"不足|欠缺|薄弱|不够|较弱|不清|错误|没能|未能|不熟|缺乏|一般|有待|遗憾|不了解|答错"
    r"|\b(?:weak\w*|lack\w*|poor\w*|wrong|unclear|fail\w*|shallow|vague|could ?n[o']t|missed)\b",
    re.IGNORECASE,
)
_UNANSWERED = re.compile(
    r"未作?答|未回答|没有?(?:作答|回答|答)|未能?回答|空白|空着|留空|跳过|略过|缺失|漏答|交了?白卷"
    r"|\b(?:did ?n[o']t answer|not answer\w*|unanswered|left (?:\w+ )?(?:blank|empty|open)"
    r"|no answer|skipped|blank)\b",
    re.IGNORECASE,
)
_NUMBERED = re.compile(
    r"(?:问题|第|题|questions?|items?|q)\s*((?:\d+|[一二三四五六七八九十])"
    r"(?:\s*(?:、|,|，|和|and|&)\s*第?(?:\d+|[一二三四五六七八九十]))*)",
    re.IGNORECASE,
)
_DIGITS = dict(zip("一二三四五六七八九十", range(1, 11), strict=True))
_SWEEPING = re.compile(
    r"(?:回答|答案|作答|每[个一道]\S{0,3}问?题|所有\S{0,3}问?题|各个?问?题|全部\S{0,3}问?题)\S{0,4}"
    r"(?:都|均|非常|十分|很|相当)\S{0,6}(?:详细|完整|全面|到位|出色|准确|专业|充分|好)"
    r"|\b(?:all|every|each)(?: of)?(?: the| my| our| his| her| their)? (?:questions?|answers?)\b"
    r"[^.!?]{0,30}\b(?:answered|detailed|complete|thorough|excellent|good|well|strong|convincing)\b"
    r"|\b(?:his|her|their|the candidate's|the) answers (?:were|are) (?:all |very |quite )*"
    r"(?:detailed|complete|thorough|excellent|professional|convincing)",
    re.IGNORECASE,
)


def find_contradictions(interview: Interview, outcomes: Mapping[str, Outcome]) -> tuple[str, ...]:
    """Each contradiction in plain words, with the places of the items it is about."""
    blank = [place for place, item in enumerate(interview.items) if _is_blank(item, outcomes)]
    low = [place for place, item in enumerate(interview.items) if _is_low(item, outcomes)]
    answers = [item.answer or "" for item in interview.items]
    return (
        *_against_source("comment", interview.comment, interview.items, blank, low),
        *_against_source("introduction", interview.intro, interview.items, blank, low),
        *pairs_in_words(answers),
    )


def _against_source(
    name: str, text: str | None, items: Sequence[Item], blank: Sequence[int], low: Sequence[int]
) -> Iterator[str]:
    """What one text of the source says against the grades."""
    if not text or not (blank or low):
        return
    sentences = [found[0] for found in _SENTENCE.finditer(text)]
    own, word = _own_terms(items), _word([items[place] for place in blank])
    admitted, all_admitted = _admitted(sentences, items, own, blank)
    praise = [one for one in sentences if _PRAISE.search(one) and not _CRITICAL.search(one)]
    open_blanks = [place for place in blank if place not in admitted]
    praised = [place for place in open_blanks if any(_is_about(one, own[place]) for one in praise)]
    if praised:
        yield f"the {name} praises {_listed(praised)}, which {_are(praised)} {word}"
    rest = [place for place in open_blanks if place not in praised]
    if rest and not all_admitted and any(_SWEEPING.search(one) for one in praise):
        yield f"the {name} praises all answers, but {_listed(rest)} {_are(rest)} {word}"
    for place in low:
        if any(_is_about(one, own[place]) for one in praise):
            yield f"the {name} praises item {place + 1}, which is graded {LOW} or less"


def _own_terms(items: Sequence[Item]) -> list[frozenset[str]]:
    """For each item the terms that no other question has."""
    texts = [terms(f"{item.question} {item.objective or ''}") for item in items]
    counts = Counter(term for one in texts for term in one)
    return [frozenset(term for term in one if counts[term] == 1) for one in texts]


def _is_about(sentence: str, own: frozenset[str]) -> bool:
    shared = terms(sentence) & own
    chinese = any(character >= "\u2e80" for character in sentence)
    return len(shared) >= LEAST_TERMS or (chinese and any(term[0].isascii() for term in shared))


def _admitted(
    sentences: Sequence[str],
    items: Sequence[Item],
    own: Sequence[frozenset[str]],
    blank: Sequence[int],
) -> tuple[set[int], bool]:
    """The blanks that the text itself names, and whether it owns to blanks without a name."""
    places: set[int] = set()
    unnamed = False
    for sentence in (one for one in sentences if _UNANSWERED.search(one)):
        numbers = _numbers(sentence)
        named = {place for place in blank if str(items[place].number or place + 1) in numbers}
        named |= {place for place in blank if _is_about(sentence, own[place])}
        places |= named
        unnamed |= not named
    return places, unnamed


def _numbers(sentence: str) -> set[str]:
    """The numbers of the questions that a sentence names, as printed digits."""
    named = " ".join(found[1] for found in _NUMBERED.finditer(sentence))
    return {str(_DIGITS.get(one, one)) for one in re.findall(r"\d+|[一二三四五六七八九十]", named)}


def _word(items: Sequence[Item]) -> str:
    return "blank or copied" if any(fold(item.answer or "").text for item in items) else "blank"


def _is_blank(item: Item, outcomes: Mapping[str, Outcome]) -> bool:
    outcome = outcomes.get(item.item_id)
    if outcome is not None:
        return outcome.status in ("blank", "copied")
    gate = check(item)
    return gate is not None and gate.status in ("blank", "copied")


def _is_low(item: Item, outcomes: Mapping[str, Outcome]) -> bool:
    outcome = outcomes.get(item.item_id)
    grade = outcome.grade if outcome and outcome.status == "scored" else None
    return grade is not None and grade.overall <= LOW


def _listed(places: Sequence[int]) -> str:
    numbers = [str(place + 1) for place in places]
    if len(numbers) == 1:
        return f"item {numbers[0]}"
    return f"items {', '.join(numbers[:-1])} and {numbers[-1]}"


def _are(places: Sequence[int]) -> str:
    return "is" if len(places) == 1 else "are"
