"""Which column of a table is which, by name in both languages or by the user's mapping."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence

from pipeline.errors import InputError

_NAMES: dict[str, str] = {
    "interview_id": "interview_id interviewid interview transcript_id session_id session "
    "candidate_id candidateid applicant_id respondent_id respondent student_id studentid user_id "
    "userid submission_id response_id 面试编号 面试id 候选人编号 候选人id 考生编号 考号 学号 "
    "工号 应聘者编号 用户id 作答编号 简历编号",
    "number": "number no question_no question_number questionno question_id questionid q_id qid "
    "q_no 题号 问题编号 序号 题目编号 问题序号 题目id 问题id",
    "question": "question questions question_text questiontext prompt 问题 题目 面试问题 题干 "
    "问题内容 题目内容 提问 面试题 面试题目 試題 問題 题目描述 interview_question",
    "objective": "objective purpose intent competency 考察目标 考察点 考察意图 考察要点 考查点 "
    "考查目标 考察能力 考察维度",
    "answer": "answer answers answer_text answertext response responses response_text reply "
    "candidate_answer student_answer provided_answer given_answer user_answer 回答 答案 作答 "
    "候选人回答 学生答案 学生回答 考生答案 作答内容 回答内容 答复 應答 候选人答案 answer_given "
    "候选人作答 学生作答 answer_en",
    "role": "role position job job_title 岗位 职位 应聘岗位 应聘职位 面试岗位",
    "years_experience": "years_experience years experience years_of_experience yoe 从业年限 "
    "工作年限 工作经验 经验年限",
    "candidate": "candidate candidate_name name full_name your_name interviewee applicant student "
    "您的姓名 你的姓名 学员姓名 姓名 候选人 应聘者 "
    "候选人姓名 考生 学生 考生姓名 学生姓名",
    "profile": "profile summary bio 简介 个人简介",
    "intro": "intro introduction",
    "comment": "comment comments feedback 点评 评语 评价 面试官点评 备注",
}
OURS = {name: ours for ours, names in _NAMES.items() for name in names.split()}
_SCORE = re.compile(
    r"(?:^|_)(?:score|grade|mark|rating|points|label)s?(?:_|$|\d)|得分|分数|评分|打分|成绩"
)
REQUIRED = ("question", "answer")
FIELDS = frozenset({"role", "years_experience", "candidate", "profile", "intro", "comment"})


def fold(name: str) -> str:
    """A column name without width, case, spaces and marks."""
    folded = unicodedata.normalize("NFKC", name).strip().strip("\ufeff").casefold()
    folded = re.sub(r"[(（\[].*?[)）\]]", "", folded).strip()
    return re.sub(r"[\s\-.]+", "_", folded).strip("_:：*")


def match(names: Sequence[str], mapping: Mapping[str, str], *, source: str) -> dict[str, int]:
    """Our name -> the index of the source's column.

    An exact name of ours wins over a synonym. InputError where the mapping names a column that is
    not there, or two columns claim the same place.
    """
    found = _mapped(names, mapping, source)
    folded = [fold(name) for name in names]
    for at, name in enumerate(folded):
        if name in _NAMES and name not in found:
            if name in REQUIRED and folded.count(name) > 1:
                raise _twice(name, folded, source)
            found[name] = at
    claimed: dict[str, list[int]] = {}
    for at, name in enumerate(_spelled(folded)):
        ours = OURS.get(name)
        if ours and ours not in found and at not in found.values():
            claimed.setdefault(ours, []).append(at)
    for ours, places in claimed.items():
        if len(places) > 1 and ours in REQUIRED:
            listed = ", ".join(names[at] for at in places)
            raise InputError(
                f"has several columns that could be `{ours}`: {listed}.",
                source=source,
                remedy=f"Say which with --map {ours}=NAME.",
            )
        found[ours] = places[0]
    return found


def _twice(name: str, folded: Sequence[str], source: str) -> InputError:
    places = [str(at + 1) for at, other in enumerate(folded) if other == name]
    return InputError(
        f"has several columns named `{name}`: columns {', '.join(places)}.",
        source=source,
        remedy=f"Say which by position with --map {name}={places[0]}.",
    )


def recognised(names: Sequence[str], mapping: Mapping[str, str] | None = None) -> set[str]:
    """Which of our columns the names are, without any demand on them."""
    folded = _spelled([fold(name) for name in names if len(name) <= 80])
    by_user = {ours for ours, theirs in (mapping or {}).items() if fold(theirs) in folded}
    return by_user | {OURS[name] for name in folded if name in OURS}


def _spelled(folded: Sequence[str]) -> list[str]:
    """`q` and `a` name columns only together: alone, a letter is a cell."""
    if not {"q", "a"} <= set(folded):
        return list(folded)
    return [{"q": "question", "a": "answer"}.get(name, name) for name in folded]


def score_columns(names: Sequence[str], taken: Mapping[str, int]) -> dict[str, int]:
    """Columns that hold scores, by name: kept apart, never graded from."""
    used = set(taken.values())
    scores: dict[str, int] = {}
    for at, name in enumerate(names):
        if at not in used and _SCORE.search(fold(name)):
            scores[name if name not in scores else f"{name} ({at + 1})"] = at
    return scores


def require(found: Mapping[str, int], names: Sequence[str], *, source: str) -> None:
    """InputError that lists the columns, where question or answer is not among them."""
    lacking = [name for name in REQUIRED if name not in found]
    if lacking:
        raise InputError(
            f"has no column for {' and '.join(lacking)}{_listed(names)}.",
            source=source,
            remedy=f"Name it with --map {lacking[0]}=COLUMN.",
        )


def _listed(names: Sequence[str]) -> str:
    """The column names for a message; nothing where the first row may be a candidate's words."""
    if not recognised(names):
        return ""
    return f" (columns: {', '.join(name[:40] for name in names[:20])})"


def _mapped(names: Sequence[str], mapping: Mapping[str, str], source: str) -> dict[str, int]:
    found: dict[str, int] = {}
    for ours, theirs in mapping.items():
        if ours not in _NAMES:
            raise InputError(
                f"cannot be mapped: there is no column `{ours}` of ours.",
                source=source,
                remedy=f"Use one of {', '.join(_NAMES)}.",
            )
        places = [at for at, name in enumerate(names) if fold(name) == fold(theirs)]
        if not places and theirs.isdigit() and 1 <= int(theirs) <= len(names):
            places = [int(theirs) - 1]
        if not places:
            raise InputError(
                f"has no column that is named as --map says for `{ours}`.",
                source=source,
                remedy=f"Name one that it has{_listed(names)}.",
            )
        found[ours] = places[0]
    return found
