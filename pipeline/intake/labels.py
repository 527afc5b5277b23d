"""The labels of written transcripts, in Chinese and English, recognised at line start only."""

from __future__ import annotations

import re
from typing import NamedTuple

from pipeline.intake.numerals import NUMERAL, printed_number
from pipeline.intake.vocabulary import WEAK_COMMENT, WORDS, Kind

MAX_LABEL = 300
_BLANKS = " \t\u3000\u00a0"
_KIND_OF = {f"k{n}": kind for n, kind in enumerate(WORDS)}
_WORD = "|".join(f"(?P<k{n}>{words})" for n, words in enumerate(WORDS.values()))
_DECORATION = (
    r"[ \t\u3000\u00a0]*(?P<deco>(?:#{1,6}+[ \t]*+|>[ \t]*+|[-*+•·●■◆][ \t]++)*+)"
    r"(?P<bold>\*\*|__|\*|【|\[)?[ \t\u3000]*"
)
_NOTE = (
    r"(?P<note>[（(\[【][^（）()\[\]【】\n]{0,24}[）)\]】]|[ \t]*[—–][ \t]*[\w ]{1,24}(?=\*\*|__))?"
)
_LABEL = re.compile(
    rf"{_DECORATION}(?:第[ \t]*(?P<nth>{NUMERAL})[ \t]*个?(?:问题|题|题目|问|問|題)|(?:{_WORD}))"
    rf"[ \t\u3000]*(?:#|No\.?[ \t]*)?(?P<num>{NUMERAL})?"
    rf"(?:[ \t]*/[ \t]*[\w]{{1,12}}(?=[ \t]*[:：]))?[ \t\u3000]*{_NOTE}[ \t\u3000]*"
    r"(?P<closed>\*\*|__|\*|】|\])?[ \t\u3000]*(?P<sep>[:：]|[、.．)）]|[—–]{1,2}|-(?= )|$)?"
    r"(?P<closed2>\*\*|__|\*)?(?P<rest>.*)$",
    re.I,
)
_WEAK = re.compile(
    rf"{_DECORATION}(?:{WEAK_COMMENT})[ \t]*(?:\*\*|__|】)?[ \t]*[:：](?:\*\*|__)?(?P<rest>.*)$",
    re.I,
)
_NUMBERED_FIRST = re.compile(rf"(?P<n>{NUMERAL})[ \t]*[.．、)）][ \t]*(?P<label>.+)$")


class Label(NamedTuple):
    """A label at the start of a line."""

    kind: Kind
    word: str
    """The label word, lower case, without number and note."""
    number: int | str | None
    note: str
    """What stands in brackets after the word."""
    rest: str
    """The text after the label, on the same line."""
    style: str
    """How the label is set: heading, bullet, bold, quote marks or nothing."""


def label_of(line: str) -> Label | None:
    """The label that a line starts with, or None where it is plain text."""
    line = line.lstrip(_BLANKS)
    label = _labelled(line)
    if label:
        return label
    weak = _WEAK.match(line)
    if weak and _style(weak):
        return Label("comment", "comment", None, "", weak["rest"].strip(), _style(weak))
    numbered = _NUMBERED_FIRST.match(line)
    inner = _labelled(numbered["label"]) if numbered else None
    if numbered and inner and inner.kind == "question" and inner.number is None:
        return inner._replace(number=printed_number(numbered["n"]), style="numbered")
    return None


def _labelled(line: str) -> Label | None:
    """A label within the first characters; what follows them can only be its text."""
    match = _LABEL.match(line[:MAX_LABEL])
    kind = _kind(match) if match else None
    if not match or not kind or not _accepted(kind, match):
        return None
    return _label(kind, match, line[MAX_LABEL:])


def _kind(match: re.Match[str]) -> Kind:
    if match["nth"]:
        return "question"
    return next(kind for group, kind in _KIND_OF.items() if match[group])


def _accepted(kind: Kind, match: re.Match[str]) -> bool:
    """A colon makes a label; a numbered question may do with less."""
    sep, number = match["sep"] or "", match["nth"] or match["num"]
    if sep in {":", "："} or (kind == "answer" and sep and sep[0] in "、.．)）" and number):
        return True
    closed = bool(match["bold"] and (match["closed"] or match["closed2"]))
    if closed and match["bold"] in {"【", "["}:
        return True
    if kind in {"answer", "comment", "objective", "reference"} and not match["rest"].strip():
        return closed or ("#" in match["deco"] and sep == "")
    if kind not in {"question", "follow_up"} or not number:
        return False
    if sep and (sep[0] not in "-—–" or "#" in match["deco"]):
        return True
    spaced = match.string[match.end("num") : match.start("rest")] != "" if match["num"] else True
    chinese = not _word(match).isascii() or bool(match["nth"])
    loose = spaced and ("#" in match["deco"] or chinese)
    return closed or loose or not match["rest"].strip()


def _label(kind: Kind, match: re.Match[str], tail: str) -> Label:
    rest = match["rest"] + tail
    if match["closed2"] and (match["closed"] or match["bold"] != match["closed2"]):
        rest = match["closed2"] + rest  # it opens bold text after the label
    rest = rest.strip(_BLANKS)
    if match["bold"] in {"**", "__"} and not (match["closed"] or match["closed2"]):
        rest = rest.removesuffix(match["bold"]).rstrip()
    return Label(
        kind=kind,
        word="第题" if match["nth"] else _word(match).casefold(),
        number=printed_number(match["nth"] or match["num"] or ""),
        note=(match["note"] or "").strip(" （）()[]【】—–"),
        rest=rest,
        style=_style(match),
    )


def _word(match: re.Match[str]) -> str:
    return next((match[group] for group in _KIND_OF if match[group]), "")


def _style(match: re.Match[str]) -> str:
    deco = re.sub(r"[ \t]", "", match["deco"])
    return re.sub(r"[•·●■◆*+-]", "-", deco) + ("b" if match["bold"] else "")
