"""Key points of single questions: read, matched, shown, recorded, and never guessed."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline import grade
from pipeline.errors import ConfigError
from pipeline.key_points import in_neutral_order, points_of
from pipeline.prompt import PromptSet, build_messages, load_prompts
from pipeline.records import Interview, Item, Messages
from pipeline.redact import Redaction
from tests.conftest import ROOT, SECRET
from tests.scripted import verdict_json

DEFAULT = ROOT / "prompts" / "interview"
LOCK = """questions:
  - id: lock
    question: 什么是锁？Acme 公司怎么用？
    aliases: [锁是什么？]
    key_points:
      zh: [保护共享数据, Acme 的分布式锁有租约, 同一时刻只有一个持有者]
    wrong_claims:
      zh: [加锁一定更快]
"""
ANSWER = "锁保护共享数据，同一时刻只有一个持有者。"
Own = Callable[[str], Path]


@pytest.fixture
def own(tmp_path: Path) -> Own:
    """A prompt set with one file of key points more."""

    def make(text: str) -> Path:
        folder = Path(shutil.copytree(DEFAULT, tmp_path / "own"))
        (folder / "questions" / "own.yaml").write_text(text, encoding="utf-8")
        return folder

    return make


def sent(prompts: PromptSet, question: str, item_id: str = "a#1") -> str:
    item = Item(item_id=item_id, question=question, answer=ANSWER)
    return build_messages(prompts, item, language="zh", secret=SECRET, text_limit=40)[-1].content


@pytest.mark.parametrize(
    "question", ["什么是锁？Acme 公司怎么用？", "什么是锁?\nＡＣＭＥ公司怎么用", "锁是什么"]
)
def test_the_same_question_gets_its_points_before_the_answer(own: Own, question: str) -> None:
    text = sent(load_prompts(own(LOCK)), question)
    places = [text.index(part) for part in (question, "- 保护共享数据", "- 加锁一定更快", ANSWER)]
    assert places == sorted(places)


@pytest.mark.parametrize("question", ["什么是锁？", "什么是锁？Acme 公司怎么用？为什么？", ""])
def test_a_question_that_is_only_alike_gets_none(own: Own, question: str) -> None:
    prompts = load_prompts(own(LOCK))
    assert points_of(prompts.points, question) is None
    assert "保护共享数据\n" not in sent(prompts, question)


@given(st.permutations(["甲", "乙", "丙", "丁"]))
def test_the_authors_order_does_not_show(lines: list[str]) -> None:
    assert in_neutral_order({"zh": tuple(lines)}, "zh") == in_neutral_order(
        {"zh": ("甲", "乙", "丙", "丁")}, "zh"
    )


def test_a_language_without_points_is_shown_those_of_the_other() -> None:
    assert in_neutral_order({"en": ("a",)}, "zh") == ("a",)
    assert in_neutral_order({}, "zh") == ()


def test_points_are_the_same_bytes_in_any_interview_and_place(own: Own) -> None:
    prompts = load_prompts(own(LOCK))
    assert sent(prompts, "锁是什么？", "张伟#1") == sent(prompts, "锁是什么？", "李娜#7")


FAULTS = [
    ("[]", "own.yaml: a file of key points has a list `questions`"),
    ("questions: [a]", "line 1: questions[0]: an entry has id, question"),
    ("questions:\n- {id: a, question: b}", "line 2: questions[0]: has neither key points"),
    (
        "questions:\n- {id: a, question: ？, key_points: {zh: [x]}}",
        "line 2: questions[0]: a wording of the question says nothing",
    ),
    (
        "questions:\n- {id: a, question: b, key_points: {fr: [x]}}",
        "line 2: questions[0].key_points.fr",
    ),
    ("questions:\n- {id: a, question: b, points: {zh: [x]}}", "questions[0].points: Extra inputs"),
    (LOCK + LOCK.split("\n", 1)[1], "line 9: questions[1].id: 'lock' stands twice"),
    (
        LOCK + "  - {id: other, question: 锁 是 什么, key_points: {zh: [x]}}\n",
        "questions[1]: the same question as in 'own.yaml: lock': '锁 是 什么'",
    ),
]


@pytest.mark.parametrize(("text", "told"), FAULTS, ids=range(len(FAULTS)))
def test_a_wrong_file_is_refused_with_its_place(own: Own, text: str, told: str) -> None:
    with pytest.raises(ConfigError) as refused:
        load_prompts(own(text))
    assert told in str(refused.value)


def test_a_template_that_does_not_show_the_points_is_refused(own: Own) -> None:
    folder = own(LOCK)
    template = folder / "item.zh.j2"
    text = template.read_text(encoding="utf-8").replace("- {{ claim }}\n", "")
    template.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=r"item\.zh\.j2: does not show wrong_claims"):
        load_prompts(folder)


def test_the_version_changes_with_the_points(own: Own) -> None:
    folder = own(LOCK)
    before = load_prompts(folder).version
    (folder / "questions" / "own.yaml").write_text(LOCK + "# more\n", encoding="utf-8")
    assert load_prompts(folder).version != before


def interview() -> Interview:
    items = (
        Item(item_id="a#1", question="什么是锁？Acme 公司怎么用？", answer=ANSWER),
        Item(item_id="a#2", question="什么是事务？", answer=ANSWER),
        Item(item_id="a#3", question="锁是什么？", answer=""),
    )
    return Interview(id="a", source="a", items=items)


def test_the_table_says_which_entry_was_shown(own: Own, tmp_path: Path) -> None:
    done = grade(
        [interview()],
        prompts=load_prompts(own(LOCK)),
        endpoint=lambda messages: verdict_json(2),
        out=tmp_path / "run",
        secret=SECRET,
    )
    assert [done.outcomes[f"a#{n}"].key_points for n in (1, 2, 3)] == ["own.yaml: lock", "", ""]
    assert done.grades["key_points"].fillna("-").tolist() == ["own.yaml: lock", "-", "-"]


def test_with_redaction_the_points_hold_no_listed_term(own: Own, tmp_path: Path) -> None:
    seen: list[Messages] = []

    def endpoint(messages: Messages) -> str:
        seen.append(messages)
        return verdict_json(2)

    done = grade(
        [interview()],
        prompts=load_prompts(own(LOCK)),
        endpoint=endpoint,
        out=tmp_path / "run",
        secret=SECRET,
        redaction=Redaction(("Acme",)),
    )
    texts = [messages[-1].content for messages in seen]
    assert not any("Acme" in text for text in texts)
    assert "什么是锁？[TERM_1] 公司怎么用？" in texts[0]
    assert "- [TERM] 的分布式锁有租约" in texts[0]
    assert done.outcomes["a#1"].key_points == "own.yaml: lock"


def test_an_opinion_question_is_told_that_positions_are_not_right_or_wrong(
    prompts: PromptSet,
) -> None:
    assert "立场本身没有对错" in sent(prompts, "你怎么看微服务？")
    assert "立场本身没有对错" not in sent(prompts, "什么是微服务？")
