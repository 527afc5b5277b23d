"""Personal data of a typed form: e-mail, address, id and card numbers, phone, WeChat, QQ.

Built to miss little of what is written in a usual form. What has no form (a nickname, an employer)
is found only where it is listed. Places are those in the text as given, character for character.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from stdnum import luhn

WIDE = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
"""Full-width letters, digits and marks as plain ones, one for one."""


class Found(NamedTuple):
    """One piece of personal data in a text."""

    start: int
    end: int
    kind: str
    """NAME, TERM, EMAIL, URL, ID, CARD, PHONE, WECHAT, QQ."""
    identity: str
    """What it is about: equal for two pieces that get the same placeholder."""


_TLD = r"(?:com|cn|org|net|edu|gov|io|me|dev|ai|co|cc|top|xyz|info|tech|app|site|blog|uk|de|fr|jp)"
_LOCAL = r"(?<![a-z0-9\u00c0-\u024f._%+-])[a-z0-9\u00c0-\u024f._%+-]+"
"""Begun only where the name begins, so that a long run of letters is looked at once."""
_EMAIL = re.compile(
    rf"{_LOCAL}\s?(?:@|\(at\)|\[at\]|艾特)\s?"
    r"[a-z0-9-]+(?:(?:\.|\s?点\s?|\sdot\s)[a-z0-9-]+)+"
    # Said aloud; "at 99.9. We" and "at all. This" are no addresses.
    rf"|{_LOCAL}\sat\s[a-z0-9-]+(?:\sdot\s[a-z0-9-]+)+",
    re.IGNORECASE | re.ASCII,
)
_URL = re.compile(
    r"(?:https?://|www\.)[^\s\u3000-\u303f\u4e00-\u9fff<>\"'()（）,，;；]+"
    rf"|(?<![\w.@-])(?:[a-z0-9-]+\.)+{_TLD}(?::\d+)?/[\w.~%/?#=&+-]+"
    r"|(?<![\w.@-])(?:[a-z0-9-]+\.)+(?:com|cn|org|edu)(?![\w.]*\w)",
    re.IGNORECASE | re.ASCII,
)
_CN_ID = re.compile(
    r"(?<![\da-z])[1-9]\d{5}[\s-]?(?:19|20)\d{2}[\s-]?(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])"
    r"[\s-]?\d{3}[\dx](?![\da-z])",
    re.IGNORECASE | re.ASCII,
)
_US_ID = re.compile(r"(?<![\d-])(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\d-])", re.ASCII)
_CARD = re.compile(r"(?<!\d)\d{4}(?:[\s-]?\d{4}){3}(?:[\s-]?\d{1,3})?(?!\d)", re.ASCII)
_CN_MOBILE = re.compile(
    r"(?<![\d.])(?:(?:\+|00)?86[\s-]?)?1[3-9](?:[\s-]?\d){9}(?![\d.]*\d)", re.ASCII
)
_SPOKEN_MOBILE = re.compile(r"[幺一][三四五六七八九](?:[\s，,、]?[零〇幺一二两三四五六七八九]){9}")
_WECHAT = re.compile(
    r"(?:微信|威信|薇信|v信|wechat|weixin|(?<![a-z])(?:vx|wx)(?![a-z]))"
    r"(?P<said>(?:\s?(?:号码|账号|号|id|是|为|叫|就是|is|搜|加|[:：=]))*)\s*"
    r"(?P<id>[a-z][-_a-z0-9]{5,19}(?![-_a-z0-9]))",
    re.IGNORECASE,
)
_QQ = re.compile(
    r"(?<![a-z])qq\s?(?:号码|号|群)?\s?(?:是|为|is|[:：])?\s?(?P<id>[1-9]\d{4,10})(?!\d)",
    re.IGNORECASE | re.ASCII,
)
_DIGITS = re.compile(r"\d(?:\D{0,3}\d){6}", re.ASCII)
_CALLED = re.compile(r"(?:phone|tel|call|cell|mobile|number|reach me)\W*(?:\w+\W+){0,3}$", re.I)


def find_typed(text: str) -> Iterator[Found]:
    """Every piece of a typed form; pieces may overlap."""
    plain = text.translate(WIDE)
    for kind, pattern in (("EMAIL", _EMAIL), ("URL", _URL), ("ID", _CN_ID), ("ID", _US_ID)):
        for match in pattern.finditer(plain):
            yield _found(match.start(), match.end(), kind, plain)
    for match in _CARD.finditer(plain):
        if luhn.is_valid(re.sub(r"\D", "", match[0])):
            yield _found(match.start(), match.end(), "CARD", plain)
    for match in _WECHAT.finditer(plain):
        # 微信支付 and "WeChat platform" are no ids: one is announced, or holds a digit or a mark.
        if match["said"] or re.search(r"[\d_-]", match["id"]):
            yield _found(*match.span("id"), "WECHAT", plain)
    for match in _QQ.finditer(plain):
        yield _found(*match.span("id"), "QQ", plain)
    yield from _phones(plain)


def _found(start: int, end: int, kind: str, plain: str) -> Found:
    text = plain[start:end]
    kept = re.sub(r"[\s()-]", "", text) if kind in ("ID", "CARD", "PHONE") else text
    return Found(start, end, kind, kept.casefold())


def _phones(plain: str) -> Iterator[Found]:
    for match in (*_CN_MOBILE.finditer(plain), *_SPOKEN_MOBILE.finditer(plain)):
        yield _found(match.start(), match.end(), "PHONE", plain)
    if not _DIGITS.search(plain):
        return
    # Its tables take a tenth of a second to load, and most answers hold no number.
    from phonenumbers import Leniency, PhoneNumberMatcher

    for region in ("CN", "US", "GB"):
        for found in PhoneNumberMatcher(plain, region, leniency=Leniency.VALID):
            if _reads_as_phone(found.raw_string, region, plain[: found.start]):
                yield _found(found.start, found.end, "PHONE", plain)


def _reads_as_phone(raw: str, region: str, before: str) -> bool:
    """Whether a valid number is meant as one: 2147483647 and 512 256 1024 are not."""
    if raw.startswith(("+", "00")) or _CALLED.search(before[-40:]):
        return True
    if re.fullmatch(r"\d{1,3}(?:\.\d{1,3}){3}", raw):
        return False
    if region == "CN":
        return raw.startswith(("0", "400", "800", "(0")) and re.search(r"\D", raw) is not None
    return re.search(r"[-.()]", raw) is not None
