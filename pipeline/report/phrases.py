"""The sentences of the report, in both languages."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from pipeline.records import Language
from pipeline.report.copy_phrases import COPY_PHRASES
from pipeline.report.words import Words

PHRASES: Words = {
    # the head
    "title": ("Interview grades", "面试评分"),
    "to_candidates": ("To the candidates", "跳到候选人"),
    "how_ended": ("How the items ended", "各题结果"),
    "no_items": ("There are no items in this run.", "本次评分没有题目。"),
    "settings": ("All settings of the run", "本次评分的全部设置"),
    "foot": (
        "Written by interview-grader. The overall of each item is worked out by code from the "
        "criteria; the model never sets it.",
        "由 interview-grader 生成。每题总分由程序按各项标准算出，模型不直接给总分。",
    ),
    "date": ("Date", "日期"),
    "model": ("Model", "模型"),
    "reader": ("Points read by", "读答打分的模型"),
    "answered_by": ("{asked} (answered: {answered})", "{asked}（实际回复：{answered}）"),
    "prompt_version": ("Prompt version", "提示版本"),
    "tokens": ("Tokens", "词元"),
    "tokens_in_out": ("{a:,} in, {b:,} out", "送入 {a:,}，返回 {b:,}"),
    "wall_time": ("Wall time", "用时"),
    "scores_are": ("Scores are", "分数形式"),
    "entries": ("{n} entries", "{n} 项"),
    # the overview
    "candidates": ("Candidates", "候选人"),
    "candidate": ("Candidate", "候选人"),
    "asked": ("Asked", "题数"),
    "answered": ("Answered", "已答"),
    "graded": ("Graded", "已评"),
    "coverage": ("Coverage", "作答率"),
    "overall": ("Overall", "总分"),
    "recommendation": ("Recommendation", "建议"),
    "no_candidates": ("There are no candidates in this run.", "本次评分没有候选人。"),
    "no_score": ("no score", "没有分数"),
    "answered_only": ("answered only: {x}", "仅已答题：{x}"),
    "other_rank": (
        "rank {a} by type of question ({x}), {b} with equal weights ({y})",
        "按题型加权第 {a}（{x}），等权第 {b}（{y}）",
    ),
    "limited": (
        "{all} candidates are listed; {some} of them are shown item by item below. The tables of "
        "the run hold every item.",
        "共列出 {all} 位候选人，其中 {some} 位在下文逐题列出；全部题目见本次评分的表格。",
    ),
    "all_at_a_glance": ("All candidates at a glance", "总览"),
    "figures": ("The figures as a table", "数字表格"),
    # charts
    "means_title": ("Mean scores by criterion", "各项标准的平均分"),
    "means_of": ("Mean scores by criterion: {name}", "各项标准的平均分：{name}"),
    "means_note": (
        "Means over the items that carry a score, from {low} to {high}. Blank and copied answers "
        "count as {low}; items without a score are left out.",
        "有分数的题目的平均分（{low} 到 {high} 分）。空白和照抄题目计 {low} 分；"
        "没有分数的题目不计。",
    ),
    "mark_note": (
        "The upright mark is the mean over all candidates of this run.",
        "竖线是本次全部候选人的平均分。",
    ),
    "mark_desc": ("all candidates {x}", "全部候选人 {x}"),
    "scale": ("Scale from {low} to {high}.", "分值从 {low} 到 {high}。"),
    "overalls_title": ("Overall, blanks counting {low}", "总分（空白计 {low} 分）"),
    "answered_only_title": ("Overall of the graded answers alone", "仅已答题的总分"),
    "overalls_note": (
        "Number of candidates by overall, n = {n}. Apart, in dashed outline: those who answered "
        "nothing, and those without a score.",
        "各分数段的候选人数，n = {n}。虚线框另列：一题未答的人，以及没有分数的人。",
    ),
    "apart_nothing": ("none answered", "一题未答"),
    "apart_no_score": ("no score", "没有分数"),
    "coverage_title": ("Coverage: share of questions answered", "作答率：已答题目所占比例"),
    "coverage_note": (
        "Number of candidates, n = {n}. Under {least}% there is no recommendation.",
        "候选人数，n = {n}。低于 {least}% 不给出建议。",
    ),
    "all_answered": ("all answered", "全部作答"),
    "share_between": ("{a}% to under {b}%", "{a}% 至不足 {b}%"),
    "share_under": ("under {b}%", "不足 {b}%"),
    "candidates_n": ("{n} candidates", "{n} 人"),
    "from_to": ("{a} to {b}", "{a}–{b} 分"),
    "value": ("Value", "取值"),
    "number": ("Candidates", "人数"),
    "strip_title": ("How the questions ended: {name}", "各题结果：{name}"),
    # one candidate: the recruiter's page
    "advisory": ("advisory; a person decides", "仅供参考，由人决定"),
    "no_score_big": ("No score", "没有分数"),
    "of": ("of {x}", "/ {x}"),
    "experience": ("experience: ", "从业年限："),
    "year": ("{n} year", "{n} 年"),
    "years": ("{n} years", "{n} 年"),
    "why_none": ("Why there is no recommendation", "为什么暂不给出建议"),
    "noted": ("To keep in mind", "需要留意"),
    "means_overall": (
        "Mean of {n} graded answers; blank and copied answers count {low}.",
        "{n} 道已评题目的平均分；空白和照抄题目计 {low} 分。",
    ),
    "means_band": ("In words: “{band}”, from {a}{next}.", "文字等级：“{band}”，{a} 分起{next}。"),
    "next_band": ("; “{band}” starts at {a}", "；“{band}”从 {a} 分起"),
    "means_answered": (
        "Over the answers given alone: {x}.",
        "只看作答的题目：{x} 分。",
    ),
    "coverage_line": (
        "{a} of {b} questions answered ({c}%); at least {d}% are needed for a recommendation.",
        "{b} 题答了 {a} 题（{c}%）；至少答 {d}% 才给出建议。",
    ),
    "decided": (
        "A person has decided on {n} of {all} answers.",
        "{all} 题中有 {n} 题已由人复核。",
    ),
    "glance": ("Answers at a glance", "各题一览"),
    "question": ("Question", "题目"),
    "result": ("Result", "结果"),
    "ask_next": ("What to ask next", "接下来可以问什么"),
    "ask_none": (
        "No answer calls for a question by rule.",
        "按规则没有需要追问的题目。",
    ),
    "people": ("What needs a person", "需要人看的地方"),
    "people_none": ("Nothing asks for a look.", "没有需要人看的地方。"),
    "more": ("and {n} more, in the evidence for reviewers", "另有 {n} 处，见供复核人看的逐题依据"),
    "contradictions": ("Contradictions", "矛盾之处"),
    "doubts": ("Doubts while reading the source", "读取原文时的疑问"),
    "ask_blank": ("Left blank: ask it again.", "空白：请再问一次。"),
    "ask_missing": ("No answer is at hand: ask it again.", "没有回答记录：请再问一次。"),
    "ask_copied": (
        "Only repeats the question: ask for an answer in own words.",
        "只重复了题目：请候选人用自己的话回答。",
    ),
    "ask_mismatch": (
        "The answer fits another question: check the source, or ask again.",
        "回答像是在答别的题：请核对原文，或再问一次。",
    ),
    "ask_truncated_start": (
        "The beginning seems to be missing: ask for it.",
        "开头可能丢失：请补问。",
    ),
    "ask_truncated_end": (
        "It stops in the middle of a sentence: ask for the rest.",
        "在句子中间结束：请补问后半部分。",
    ),
    "ask_self_contradiction": (
        "Two statements do not go together: ask which one holds.",
        "有两处说法互相矛盾：请问以哪个为准。",
    ),
    "ask_duplicate_answer": (
        "The same answer stands under two questions: ask for this one.",
        "两道题下是同一回答：请就本题再问。",
    ),
    "ask_code_only": (
        "Code without explanation: ask why it is done this way.",
        "只有代码：请问为什么这样写。",
    ),
    "ask_weak": (
        "Weakest: {name} ({score}).{problems} A better answer: {anchor}.",
        "最弱的一项：{name}（{score} 分）。{problems}更好的回答：{anchor}。",
    ),
    # one candidate: the reviewer's evidence
    "evidence": ("Evidence, answer by answer: {name}", "逐题依据：{name}"),
    "objective": ("Objective", "考察目标"),
    "type": ("Type", "题型"),
    "capped": ("Capped", "封顶"),
    "capped_line": ("{a} before caps, {b} after", "封顶前 {a}，封顶后 {b}"),
    "cap": ("{name} is {a} or less: at most {b}", "{name}不高于 {a}：最多 {b}"),
    "reason": ("Reason", "原因"),
    "reviewed": ("Reviewed", "复核"),
    "reviewed_by": ("by {who}, {when}: ", "{who}，{when}："),
    "review_changed": ("overall {a} instead of {b}", "总分改为 {a}，原为 {b}"),
    "review_set": ("overall {a}", "总分定为 {a}"),
    "review_confirmed": ("overall confirmed", "确认原分"),
    "review_cleared": ("cleared {x}", "已解除：{x}"),
    "second_look": ("Second look", "再评一次"),
    "second_look_line": (
        "{a} with the suspicious passages, {b} without. Neither replaces the other; "
        "a person decides.",
        "含可疑段落 {a}，去掉后 {b}。两者互不替代，由人决定。",
    ),
    "second_look_none": (
        "{a} with the suspicious passages; without them there is no grade.",
        "含可疑段落 {a}；去掉后没有评分。",
    ),
    "queue": ("Queue", "复核队列"),
    "queue_line": ("place {a} of {b}, priority {c}: ", "第 {a} 位（共 {b} 位），优先度 {c}："),
    "uncertainty": ("Uncertainty", "不确定度"),
    "uncertain_line": (
        "{x}: on labelled answers that the scorer had not seen, four labels of five lay so near.",
        "{x}：在评分器没见过的已标注回答上，五个标签中有四个落在此范围内。",
    ),
    "uncertain_wide": (
        "{x}: too wide to go by. Score this answer yourself.",
        "{x}：范围太宽，不宜采信，请自行评分。",
    ),
    "uncertain_outside": (
        "This answer is unlike all that the scorer was tried on: nothing is known of how far its "
        "points may be off. Score this answer yourself.",
        "此回答与评分器试过的回答都不相像，分数可能差多少无从知道，请自行评分。",
    ),
    "uncertain_type": (
        "The scorer was not seen to understand questions of this type: do not go by its points. "
        "Score this answer yourself.",
        "没有证据表明评分器看得懂这类题：请勿采信此分数，自行评分。",
    ),
    "spread": ("samples or judges apart by {x} at most", "多次评分最多相差 {x} 分"),
    "blocks": (
        "Blocks a recommendation until a reviewer clears it.",
        "在复核人解除之前不给出建议。",
    ),
    "answer": ("Answer", "回答"),
    "no_answer": ("The source has no answer here.", "原文此处没有回答。"),
    "empty_answer": ("The answer is empty.", "回答为空。"),
    "scores": ("Scores by criterion", "各项标准的分数"),
    "not_asked": ("not asked for", "本题不考察"),
    "quoted_for": ("Quoted for {x}", "引用于：{x}"),
    "problems": ("Problems", "问题"),
    "rationale": ("Rationale", "理由"),
    "unnamed_model": ("model not named", "模型未注明"),
    "request": ("{n} request", "{n} 次请求"),
    "requests": ("{n} requests", "{n} 次请求"),
    "tokens_in": ("{n:,} tokens in", "送入 {n:,} 词元"),
    "tokens_out": ("{n:,} out", "返回 {n:,}"),
    "seconds": ("{x} s", "{x} 秒"),
    "from_cache": ("from cache", "来自缓存"),
    "intro": (
        "Introduction in the source (not seen by the grader)",
        "原文的开场介绍（评分时不可见）",
    ),
    "comment": ("Comment in the source (not seen by the grader)", "原文的点评（评分时不可见）"),
    "back": ("Back to all candidates", "返回全部候选人"),
    "to_evidence": ("To the evidence", "查看逐题依据"),
    "hidden_here": ("characters that cannot be seen stand here", "此处有看不见的字符"),
    **COPY_PHRASES,
}
Say = Callable[..., str]


def say(language: Language, key: str, **values: object) -> str:
    """A sentence of the table, filled in. Raises KeyError for one that is not there."""
    both = PHRASES[key]
    return both[language == "zh"].format(**values) if values else both[language == "zh"]


def speaker(language: Language) -> Say:
    """What says sentences in one language."""
    return partial(say, language)
