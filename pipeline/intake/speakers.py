"""Who speaks: lines with a speaker's label, and whether that is interviewer or candidate."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from pipeline.intake.asking import asks, ends_asking
from pipeline.intake.talk import is_closing, is_filler, is_small_talk

Role = Literal["interviewer", "candidate"]

_TIME = r"\d{1,2}[:：]\d{2}(?:[:：]\d{2})?(?:[.,]\d{1,3})?"
_DATE = r"(?:\d{4}[-/.年]\d{1,2}[-/.月]\d{1,2}日?[ T]+)?"
_SPAN = rf"[\[(（【]?{_DATE}{_TIME}(?:[ \t]*(?:[-–—~]+>?|至|到)[ \t]*{_TIME})?[\])）】]?"
_SPOKEN = re.compile(
    rf"[ \t\u3000]*(?:[-*>][ \t]+)?(?P<t1>{_SPAN})?[ \t]*(?P<bold>\*\*|__)?"
    r"(?P<speaker>[^\s:：\[\]（）()\d*_#|<>/=,，。.?？!！；;、\"“”]"
    r"[^:：\n\[\]（）()*|<>=，。?？!！；;、\"“”]{0,31}?)"
    r"[ \t]*(?:[（(](?P<note>[^（）()\n]{1,40})[）)])?[ \t]*(?P<closed>\*\*|__)?"
    rf"[ \t]*(?P<t2>{_SPAN})?[ \t]*(?P<closed2>\*\*|__)?[ \t]*[:：]"
    r"(?P<closed3>\*\*|__)?(?!//)[ \t\u3000]*(?P<text>.*)$"
)
_ALONE = re.compile(
    rf"[ \t]*(?:\*\*|__)?(?P<speaker>[^\s:：\d\[(][^:：\n\[(]{{0,30}}?)(?:\*\*|__)?"
    rf"(?:[ \t]*[（(](?P<note>[^（）()\d]{{1,30}})[）)])?[ \t\u3000]+(?P<t1>{_SPAN})[ \t]*$"
)
_BRACKETED = re.compile(
    r"[ \t]*(?:#{1,6}[ \t]*|[-*>][ \t]+)?(?:\*\*|__)?(?P<open>[【\[])?"
    r"(?P<speaker>[^\s:：\[\]【】#*][^:：\[\]【】*]{0,20}?)(?P<close>[】\]])?"
    r"(?:\*\*|__)?[ \t]*[:：]?(?:\*\*|__)?[ \t]*(?P<text>(?<=[】\] \t:：]).*)?$"
)
_INTERVIEWER = re.compile(
    r"(?:主|副|技术|业务|hr)?\s*(?:面试官|面試官|考官|主考|主考官|面试人员|提问者|提问人|访谈者|访谈人|主持人)|"
    r"hr|hrbp|(?:lead |technical |co-?)?interviewer|recruiter|hiring manager|panel(?:l?ist)?|"
    r"examiner|moderator|assessor|host",
    re.I,
)
_CANDIDATE = re.compile(
    r"候选人|候選人|应聘者|应聘人|求职者|面试者|被面试者|被面试人|面试人|受访者|受访人|考生|应试者|应试人|我|"
    r"candidate|interviewee|applicant|respondent|student|examinee|participant|job seeker",
    re.I,
)
_NOT_PEOPLE = re.compile(
    r"注意|注|例如|比如|首先|其次|再次|然后|最后|另外|结论|总结|原因|背景|优点|缺点|优势|劣势|问题|方案|"
    r"结果|步骤|目的|目标|思路|举例|说明|提示|补充|备注|答案|解析|要点|第[一二三四五六七八九十]\w?|"
    r"notes?|examples?|e\.g|first(?:ly)?|second(?:ly)?|third(?:ly)?|then|next|finally|also|pros?|cons?|"
    r"advantages?|disadvantages?|summary|results?|reasons?|problems?|solutions?|steps?|goals?|"
    r"situation|task|action|background|conclusion|warning|tips?|update",
    re.I,
)
_SUFFIX = re.compile(r"\s*[#（(]?\s*(?:[A-Za-z0-9]|[\u3400-\u9fff]{1,3})\s*[)）]?$")


class Spoken(NamedTuple):
    """A line that may start a turn."""

    at: int
    speaker: str
    note: str
    text: str
    timed: bool


def spoken(at: int, line: str) -> Spoken | None:
    """The line as the start of a turn, if it has the form of one."""
    match = _ALONE.match(line) if len(line) < 90 else None
    if match:
        return Spoken(at, match["speaker"].strip(), match["note"] or "", "", True)
    bracketed = _bracketed(at, line)
    if bracketed:
        return bracketed
    match = _SPOKEN.match(line[:400])
    if not match or not _name_like(match["speaker"].strip()):
        return None
    closed = match["closed"] or match["closed2"] or not match["bold"]
    # Bold signs behind a label that is closed already open bold text.
    text = line[match.start("closed3" if closed and match["closed3"] else "text") :].strip()
    timed = bool(match["t1"] or match["t2"])
    return Spoken(at, match["speaker"].strip(), match["note"] or "", text, timed)


def _bracketed(at: int, line: str) -> Spoken | None:
    """`【面试官】…`, `### Candidate`, or a role alone on its line."""
    match = _BRACKETED.match(line)
    if not match or bool(match["open"]) != bool(match["close"]):
        return None
    text = (match["text"] or "").strip()
    if (text and not match["open"]) or not role_word(match["speaker"].strip()):
        return None
    return Spoken(at, match["speaker"].strip(), "", text, False)


def role_word(speaker: str, note: str = "") -> Role | None:
    """The role that a label says by itself: 面试官A, Candidate, 张三（面试官）."""
    for text in (note, speaker):
        for bare in (text.strip(), _SUFFIX.sub("", text.strip())):
            if bare and _INTERVIEWER.fullmatch(bare):
                return "interviewer"
            if bare and _CANDIDATE.fullmatch(bare):
                return "candidate"
    return None


def cast(lines: Sequence[Spoken], head: Mapping[Role, str]) -> dict[str, Role] | None:
    """The role of each speaker; None where they cannot be told apart.

    `head` holds what the header says of interviewers and candidate. Labels that are in no role
    stay text.
    """
    roles: dict[str, Role] = {}
    for line in lines:
        role = role_word(line.speaker, line.note) or _declared(line.speaker, head)
        if role:
            roles.setdefault(line.speaker, role)
    known = set(roles.values())
    rest = _unknown(lines, roles)
    if known == {"interviewer", "candidate"} or known == {"candidate"}:
        roles |= {name: "interviewer" for name in rest if _asking(rest[name]) >= 0.5}
    elif known == {"interviewer"}:
        roles |= _the_one_who_answers(rest)
    else:
        roles = _by_pattern(rest)
    return roles if set(roles.values()) == {"interviewer", "candidate"} else None


def late_interviewers(lines: Iterable[Spoken], roles: Mapping[str, Role]) -> dict[str, Role]:
    """Labels met only once that ask: nobody but an interviewer puts a question under a name."""
    return {
        line.speaker: "interviewer"
        for line in lines
        if line.speaker not in roles and ends_asking(line.text) and _proper_name(line.speaker)
    }


def _declared(speaker: str, head: Mapping[Role, str]) -> Role | None:
    """A header such as `Interviewers: VP Product (Kim)` names Kim, and `Dir. Eng` by beginnings."""
    words = [word for word in re.split(r"[\s.]+", speaker.casefold()) if word]
    for role, text in head.items():
        known = re.findall(r"[^\W_]+", text.casefold())
        if words and all(any(name.startswith(word) for name in known) for word in words):
            return role
        if re.search(r"[\u3400-\u9fff]", speaker) and speaker in text:
            return role
    return None


def _unknown(lines: Sequence[Spoken], roles: Mapping[str, Role]) -> dict[str, list[str]]:
    """Texts by speaker for labels that recur or bear a time, and so are people."""
    texts: dict[str, list[str]] = {}
    timed: set[str] = set()
    for line in lines:
        if line.speaker not in roles and not _NOT_PEOPLE.fullmatch(line.speaker):
            texts.setdefault(line.speaker, []).append(line.text)
            timed |= {line.speaker} if line.timed else set()
    return {
        name: said
        for name, said in texts.items()
        if name in timed or (len(said) > 1 and _proper_name(name))
    }


def _asking(texts: Sequence[str]) -> float:
    """The share of a speaker's turns that ask, small talk aside."""
    told = [text for text in texts if not (is_filler(text) or is_small_talk(text))]
    told = [text for text in told if not is_closing(text)]
    return sum(map(_asks, told)) / len(told) if told else 0.0


