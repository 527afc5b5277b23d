"""Whether an answer starts or ends in mid-sentence, seen from its edges.

A doubt for people to look at, and no certainty: a cut that falls on the edge of a sentence leaves
no trace, and some whole answers lack their last stop.
"""

from __future__ import annotations

import re

from pipeline.code_text import ends_in_code, is_code_line

_STARTS_MID = re.compile(
    r"[，、。；：,;)）】」』”]|(?:\[|（|\()(?:…|\.\.\.)"
    r"|(?:\.{3,}|…+)\s*(?!呃|嗯|额|啊|哦|um\b|uh\b|er\b|hm)\w"
    r"|(?:的(?!确|士)|了(?![解结断])|着(?![重手眼急陆力])|们|而(?:言|是|不是|且)|以(?:及|便|免|至于)"
    r"|并且|从而|进而|所以|因此|于是|然而|否则|导致|使得|就会|才能|来说|的话|时候?，|之后，)"
)
_CLOSES_EARLY = re.compile(r"[^()（）\n]{3,15}[)）]")
_FIRST_WORDS = frozenset(
    "a about after again all also although am an and any are as at be because been before being "
    "between both but by can could did do does down each even every few for from get gets getting "
    "go goes going got had has have he her here him his how if in into is it its just made make "
    "makes many me might more most much must my no nor not of off on once one only or other our "
    "out over own part per put same she should since so some such take takes than that the their "
    "them then there these they this those though through to too under until up upon us use used "
    "uses using very was we were what when where whether which while who whose why will with "
    "within without would you your right".split()
)
_PLAIN_WORD = re.compile(r"[a-z]{2,}(?:ed|ing|ly|tion|ment|able|ness|ers?|ies)$")
_NEW_SENTENCE = re.compile(r"[.!?]\s+[A-Z]")
_ENDS_MID = re.compile(r"(?:[，、；：,;:（(\-—–]|\.{3}|…+|[（(][^）)\n]{0,40})$")
_CLOSED = re.compile(r"[。！？!?.」』”’\"'）)】\]}》>`*_|~％%^]$")
_HANGING = re.compile(
    r"(?:\b(?:a|an|the|of|to|and|or|but|with|for|from|by|at|in|on|as|is|are|was|were|be|been|being|"
    r"that|which|who|because|if|when|while|than|then|so|could|would|should|will|can|may|might|must|"
    r"my|our|their|its|his|your|these|those|very|not|i|we|they|has|have|had|do|does|into|about)"
    r"|[的和与及或在把被将对从向给让使并而且但是为因所以如果会能要就才比跟再先由于])$",
    re.IGNORECASE,
)
_RESTS = re.compile(
    r"(?:[吧呢吗啊嘛哈呀哦啦了]|谢谢|就这[些样]|差不多|thanks?|thank you|that's it)$"
)
EDGE = 24
"""Characters at the end that are looked at; more than the longest word looked for."""
_ASKS = re.compile(r"怎么|什么|为何|多少|哪[个些里]|\b(?:how|what|why|which)\b")
_FULL_STOP = re.compile(r"[。！？!?；]|[a-z)\]][.](?:\s|$)")
_COMMA = re.compile(r"，|, ")
_LINKS = re.compile(r"https?://\S+$|[\w.]+@[\w.]+$")


def truncation_flags(answer: str | None) -> tuple[str, ...]:
    """`truncated_start` and `truncated_end`, where an edge of the answer looks cut."""
    text = (answer or "").strip()
    if not text:
        return ()
    start = ("truncated_start",) if starts_mid(text) else ()
    end = ("truncated_end",) if ends_mid(text) else ()
    return (*start, *end)


def starts_mid(text: str) -> bool:
    """Whether the first words go on with a sentence that is not there."""
    first = text.splitlines()[0]
    if is_code_line(first):
        return False
    if _STARTS_MID.match(text):
        return True
    opened = _CLOSES_EARLY.match(first)
    if opened and not re.match(r"[\w.]{1,3}[)）]", first) and not first.startswith(("[", "【")):
        return True
    word = re.match(r"[a-z']+(?=[ ,])", first)
    if not word or not _NEW_SENTENCE.search(text):
        return False
    return word[0] in _FIRST_WORDS or bool(_PLAIN_WORD.match(word[0]))


def ends_mid(text: str) -> bool:
    """Whether the last words leave a sentence open."""
    end = text[-200:]
    if ends_in_code(text) or (("@" in end or "://" in end) and _LINKS.search(end)):
        return False
    if _ENDS_MID.search(text[-60:]):
        return True
    if _CLOSED.search(text[-1:]) or _RESTS.search(text[-EDGE:]):
        return False
    last = text.splitlines()[-1]
    if _HANGING.search(text[-EDGE:]) and len(text) >= 12:
        return True
    clause = re.split(r"[，。；,;.]", last)[-1]
    return not _ASKS.search(clause) and not _is_list(text) and _uses_stops(text, last)


def _uses_stops(text: str, last: str) -> bool:
    """Whether this writer closes sentences, so that an open one stands out."""
    if _FULL_STOP.search(text[: -len(last)] or ""):
        return len(last) >= 8
    if _FULL_STOP.search(last):
        return True
    wide = sum(character >= "\u2e80" for character in last)
    return len(_COMMA.findall(last)) > 0 and len(last) >= (25 if wide * 3 > len(last) else 60)


def _is_list(text: str) -> bool:
    """Whether most lines end without a stop, as the points of a list do."""
    before = [line.strip() for line in text.splitlines()[:-1] if line.strip()]
    open_ends = sum(not _CLOSED.search(line) for line in before)
    return bool(before) and open_ends * 2 >= len(before)
