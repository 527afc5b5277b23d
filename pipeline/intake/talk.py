"""Small talk and follow-ups: what in a dialogue is no question of its own."""

from __future__ import annotations

import re

from pipeline.intake.asking import asks, ends_asking

_ASSENT = (
    r"嗯哼|嗯++|哦++|噢++|啊++|对的|对++|是的?|好的|好吧|好++|行|可以|明白了?|了解了?|知道了|清楚了|收到|没错|"
    r"谢谢(?:你|您|大家|面试官|老师)?|感谢|多谢|不客气|没关系|你好|您好|大家好|面试官好|各位面试官好|老师好|再见|拜拜|辛苦了?|"
    r"请坐|欢迎(?:参加(?:今天的)?面试)?|请继续|继续|请讲|请说|很好|非常好|不错|挺好的?|很棒|"
    r"回答得?(?:很|非常)?(?:好|不错|清楚|完整)|有意思|"
    r"ok(?:ay)?|yes|yeah|yep|yup|right|sure|of course|great(?: answer)?|good(?: answer)?|nice|"
    r"perfect|excellent|interesting|cool|fine|got it|i see|understood|alright|all right|m++h*+m*+|"
    r"uh[- ]?huh|uh++|um++|hm++|go on|go ahead|"
    r"please continue|thanks?(?: you)?(?: (?:so|very) much)?|"
    r"hi|hello|hey|good (?:morning|afternoon|evening)|bye|goodbye|"
    r"welcome|that makes sense|makes sense|fair enough|no problem|you'?re welcome|there|everyone"
)
_FILLER = re.compile(rf"(?:(?:{_ASSENT})[-\s,，.。!！~～…、;；]*+)+", re.I)
_SMALL_TALK = re.compile(
    r"听得?(?:到|见|清楚?)吗?|能听(?:到|见|清)|看得到(?:我|屏幕)|准备好了吗|可以开始了?吗|"
    r"can you (?:hear|see)|do you hear|how are you|are you ready|shall we (?:start|begin)|"
    r"ready to (?:start|begin)",
    re.I,
)
_CLOSING = re.compile(
    r"(?:今天|面试)(?:的面试)?(?:就|先)?到(?:这|此)|(?:面试|今天).{0,4}结束|后续.{0,12}(?:联系|通知)|等(?:我们|候)?.{0,4}通知|"
    r"that'?s (?:all|it)|we(?:'re| are) done|(?:be|get) in touch|have a (?:nice|good|great) day|"
    r"thanks? (?:you )?(?:so much |very much )?for (?:your time|coming|joining)",
    re.I,
)
_MARKED = re.compile(
    r"\s*(?:面试官)?(?:追问|补充(?:提问|问题)?|补问|follow[- ]?up(?: question)?)\s*\d*\s*[:：]\s*",
    re.I,
)
_BACK = re.compile(
    r"刚才|刚刚|(?:你|您)(?:前面|上面|之前|这里|刚)?(?:提到|说到|说的|讲的|讲到|谈到|提及)|"
    r"重做一次|重来一次|再来一次|再做一次|重新(?:做|设计|来)|能证明|怎么证明|如何证明|"
    r"^(?:那|那么|所以)?(?:具体|能具体|可以具体|能不能具体)(?:说|讲|一点|来说|怎么|是怎么)|"
    r"^(?:能|可以|请)?(?:你|您)?(?:举个|给个|举一个)(?:例子|具体的?例子)|"
    r"^(?:然后呢|还有呢|还有吗|还有别的吗|为什么呢|为什么[?？]*$|为什么(?:不|这样|这么)|比如呢|怎么说)|"
    r"\byou (?:just |also )?(?:mentioned|said|described|talked)\b|\bdifferently\b|"
    r"\bquantify (?:the|that|it|this)\b|\b(?:elaborate|expand) on\b|^(?:can|could) you elaborate|"
    r"\b(?:tell me|say) more(?: about (?:that|this|it))?[.?]?\s*$|\bmore specific\b|"
    r"^(?:how so|why(?: not| so| is that| was that)?|such as|like what|for example|and then)\s*\?|"
    r"\bgive (?:me |us )?(?:an|one) example(?: of (?:that|this))?\s*\?*$",
    re.I,
)
_NEW_TOPIC = re.compile(
    r"下一个|下一题|换个|换一个|另一个问题|另外一个问题|接下来|最后(?:一个)?问题|我们(?:来)?(?:聊|谈)|"
    r"next question|moving on|let'?s (?:move|talk|switch|turn)|another question|different topic|"
    r"last question|final question",
    re.I,
)
_CUT_MARK = re.compile(
    r"[\[(（【](?:…|\.\.\.)?\s*(?:interview continues|transcript (?:ends|cut|truncated)|"
    r"recording (?:ends|stops)|to be continued|后略|以下省略|略|面试继续|录音结束|未完待续)"
    r"\s*(?:…|\.\.\.)?[\])）】]",
    re.I,
)


def is_filler(text: str) -> bool:
    """Whether a turn is nothing but greeting, thanks, praise or a sound of assent."""
    bare = text.strip()
    return not bare or (len(bare) <= 80 and bool(_FILLER.fullmatch(bare)))


def is_small_talk(text: str) -> bool:
    """Whether a turn only opens the talk: can you hear me, are you ready."""
    return len(text) <= 100 and bool(_SMALL_TALK.search(text))


def is_closing(text: str) -> bool:
    """Whether a turn ends the talk."""
    return len(text) <= 200 and not ends_asking(text) and bool(_CLOSING.search(text))


def is_question(text: str) -> bool:
    """Whether an interviewer's turn asks for something."""
    return ends_asking(text) or "?" in text or "？" in text or asks(text)


def follow_up(text: str) -> str | None:
    """The text without its mark if it goes on from the answer before; None for a new question."""
    marked = _MARKED.match(text)
    if marked:
        return text[marked.end() :].strip()
    if _NEW_TOPIC.search(text) or len(text) > 300:
        return None
    return text if _BACK.search(text) else None


def is_cut_mark(text: str) -> bool:
    """Whether a line says that the transcript was cut here."""
    return bool(_CUT_MARK.fullmatch(text.strip()))
