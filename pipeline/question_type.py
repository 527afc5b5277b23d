"""What kind of answer a question asks for, by rule, from its words and its objective."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal, get_args

QuestionType = Literal["concept", "experience", "opinion", "design", "code"]
QUESTION_TYPES: tuple[QuestionType, ...] = get_args(QuestionType)

_CODE = re.compile(
    r"(?:写|补全|实现(?=一))(?:出|一下)?(?:改进后的|对应的|完整的)?\s*(?:一?(?:个|条|段|句))?"
    r"[^，。？?]{0,14}?(?:函数|代码|脚本|程序|查询|语句|正则|sql|promql|python|参数化用例)"
    r"|表\s*\w+\s*[(（][\w, ]+[)）].*写出|输出什么|打印什么"
    r"|\bwrite (?:me )?(?:an? |the |some |one )?(?:[\w+#-]+ ){0,3}?"
    r"(?:sql|python|java|javascript|code|function|query|script|program|method|class|test|regex)\b"
    r"|\bimplement (?:an? |the )(?:[\w+#-]+ ){0,3}?(?:function|class|method|algorithm)"
    r"|\bwhat does (?:this|the following)(?: \w+){0,3} (?:print|output|return)",
)
_EXPERIENCE = re.compile(
    r"(?:讲|说|谈|分享|描述|介绍|举)[^，。？?]{0,24}(?:经历|真实的?例子|的故障|的缺陷)"
    r"|(?:讲|说|分享)一?[次个件段]|举(?:个|一个|例)?[^，。？?]{0,8}(?:你|您|真实)|真实经历"
    r"|(?:你|您)们?(?:曾|亲自|之前|以前|过去|最近|团队|负责|参与|主导)|在(?:你|您)(?:的项目|参与)"
    r"|(?:你|您)[^，。？?]{0,24}是(?:如何|怎么|怎样)[^，。？?]{0,24}(?:的|应对|处理|解决)"
    r"|(?:你|您)[^，。？?]{0,16}(?:遇到|做|用|负责|参与|主导|处理|实现|踩|上线|写|带|参考)(?:过|了)"
    r"|(?:你|您)[^，。？?]{0,20}(?:方面|中|时)的\s?(?:经验|经历|expertise)"
    r"|(?:你|您)们的[^，。？?]{0,10}(?:怎么做|是什么)"
    r"|\btell (?:us|me) (?:about|of)|\bdescribe (?:an? |the |your |one )?(?:[\w'-]+ ){0,6}?"
    r"(?:you|that you)\b|\b(?:have|had) you (?:ever )?(?:\w+ed|built|led|run|seen|used|done|made)"
    r"|\b(?:an?|the|one) (?:time|case|example|situation|incident|bug|project) "
    r"(?:when|where|in which|that|which|you)|\bwhat was your (?:own )?(?:part|role)"
    r"|\bdid you\b|\breal (?:case|example)|\b(?:in|from) your (?:last|previous|own|current) "
    r"|\bwhat (?:is|are) your (?!view|opinion|take|thought|stance|position|step)",
)
_DESIGN = re.compile(
    r"(?:请|你会|如何|怎么|怎样|来)?设计(?:一[个套种条]|测试用例|个|出)|(?:怎么|怎样|如何)设计"
    r"|(?:你会)?(?:怎么|怎样|如何)(?:搭建|架构|规划|安排|拆分|选型)|架构(?:设计|方案)|关键要素"
    r"|\b(?:how would you |please |do you )?(?:re)?design\b"
    r"|\bhow would you (?:build|architect|structure|lay out|model|organi[sz]e|set up|plan)\b"
    r"|\bsketch (?:an?|the)\b",
)
_OPINION = re.compile(
    r"(?:怎么|如何|怎样)看(?:待)?|(?:你|您)(?:的)?(?:看法|观点|见解|想法|立场)|看法|(?:你|您)认为"
    r"|(?:你|您)觉得|应不应该|该不该|(?:是否|你)(?:同意|赞成)|发展趋势|未来"
    r"|\b(?:your|any) (?:opinion|view|views|take|thoughts|stance|position)\b"
    r"|\bdo you (?:think|agree|believe|prefer)\b|^\s*should\b|\bargue (?:for|against)\b"
    r"|\bwould you (?:split|recommend|choose|rather)\b|\bwhat do you think\b",
)
_ASKS_EXPERIENCE = re.compile(
    r"实践经验|实际工作经验|项目经验|操作经验|真实经历|亲身|个人(?:贡献|作用)|本人"
    r"|real (?:case|project|incident|session|bug)|own (?:part|contribution|actions|decision)"
)
_CONCEPT = re.compile(
    r"什么是|是什么|解释|概念|原理|区别|为什么|优缺点|含义|what (?:is|are)|explain|difference|why"
)


@lru_cache(maxsize=512)
def question_type(question: str, objective: str | None = None) -> QuestionType:
    """The type of a question; what asks for the candidate's own past goes before all but code.

    Many candidates are asked the same questions, so that the last ones are kept.
    """
    asked, aim = question.casefold(), (objective or "").casefold()
    if _CODE.search(asked):
        return "code"
    if _EXPERIENCE.search(asked):
        return "experience"
    if _DESIGN.search(asked):
        return "design"
    if _OPINION.search(asked):
        return "opinion"
    if not _CONCEPT.search(asked) and _ASKS_EXPERIENCE.search(aim):
        return "experience"
    return "concept"
