"""The sentences of a candidate's own copy, in both languages."""

from __future__ import annotations

from pipeline.report.words import Words

COPY_PHRASES: Words = {
    "copy_title": ("Your answers, and how they were graded", "您的回答与评分说明"),
    "copy_for": ("For {name}", "{name}"),
    "copy_reference": ("Reference: {x}", "编号：{x}"),
    "copy_what": ("What this page is", "这份说明是什么"),
    "copy_intro": (
        "Your written or recorded answers were graded by a program with the help of a language "
        "model ({model}), on {date}. This page shows each answer, the points it got, and why. It "
        "holds nothing about anybody else.",
        "您的回答由程序借助语言模型（{model}）于 {date} 评分。"
        "这份说明列出每一题的回答、得分和理由，不含任何其他人的信息。",
    ),
    "copy_saw": (
        "The model saw one question, its aim and your answer at a time. It was not given your "
        "name, years of experience, profile, other answers or any earlier opinion.",
        "模型每次只看到一道题、它的考察目标和您的回答；没有提供给它您的姓名、从业年限、简介、"
        "其他回答或任何先前的评价。",
    ),
    "copy_redacted": (
        "Names, numbers and addresses that were found in the answers were replaced before the "
        "model saw them.",
        "回答中找到的姓名、号码和地址在送给模型之前已被替换。",
    ),
    "copy_sum": (
        "For each criterion the model gives {low} to {high} points with a passage of your answer "
        "as proof. A fixed formula makes the overall of an answer from them; the table at the end "
        "shows it. The result is advice: a person decides.",
        "模型按每项标准给出 {low} 到 {high} 分，并引用您回答中的一段作为依据；"
        "每题总分由固定公式算出，见文末的表格。结果仅供参考，由人决定。",
    ),
    "copy_sum_alone": (
        "For each criterion the model gives {low} to {high} points; it was not asked for passages "
        "of your answer as proof. A fixed formula makes the overall of an answer from them; the "
        "table at the end shows it. The result is advice: a person decides.",
        "模型按每项标准给出 {low} 到 {high} 分，没有要求它引用您的回答作为依据；"
        "每题总分由固定公式算出，见文末的表格。结果仅供参考，由人决定。",
    ),
    "copy_unmeasured": (
        "How far these grades agree with the judgement of people has not been measured.",
        "这些分数与人的判断有多一致，尚未测量。",
    ),
    "copy_overall": ("Mean of your graded answers", "已评题目的平均分"),
    "copy_overall_line": (
        "{graded} of {asked} questions carry a grade; blank answers count {low}.",
        "{asked} 题中有 {graded} 题有分数；空白计 {low} 分。",
    ),
    "copy_answered": (
        "{answered} of {asked} questions are answered.",
        "{asked} 题中答了 {answered} 题。",
    ),
    "copy_no_grade": (
        "There is no grade for this answer, for a technical reason. No number stands in for it.",
        "因技术原因本题没有评分，也没有用任何数字代替。",
    ),
    "copy_not_given": (
        "No answer of yours was found in the transcript; there is no score.",
        "记录中没有找到您的回答，因此没有分数。",
    ),
    "copy_blank": ("The answer is empty: {low} points.", "回答为空：{low} 分。"),
    "copy_copied": (
        "The answer repeats the question and adds nothing: {low} points.",
        "回答只重复了题目：{low} 分。",
    ),
    "copy_person": (
        "A person has looked at this answer and set the overall to {a}.",
        "本题已由人复核，总分定为 {a}。",
    ),
    "copy_person_same": (
        "A person has looked at this answer and kept the overall.",
        "本题已由人复核，总分不变。",
    ),
    "copy_points": (
        "For this question the model was also shown points that a good answer may hold.",
        "评本题时，模型还看到了好的回答可能包含的要点。",
    ),
    "copy_noticed": ("Noticed", "注意到"),
    "copy_quote": ("Passage", "依据"),
    "copy_no_quote": ("no passage of your answer could be named", "没有可以指明的原文"),
    "copy_contest": ("If something is wrong", "如果有误"),
    "copy_contest_line": (
        "Tell whoever gave you this page which question it is about and what is wrong: a passage "
        "that is missing, a fact judged wrongly, or anything else. A person can change every "
        "overall; you may also ask that a person alone decides.",
        "请告诉把这份说明交给您的人：是哪一题、哪里不对，例如漏了一段，或某个事实判断有误。每个总分都可以由人更改；"
        "您也可以要求完全由人来决定。",
    ),
    "copy_rubric": ("The criteria", "评分标准"),
    "copy_weight": ("Weight by type of question", "各题型的权重"),
    "copy_criterion": ("Criterion", "标准"),
    "copy_level": ("Points and what they stand for", "各分值的含义"),
    "copy_caps": ("Limits", "封顶规则"),
    "copy_foot": (
        "Written by interview-grader for one candidate.",
        "由 interview-grader 为一位候选人生成。",
    ),
    # flags, as a candidate reads them
    "copy_flag_injection": (
        "A passage reads like an instruction to the program. It lowered nothing; a person looks "
        "at it.",
        "有一段读起来像是对程序的指示。没有因此扣分，会由人查看。",
    ),
    "copy_flag_unsure": (
        "The program is not sure of this grade; a person should look at it.",
        "程序对本题的评分没有把握，应由人查看。",
    ),
    "copy_flag_truncated_start": (
        "The beginning seems to be missing from the transcript.",
        "记录中似乎缺少开头。",
    ),
    "copy_flag_truncated_end": (
        "The transcript stops in the middle of a sentence.",
        "记录在句子中间结束。",
    ),
    "copy_flag_mismatch": (
        "The answer seems to belong to another question.",
        "回答像是在答另一道题。",
    ),
}
