"""The label words of written transcripts, as patterns, in the order in which they are tried."""

from __future__ import annotations

from typing import Literal

Kind = Literal[
    "question",
    "follow_up",
    "answer",
    "objective",
    "comment",
    "reference",
    "bank",
    "score",
    "section",
]

_PERSON = "(?:候选人|候選人|应聘者|求职者|面试者|被面试[者人]|考生|学生|受访者|实际|我)的?"
_PERSON_EN = "(?:Candidate|Interviewee|Applicant|Student|Respondent)(?:'s|’s)?"
_REMARK = "(?:点评|评价|评语|反馈|补全|纠正|补充|备注)"

WORDS: dict[Kind, str] = {
    "question": "面试官?问题|面试官提问|面试官问|面试题目?|问题|題目|問題|题目|提问|考题|问|問|题|"
    "Surface Question|Interview(?:er)?(?:'s|’s)? question|Question|Ques|Q",
    "follow_up": "面试官追问|追问问题|追问|追問|补充提问|补充问题|补充追问|"
    "Follow[- ]?up(?: question)?|Probe",
    "answer": f"{_PERSON}(?:回答|作答|答案|答)|追问回答|补充回答|回答内容|作答内容|"
    "(?:口述|口语|技术|书面|简洁|简短|简答|精简|详细|完整)版(?:本|回答|答案)?|"
    f"回答|作答|答案|答|{_PERSON_EN} (?:answer|response|reply)|"
    "(?:My|Your|Given) (?:answer|response)|Answer|Response|Ans|A",
    "objective": "考[察查](?:目标|目的|意图|要点|点|方向|内容|能力|维度)|考察目標|考察維度|"
    "出题意图|提问目的|(?:Underlying |Question )?Intent|Objective|Purpose|"
    "What (?:it|this) (?:tests|assesses)|Assesses|Looking for|Competency",
    "comment": f"面试官的?{_REMARK}(?:\\s*[+＋、&和与]\\s*{_REMARK})*|"
    "点评|點評|评语|總評|总评|总体评价|综合评价|老师点评|教师评语|面试评价|考官点评|"
    "(?:(?:Interviewer|Reviewer)(?:'s|’s)?|Overall|Closing|AI|Response) "
    "(?:feedback|comments?|notes?|remarks?)|Feedback|Comments?",
    "reference": "参考答案|參考答案|解析|标准答案|"
    "示例答案|范例答案|参考回答|示范回答|答案解析|答案要点|"
    "(?:Reference|Model|Sample|Expected|Ideal|Suggested) (?:answer|response|solution)s?|"
    "Raw Evidence",
    "bank": "评分标准|评分要点|评分细则|评分规则|得分点|追问点|追问方向|难度|考频|"
    "Scoring (?:criteria|guide|rubric)|Evaluation criteria|Rubric|Difficulty|Category",
    "score": "得分|评分|分数|打分|总分|单题得分|(?:Overall )?Score|Rating|Marks?|Points",
}
WEAK_COMMENT = "反馈|评价|Notes?|Remarks?"
"""Comment labels that are also plain words: they count only where they are set off."""
