"""Any label with any decoration, any way to print a speaker: the right items, or a refusal."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.intake import read_all
from pipeline.intake.blank import settle

QUESTIONS = [
    "请介绍一下你最近的项目",
    "什么是缓存雪崩？",
    "你如何保证消息只被消费一次?",
    "SQL 里 left join 和 inner join 有什么区别？",
    "How do you test a service?",
    "讲讲 Raft 的选主过程",
    "如果让你设计一个短链系统，你会怎么做？",
    "Tell me about a conflict at work.",
    "好的，那你平时怎么学习？",
]
ANSWERS = [
    "我最近做的是支付网关：负责对账。\n首先：拆分服务\n其次：压测",
    "给每条消息唯一编号，\n\n消费端去重。",
    "left join 保留左表。\n- 左表全在\n- 右表可能为空",
    "Unit tests first.\n\nThen a nightly replay: it catches most bugs.",
    "超时的节点先投自己一票\n1. 请求投票\n2. 多数通过",
    "用发号器。问题1：冲突怎么办？我会加盐。面试官：这里我写错了。",
    "注意：要先看日志\n例如：慢查询",
    "**重点**：幂等",
    "结论：可以",
    "不知道",
]
WRITTEN = [*ANSWERS, "", "无", "```python\n# 问题1：x\nprint('回答：')\n```\n这样写。"]
ASKED = (
    "问题{n}：{q}|问题 {n}: {q}|问题{c}、{q}|第{n}题：{q}|第{c}题 {q}|Q{n}: {q}|Q{n}. {q}|"
    "### Q{n}: {q}|### 问题{n}：{q}|**问题{n}：** {q}|**Q{n}：{q}**|【问题{n}】{q}|"
    "Question {n}: {q}|**Question {n}**\n\n{q}|## 问题{c}：{q}|"
    "- **问题{n}**：{q}|{n}. 问：{q}|题目{n}：{q}"
).split("|")
ANSWERED = (
    "回答：{a}|回答： {a}|答：{a}|候选人回答：{a}|**回答：**\n\n{a}|**回答**：{a}|A: {a}|"
    "Answer: {a}|**Answer:** {a}|#### 回答\n\n{a}|【回答】{a}|- **候选人回答**：{a}|我的回答：{a}|"
    "答{n}：{a}|作答：\n{a}"
).split("|")
OBJECTIVES = ["", "考察目标：基础\n", "考察点: 基础\n", "**考察意图：** 基础\n"]
REMARKS = ["", "点评：一般般吧", "**面试官点评：** 一般般吧", "评语：一般般吧"]
SPOKEN = (
    "{w}：{t}|{w}: {t}|**{w}：** {t}|**{w}**：{t}|[00:0{m}:0{s}] {w}：{t}|{w} 00:0{m}:0{s}\n{t}|"
    "{w}（00:0{m}）：{t}|00:0{m}:0{s} {w}: {t}|【{w}】：{t}|{w}(0{m}:0{s}): {t}|- {w}：{t}|"
    "[{w}] {t}|{w}：\n{t}|> **{w}**: {t}|### {w}\n\n{t}|{w} [00:0{m}:0{s}]: {t}|{w}\n{t}\n"
).split("|")
PEOPLE = [
    ("面试官", "候选人"),
    ("Interviewer", "Candidate"),
    ("面试官A", "应聘者"),
    ("HR", "我"),
    ("张伟", "李雷"),
    ("Anna Smith", "Ben"),
    ("说话人1", "说话人2"),
    ("面试官（张伟）", "候选人（李雷）"),
]
OPENINGS = [[], [("你好，能听到吗？", "能听到。")], [("Hello, welcome.", "Hi, thanks.")]]
CLOSINGS = ["", "好的，今天就到这里，后续 HR 会联系你。", "Thank you for your time."]

Pairs = list[tuple[str, str | None]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("variants")


def pairs_of(path: Path, text: str) -> Pairs | None:
    """The pairs that were read, or None where the file was refused."""
    path.write_text(text, encoding="utf-8")
    reading = read_all([path])
    if reading.errors:
        return None
    return [(item.question, item.answer) for item in reading.interviews[0].items]


@settings(max_examples=300, deadline=None)
@given(data=st.data())
def test_labels_in_any_dress(folder: Path, data: st.DataObject) -> None:
    draw = data.draw
    asked = draw(st.lists(st.sampled_from(QUESTIONS), min_size=1, max_size=5, unique=True))
    told = [draw(st.sampled_from(WRITTEN)) for _ in asked]
    question, answer = draw(st.sampled_from(ASKED)), draw(st.sampled_from(ANSWERED))
    objective, remark = draw(st.sampled_from(OBJECTIVES)), draw(st.sampled_from(REMARKS))
    parts = []
    for n, (q, a) in enumerate(zip(asked, told, strict=True), 1):
        parts.append(question.format(n=n, c="零一二三四五"[n], q=q))
        parts += [objective] if objective else []
        parts.append(answer.format(n=n, a=a))
        parts += [remark] if remark else []
    text = draw(st.sampled_from(["\n", "\n\n"])).join(parts)
    head = draw(
        st.sampled_from(["", "岗位：后端 从业年限：3年\n简介：会写 Go。\n", "# 面试记录\n\n"])
    )
    read = pairs_of(folder / draw(st.sampled_from(["x.txt", "x.md"])), head + text + "\n")
    assert read == [(q, settle(a, q).answer) for q, a in zip(asked, told, strict=True)]


@settings(max_examples=300, deadline=None)
@given(data=st.data())
def test_speakers_in_any_dress(folder: Path, data: st.DataObject) -> None:
    draw = data.draw
    asked = draw(st.lists(st.sampled_from(QUESTIONS), min_size=2, max_size=5, unique=True))
    told = [draw(st.sampled_from(ANSWERS)) for _ in asked]
    form, people = draw(st.sampled_from(SPOKEN)), draw(st.sampled_from(PEOPLE))
    turns = [turn for pair in draw(st.sampled_from(OPENINGS)) for turn in pair]
    turns += [turn for pair in zip(asked, told, strict=True) for turn in pair]
    turns += [turn for turn in [draw(st.sampled_from(CLOSINGS))] if turn]
    text = draw(st.sampled_from(["\n", "\n\n"])).join(
        form.format(w=people[n % 2], t=turn, m=n // 6, s=n % 6) for n, turn in enumerate(turns)
    )
    read = pairs_of(folder / "x.txt", text + "\n")
    assert read is None or read == list(zip(asked, told, strict=True))
    if "面试官" in people[0] or people[0] == "Interviewer":
        assert read is not None
