"""When an answer is blank (present, but nothing in it) and when it is not available at all."""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff]"
)
_BLANK = re.compile(
    r"无|無|无答案|無答案|空|空白|未作答|未做答|未回答|没有回答|没有作答|未答|未填|未填写|没答|暂无|暂无回答|"
    r"略过|跳过|弃答|放弃|放弃作答|放弃回答|不作答|.{0,12}(?:未答出|没答出|答不出|没有答出|未能答出)|"
    r"留空|此处作答|请在此作答|请在此处作答|请输入答案|请输入|待填写|待作答|"
    r"na|n/a|none|nil|null|nan|no ?answer(?: (?:given|provided))?|not answered|unanswered|"
    r"blank|empty|left blank|no response|empty (?:submission|answer|response)|"
    r"skip|skipped|pass|passed|todo|tbd|did ?n[o']?t answer|"
    r"(?:your|write your|type your|enter your) answer(?: here)?|"
    r"<answer>|答案写在这里|在这里写答案|"
    r"(?:the )?candidate (?:did not answer|gave no answer|stayed silent)|沉默|silence|无回应|无应答"
)
_UNAVAILABLE = re.compile(
    r"(?:inaudible|unintelligible|indistinct|crosstalk|no audio|audio (?:lost|missing|cut)|"
    r"recording (?:lost|missing|failed)|"
    r"missing|lost|not recorded|not available|unavailable|redacted|"
    r"听不清|听不清楚|无法听清|听不见|无法辨识|无法识别|"
    r"录音(?:缺失|丢失|中断|损坏|缺损|不清)|音频(?:缺失|丢失|损坏)|"
    r"缺失|未录音|未记录|没有记录|数据缺失|已脱敏|已删除)"
    r"(?:[ ,，:：;；\d.\-–—]*(?:\d{1,2}:\d{2}(?::\d{2})?)?[ \d:.\-–—]*)"
)
_NOT_ASKED = re.compile(
    r"未问|没有问|未提问|未问及|没问|未考察|时间不足,?未问|not asked|not covered|"
    r"(?:question )?(?:was )?not asked|did not ask|out of time|time ran out|未涉及"
)
_DESCRIBED = re.compile(r"[(（\[【][^()（）\[\]【】]{2,60}[)）\]】]")
_DESCRIBES = re.compile(
    r"回答|答了|答出|答到|讲了|提到|谈到|说了|说明了|候选人|面试者|没有给出|answered|explained|"
    r"mentioned|candidate|gave|talked|described|discussed|spoke"
)
_CLOSING_QUESTION = re.compile(
    r"(?:还有|有没有|有什么|其他|其它|别的|补充|想问|要问).{0,12}(?:问|补充|说|吗|么)|"
    r"(?:any|other|more|further|do you have|have you).{0,24}(?:question|add|else|ask)|"
    r"anything else",
    re.I,
)
_TRUE_NOTHING = re.compile(r"无|没有了?|none|no|nothing|nil|n/a|没了", re.I)
_PLACEHOLDER = re.compile(
    r"(?:YOUR ANSWER HERE|TYPE YOUR ANSWER HERE|WRITE YOUR ANSWER HERE|请在此(?:处)?作答[:：]?)\s*",
)


MAX_MARKER = 64
"""No marker of a blank is longer."""


class Settled(NamedTuple):
    """An answer after the rules on blanks."""

    answer: str | None
    missing_reason: str | None = None
    placeholder: bool = False
    """A placeholder stood before a real answer and was taken off."""


def settle(raw: str, question: str) -> Settled:
    """ "" for a blank, None with a reason for what is unavailable, else the answer itself."""
    answer = raw.strip()
    if len(answer) > MAX_MARKER and not _INVISIBLE.search(answer):
        return _without_placeholder(answer)  # the common case, and it must be fast
    core = _core(answer)
    if not core and not _content(answer):
        return Settled("")
    if _CLOSING_QUESTION.search(question) and _TRUE_NOTHING.fullmatch(core):
        return Settled(answer)
    if _BLANK.fullmatch(core):
        return Settled("")
    if _NOT_ASKED.fullmatch(core):
        return Settled(None, "not_asked")
    if _UNAVAILABLE.fullmatch(core):
        return Settled(None, "unavailable")
    if _DESCRIBED.fullmatch(answer) and _DESCRIBES.search(answer):
        return Settled(None, "described")
    return _without_placeholder(answer)


def visible(text: str) -> str:
    """The text without characters that show nothing."""
    return _INVISIBLE.sub("", text)


def _without_placeholder(answer: str) -> Settled:
    placeholder = _PLACEHOLDER.match(answer)
    if placeholder and placeholder.end() < len(answer):
        return Settled(answer[placeholder.end() :].strip(), placeholder=True)
    return Settled(answer)


def _core(answer: str) -> str:
    """Folded to what the markers are written in: no brackets, marks or case."""
    folded = unicodedata.normalize("NFKC", visible(answer)).strip().casefold()
    folded = re.sub(r"\s+", " ", folded)
    return folded.strip(" ()[]{}【】〔〕「」『』《》<>*_~`\"'.,;:!?。、，；：！？…·—–-=#|/\\+&")


def _content(answer: str) -> bool:
    """Whether anything but punctuation is there: "C++" and "∑" are, "……" is not."""
    return any(unicodedata.category(char)[0] in "LNS" for char in visible(answer)) and not (
        re.fullmatch(r"[\s|_~=+<>^`$*-]+", visible(answer))
    )