def _asks(text: str) -> bool:
    """A long turn asks only if it ends in a question."""
    return ends_asking(text) or (len(text) <= 160 and "\n" not in text and asks(text))


def _the_one_who_answers(rest: Mapping[str, list[str]]) -> dict[str, Role]:
    if len(rest) == 1:
        return dict.fromkeys(rest, "candidate")
    answering = [name for name, said in rest.items() if _asking(said) < 0.34]
    if len(answering) != 1:
        return {}
    return {name: "candidate" if name in answering else "interviewer" for name in rest}


def _by_pattern(rest: Mapping[str, list[str]]) -> dict[str, Role]:
    """Without any word on roles: one person answers, all the others mostly ask."""
    asking = [name for name, said in rest.items() if _asking(said) >= 0.6]
    answering = [name for name in rest if name not in asking]
    if not asking or len(answering) != 1 or _asking(rest[answering[0]]) > 0.34:
        return {}
    return {name: "candidate" if name in answering else "interviewer" for name in rest}


def _name_like(speaker: str) -> bool:
    if re.search(r"[\u3400-\u9fff]", speaker):
        return len(speaker) <= 12
    return len(speaker.split()) <= 4 and any(char.isalpha() for char in speaker)


def _proper_name(speaker: str) -> bool:
    if re.search(r"[\u3400-\u9fff]", speaker):
        return bool(re.fullmatch(r"\w{2,5}(?: ?[\dA-Za-z]{1,2})?", speaker))
    words = speaker.split()
    return len(words) <= 3 and all(word[:1].isupper() or word.isdigit() for word in words)
