"""The type of a question, found by rule, and what it does to the weights."""

from __future__ import annotations

from decimal import Decimal

import pytest

from pipeline.prompt import PromptSet
from pipeline.question_type import QUESTION_TYPES, question_type
from pipeline.scoring import grade_verdict, zero_grade
from pipeline.verdict import parse_verdict
from tests.scripted import verdict_json

CASES = [
    ("concept", "请解释一下什么是缓存穿透？"),
    ("concept", "TensorFlow 和 PyTorch 的主要区别是什么？"),
    ("concept", "什么是优先级反转？优先级继承是怎么解决它的？"),
    ("concept", "为什么梯度同步常用 Ring-AllReduce 而不是参数服务器？"),
    ("concept", "What is priority inversion, and how does priority inheritance solve it?"),
    ("concept", "After a release, p99 rises from 80 to 400 ms. How do you go about it?"),
    ("experience", "请描述一下你在实现神经网络（Python）时的经验，你是如何解决这些挑战的？"),
    ("experience", "讲一次你处理过的线上故障：怎么定位，怎么恢复？"),
    ("experience", "你在实际工作中是如何应对数据一致性问题？"),
    ("experience", "请您介绍一下您在低级分布式编程模型方面的经验？"),
    ("experience", "Tell us about a bug in production which you traced to its cause."),
    ("experience", "Describe a model that you brought into production."),
    ("opinion", "你如何看待深度学习技术的发展趋势？"),
    ("opinion", "请谈谈你对端侧部署大模型的看法。"),
    ("opinion", "Should a roadmap carry dates? What is your opinion?"),
    ("opinion", "Would you split our web shop into micro frontends? Argue for your view."),
    ("design", "设计一个领券接口：总量一万张，每人限领一张，不能超发。"),
    ("design", "MySQL 生产库的备份你会怎么设计？"),
    ("design", "How would you design the sync of notes that were edited offline?"),
    ("code", "请写一个函数，不依赖 sklearn，计算二分类的 AUC。"),
    ("code", "写一条 PromQL：找出 5xx 占比超过 1% 的服务。"),
    ("code", "Write a debounce function in JavaScript."),
    ("code", "What does this print, and why? print(0.1 + 0.2)"),
]


@pytest.mark.parametrize(("kind", "question"), CASES, ids=[case[1][:30] for case in CASES])
def test_the_type_follows_from_the_question(kind: str, question: str) -> None:
    assert question_type(question) == kind


def test_the_objective_decides_where_the_question_says_nothing() -> None:
    assert question_type("请谈谈通信技术。", "了解专业知识和实践经验。") == "experience"
    assert question_type("请谈谈通信技术。") == "concept"


def test_a_concept_question_asks_for_no_evidence(prompts: PromptSet) -> None:
    scores = {"relevance": 4, "correctness": 4, "depth": 4, "evidence": 0, "clarity": 4}
    verdict = parse_verdict(verdict_json(scores), prompts.rubric)
    grade = grade_verdict(verdict, "x", prompts.rubric, mode="verdict", profile="concept")
    assert {part.key: part.score for part in grade.criteria}["evidence"] is None
    assert grade.overall == Decimal("4.0")


def test_a_question_about_experience_weighs_evidence_more(prompts: PromptSet) -> None:
    scores = {"relevance": 4, "correctness": 4, "depth": 4, "evidence": 0, "clarity": 4}
    verdict = parse_verdict(verdict_json(scores), prompts.rubric)
    grade = grade_verdict(verdict, "x", prompts.rubric, mode="verdict", profile="experience")
    assert grade.overall_uncapped == Decimal("3.00")
    default = grade_verdict(verdict, "x", prompts.rubric, mode="verdict")
    assert default.overall_uncapped == Decimal("3.40")


def test_a_rubric_without_profiles_by_type_takes_the_default(prompts: PromptSet) -> None:
    weights = {"default": prompts.rubric.weights["default"]}
    plain = prompts.rubric.model_copy(update={"weights": weights, "not_asked": {}})
    assert all(plain.weights_for(kind) == weights["default"] for kind in QUESTION_TYPES)


def test_a_blank_answer_to_a_concept_question_has_no_score_for_evidence(prompts: PromptSet) -> None:
    scores = {part.key: part.score for part in zero_grade(prompts.rubric, profile="code").criteria}
    assert scores.pop("evidence") is None
    assert set(scores.values()) == {0}
