"""The plain words that the report uses for codes, in both languages."""

from __future__ import annotations

from collections.abc import Mapping

from pipeline.flags import FLAGS
from pipeline.records import Language

Words = Mapping[str, tuple[str, str]]
"""By code, English and Chinese."""

STATUS_WORDS: Words = {
    "scored": ("graded by the model", "已由模型评分"),
    "blank": ("nothing to grade", "没有可评的内容"),
    "copied": ("only repeats the question", "只重复了题目"),
    "missing": ("no answer to grade", "没有可评的回答"),
    "refused": ("the model declined to grade", "模型拒绝评分"),
    "content_filtered": ("stopped by the provider's filter", "被服务方的内容过滤拦下"),
    "truncated_reply": ("the model's reply was cut off", "模型的回复被截断"),
    "prompt_truncated": ("the model did not see the whole prompt", "模型没有看到完整的提示"),
    "unparseable": ("no valid reply from the model", "模型没有给出有效的回复"),
    "endpoint_error": ("no reply from the endpoint", "评分服务没有回应"),
    "not_run": ("not graded yet", "尚未评分"),
}
MODE_WORDS: Words = {
    "verdict": ("whole points", "整数分"),
    "expected": ("expected values", "期望值"),
    "median": ("medians of several samples", "多次评分的中位数"),
    "gate": ("set by rule", "由规则给出"),
}
RECOMMENDATION_WORDS: Words = {
    "STRONG_YES": ("Strong yes", "强烈推荐"),
    "YES": ("Yes", "推荐"),
    "MIXED": ("Mixed", "有保留"),
    "NO": ("No", "不推荐"),
    "STRONG_NO": ("Strong no", "强烈不推荐"),
    "NO_DECISION": ("No decision", "暂不给出建议"),
}
MATCH_WORDS: Words = {
    "none": ("no quote given", "没有给出引文"),
    "exact": ("found in the answer", "在回答中找到"),
    "approximate": ("found with small deviations", "在回答中找到，略有出入"),
    "not_found": ("not found in the answer", "回答中没有这句话"),
}
TYPE_WORDS: Words = {
    "concept": ("concept", "概念"),
    "experience": ("experience", "经历"),
    "opinion": ("opinion", "看法"),
    "design": ("design", "设计"),
    "code": ("code", "代码"),
}
FLAGS_ZH: Mapping[str, str] = {
    "injection": "回答试图左右评分",
    "truncated_start": "回答从句子中间开始，开头可能丢失",
    "mismatch": "回答像是在答本次面试的另一道题（连续两题则暂不给出建议）",
    "prompt_doubt": "评分服务可能没有看到完整的提示",
    "unsupported_credit": "给了 3 分或以上，但引文在回答中找不到",
    "spread": "多次评分或多个模型相差 2 分或以上",
    "truncated_end": "回答在句子中间结束",
    "question_echo": "回答先把题目重复了一遍",
    "repetition": "同一句式反复出现",
    "padding": "篇幅长而内容少",
    "other_language": "回答与题目不是同一种语言",
    "code_only": "回答只有代码，没有说明",
    "duplicate_answer": "同一回答出现在两道题下",
    "hidden_characters": "回答含有看不见的字符",
    "quote_not_found": "评分的引文不在回答中",
    "quote_approximate": "引文与原文略有出入",
    "self_contradiction": "回答自相矛盾，或与另一回答矛盾",
    "repaired": "回复的 JSON 结构经过修补",
    "over_length": "回答过长，没有全部送评",
    "low_confidence": "此分数太不确定，请自行评分",
}


def word(words: Words, code: str, language: Language) -> str:
    """The word for a code; a code without one stands for itself."""
    both = words.get(code)
    return both[language == "zh"] if both else code


def flag_meaning(name: str, language: Language) -> str:
    """What a flag means; empty for one that is not in the table."""
    meaning = FLAGS.get(name, ("", False))[0]
    return FLAGS_ZH.get(name, meaning) if language == "zh" else meaning


def in_language(texts: Mapping[str, str], language: Language, otherwise: str = "") -> str:
    """The text in `language`, or else in the first language there is."""
    return texts.get(language) or next(iter(texts.values()), otherwise)
