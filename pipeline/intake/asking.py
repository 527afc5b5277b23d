"""Whether a piece of text asks something."""

from __future__ import annotations

import re

_MARK = re.compile(r"[?？][\s\"'”’）)*_~`]*$")
_CHINESE = re.compile(
    r"为什么|为何|什么|怎么|怎样|如何|哪些|哪个|哪种|哪里|是否|吗$|呢$|多少|几个|谈谈|谈一谈|说说|说一下|说一说|"
    r"讲讲|讲一下|讲一讲|讲述|介绍|描述|解释|阐述|简述|列举|举例|分享|比较|对比|分析|请(?![求教客假])|区别|"
    r"聊聊|聊一聊|实现一个|设计一个|手写|假如|如果让你|挑一个"
)
_ENGLISH = re.compile(
    r"(?:what|why|how|when|where|which|who|whom|whose|is|are|was|were|do|does|did|can|could|would|"
    r"will|should|have|has|had|describe|explain|tell|give|name|list|define|compare|discuss|walk|"
    r"talk|share|outline|state|mention|enumerate|implement|design|write|show|imagine|suppose|"
    r"please|introduce|summari[sz]e|any)\b",
    re.I,
)
_NUMBER = re.compile(r"^[\s#>*_-]*(?:Q\s*)?\d{0,3}[.、)）:：]?\s*", re.I)


def ends_asking(text: str) -> bool:
    """Whether the text ends in a question mark."""
    return bool(_MARK.search(text.strip()))


def asks(text: str) -> bool:
    """Whether the text is a question or a request: by its mark, or by how it begins."""
    bare = _NUMBER.sub("", text.strip(), count=1)
    if not bare or len(bare) > 600:
        return False
    return ends_asking(bare) or bool(_CHINESE.search(bare[:80]) or _ENGLISH.match(bare))


def share_asking(texts: list[str]) -> float:
    """The share of the texts that ask; 0 for none."""
    return sum(map(asks, texts)) / len(texts) if texts else 0.0
