"""An answer without the words in which its speaker says who they are.

Name, sex, age, school and years on the job say nothing about an answer, and yet move what a model
makes of it. Left out are clauses at the beginning alone: later on, years may be evidence.
"""

from __future__ import annotations

import re
from itertools import islice

MOST = 20
"""Clauses that an introduction has at most."""
_ASKED = re.compile(
    r"自我介绍|介绍.{0,4}(?:自己|你们?本人)|(?:introduce|about|describe) yourself|your background"
    r"|你的(?:背景|简历|学历)|who (?:are you|you are)",
    re.IGNORECASE,
)
"""Questions that ask for it."""
_CLAUSE = re.compile(
    r"(?:(?!\s(?:and|with)\s)(?:[^，,；;。.！!\n]|\.(?!\s|$)))*"
    r"(?:[，,；;。.！!\n]+\s*|\s(?=(?:and|with)\s)|$)"
)
_GREETING = re.compile(
    r"(?:大家|各位\w{0,4}|面试官\w{0,2}|老师\w{0,2}|您|你)?好|hello|hi|hey"
    r"|good (?:morning|afternoon|evening)|(?:hello|hi|hey) (?:everyone|all|there)",
    re.IGNORECASE,
)
_SURNAMES = (
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏"
    "魏吕丁任沈姚卢姜崔钟谭陆汪范金石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚"
    "邵万钱严覃武戴莫孔向汤欧司上诸"
)
_LATIN = r"[A-Z][\w.'’-]*(?:\s+[A-Z][\w.'’-]*)"
_NAME = re.compile(
    rf"(?:我叫|我的名字[叫是]|本人名?叫)\s*(?:[{_SURNAMES}][\u4e00-\u9fff]{{1,3}}|{_LATIN}{{0,3}})"
    rf"|(?i:my name is|my name's|i am called|i'm called)\s+{_LATIN}{{0,3}}"
)
"""Says a name."""
_MAYBE_NAME = re.compile(
    rf"(?:我是|本人)\s*(?:[{_SURNAMES}][\u4e00-\u9fff]{{1,2}}|{_LATIN}{{0,3}})"
    rf"|(?i:i am|i'm|i’m|this is)\s+{_LATIN}{{1,3}}"
)
"""Says one if a detail comes next."""
_DETAIL = re.compile(
    r"(?:男|女)(?:性|生|士)?|(?:我?今年)?\d\d岁|(?:我?来自|.{0,4}籍贯).{1,8}"
    r"|.{0,12}(?:毕业|硕士|博士|本科|大专|中专|学士|研究生|大学|学院).{0,8}"
    r"|.{0,8}[\d一二三四五六七八九十两]+多?年(?:了|.{0,8}经验)?"
    r"|(?:an? )?(?:fe)?male|(?:an? )?(?:wo)?man(?: of \d\d)?|(?:he/him|she/her|they/them)"
    r"|(?:i am |i'm |aged? )?\d\d(?: years old)?|(?:i am |i'm )?from \S+(?: \S+){0,3}"
    r"|(?:\S+ ){0,5}(?:master|bachelor|ph\.?d|doctorate|degree|college|university|graduate|diploma"
    r"|msc|bsc|mba)\S*(?: \S+){0,4}"
    r"|(?:and |with |i have )*(?:\S+ )?(?:[a-z-]+|\d+)\+? years?(?: (?:in|of|on|as) .{1,30})?",
    re.IGNORECASE,
)


def without_introduction(answer: str, question: str) -> str:
    """The answer from behind the introduction; whole where it is asked for, or nothing follows."""
    if _ASKED.search(question):
        return answer
    clauses = [found for found in islice(_CLAUSE.finditer(answer), MOST) if found[0]]
    plain = [found[0].strip(" \n，,；;。.！!") for found in clauses]
    end = first = int(bool(plain) and bool(_GREETING.fullmatch(plain[0])))
    if end == len(plain) or not (_NAME.fullmatch(plain[end]) or _MAYBE_NAME.fullmatch(plain[end])):
        return answer
    end += 1
    while end < len(plain) and _DETAIL.fullmatch(plain[end]):
        end += 1
    sure = _NAME.fullmatch(plain[first]) or end > first + 1
    return answer[clauses[end].start() :] if sure and end < len(plain) else answer
