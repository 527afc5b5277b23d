"""Three readers: what each sees of a candidate, and what the candidate's own copy must not hold."""

from __future__ import annotations

import re
from dataclasses import replace
from decimal import Decimal
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from pipeline.person_screen import copy_lines, person_lines
from pipeline.records import Candidate, Interview, Item, Outcome, Rubric, Turn
from pipeline.report import Entry, copy_view, person_view, places_of, write_page
from pipeline.report.ask import what_to_ask
from pipeline.report.items import item_views
from pipeline.review import review_queue
from pipeline.reviews import Review
from pipeline.scoring import grade_candidate

Run = Any
OWN = "004_f1f0d580990950e8"
SECRET = {
    name: f"ZQ{place:02}{name}XJ"
    for place, name in enumerate(
        """source profile intro comment warning item_comment source_score speaker reviewer why
        reason other_id other_name other_role other_question other_answer other_quote
        other_reason input reply key_points parameter""".split()
    )
}
"""What no candidate may read: one word for each place where it stands."""


def page(run: Run, reader: Any, interview_id: str, folder: Path) -> str:
    """One page as text without tags."""
    entry = next(one for one in run.entries() if one.candidate.interview_id == interview_id)
    queue = review_queue(run.interviews, run.outcomes, run.candidates, run.rubric, run.reviews)
    path = folder / "page.html"
    write_page(
        path,
        reader,
        entry,
        rubric=run.rubric,
        manifest=run.manifest,
        reviews=run.reviews,
        queue=places_of(queue),
    )
    return path.read_text("utf-8")


def words(html: str) -> str:
    """What a reader of the page reads."""
    body = re.sub(r"<style>.*?</style>", "", html, flags=re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", body)).split())


def terminal(run: Run, reader: str, interview_id: str) -> str:
    """The same on the terminal."""
    entry = next(one for one in run.entries() if one.candidate.interview_id == interview_id)
    queue = places_of(
        review_queue(run.interviews, run.outcomes, run.candidates, run.rubric, run.reviews)
    )
    if reader == "candidate":
        copy = copy_view(entry, run.rubric, run.manifest, run.reviews)
        return " ".join(copy_lines(copy, run.rubric))
    view = person_view(entry, 1, run.rubric, {}, queue, run.reviews)
    evidence = reader == "reviewer"
    return " ".join(person_lines(view, run.rubric, run.reviews, queue, evidence=evidence))


@pytest.fixture(scope="module")
def canaries(run: Run) -> Run:
    """The sample run with a secret word in every place that is not the candidate's own answer."""
    mine, other = run.interviews
    items = list(mine.items)
    items[0] = items[0].model_copy(
        update={
            "comment": SECRET["item_comment"],
            "source_scores": {"x": SECRET["source_score"]},
            "turns": (Turn(kind="question", text="q", speaker=SECRET["speaker"]),),
        }
    )
    texts = ("source", "profile", "intro", "comment")
    mine = mine.model_copy(
        update={
            "items": tuple(items),
            "warnings": (SECRET["warning"],),
            **{name: SECRET[name] for name in texts},
        }
    )
    told = f"{SECRET['other_question']} {SECRET['other_answer']} {SECRET['other_quote']}"
    other = Interview(
        id=SECRET["other_id"],
        source="x",
        candidate=SECRET["other_name"],
        role=SECRET["other_role"],
        items=(Item(item_id=f"{SECRET['other_id']}#1", question=told, answer=told),),
    )
    outcomes = {
        name: outcome.model_copy(
            update={
                "reason": SECRET["reason"],
                "replies": (SECRET["reply"],),
                "key_points": SECRET["key_points"],
            }
        )
        for name, outcome in run.outcomes.items()
        if name.startswith(OWN)
    }
    theirs = Outcome(
        item_id=f"{SECRET['other_id']}#1",
        interview_id=SECRET["other_id"],
        status="refused",
        reason=SECRET["other_reason"],
    )
    outcomes[theirs.item_id] = theirs
    review = Review(
        item_id=f"{OWN}#2",
        interview_id=OWN,
        of_line=1,
        reviewer=SECRET["reviewer"],
        when="2026-12-01T10:00:00Z",
        before=Decimal("2.0"),
        after=Decimal("3.4"),
        why=SECRET["why"],
    )
    manifest = {
        "started": "2026-12-01T09:12:44Z",
        "model": "m-1",
        "redaction": "on",
        "inputs": {SECRET["input"]: "a"},
        "parameters": {"x": SECRET["parameter"]},
    }
    return replace(
        run,
        interviews=[mine, other],
        outcomes=outcomes,
        candidates=[grade_candidate(one, outcomes, run.rubric) for one in (mine, other)],
        manifest=manifest,
        reviews={review.item_id: review},
    )


def found(text: str) -> set[str]:
    return {name for name, secret in SECRET.items() if secret in text}


def test_a_candidates_copy_holds_nothing_about_others_and_no_internal_note(
    canaries: Run, tmp_path: Path
) -> None:
    html = page(canaries, "candidate", OWN, tmp_path)
    assert found(html) == set()
    assert found(terminal(canaries, "candidate", OWN)) == set()


def test_the_reviewers_page_holds_the_notes_but_nobody_else(canaries: Run, tmp_path: Path) -> None:
    expected = {"intro", "comment", "warning", "reviewer", "why", "reason", "key_points"}
    assert found(page(canaries, "reviewer", OWN, tmp_path)) == expected
    assert found(terminal(canaries, "reviewer", OWN)) == expected - {"key_points"}


def test_the_recruiters_page_alone_holds_no_evidence(canaries: Run, tmp_path: Path) -> None:
    html = page(canaries, "recruiter", OWN, tmp_path)
    assert found(html) == {"warning"}
    assert found(terminal(canaries, "recruiter", OWN)) == {"warning"}
    assert "把隔离级别从可重复读改成读已提交" not in html
    assert 'href="#' not in html


def test_the_whole_report_holds_all_that_a_reviewer_needs(canaries: Run, tmp_path: Path) -> None:
    html = canaries.write(tmp_path / "report.html").read_text("utf-8")
    hidden = {"source", "profile", "item_comment", "source_score", "speaker", "reply"}
    assert found(html) == set(SECRET) - hidden


@pytest.mark.parametrize(
    "says",
    [
        "您的回答与评分说明",
        "没有提供给它您的姓名",
        "已被替换",
        "什么是 MVCC？请结合项目说明它如何影响隔离级别的选择。",
        "死锁告警从每天 40 多次降到 3 次",
        "正确，仅有不影响结论的小疏漏",
        "讲了做法和结果，原因只讲了一半",
        "本题已由人复核，总分定为 3.4",
        "回答为空：0 分",
        "因技术原因本题没有评分",
        "有一段读起来像是对程序的指示。没有因此扣分，会由人查看。",
        "程序对本题的评分没有把握",
        "每个总分都可以由人更改",
    ],
)
def test_a_candidate_reads_in_his_language_what_was_found_and_what_he_can_do(
    canaries: Run, tmp_path: Path, says: str
) -> None:
    assert says in words(page(canaries, "candidate", OWN, tmp_path))
    assert says in terminal(canaries, "candidate", OWN)


def test_a_candidates_copy_has_no_recommendation_and_no_invented_quote(
    canaries: Run, tmp_path: Path
) -> None:
    text = words(page(canaries, "candidate", OWN, tmp_path))
    assert "建议" not in text.replace("仅供参考", "")
    assert "STRONG" not in text
    assert "先垂直拆分再水平拆分 " not in text.replace("我们一般", "")
    assert "injection" not in text


def test_the_mean_in_a_copy_is_the_one_after_review(canaries: Run, tmp_path: Path) -> None:
    entry = next(canaries.entries())
    before = copy_view(entry, canaries.rubric, canaries.manifest, {}).overall
    after = copy_view(entry, canaries.rubric, canaries.manifest, canaries.reviews).overall
    assert (before, after) == ("1.8", "2.2")


@pytest.mark.parametrize(
    "says",
    [
        "暂不给出建议",
        "Q4：模型没有给出有效的回复",
        "Q5：回答试图左右评分",
        "5 题答了 4 题（80%）；至少答 70% 才给出建议",
        "文字等级：“较差”，1 分起；“偏弱”从 2 分起",
        "只看作答的题目：2.4 分",
        "空白：请再问一次",
        "没有评分：模型没有给出有效的回复",
    ],
)
@pytest.mark.parametrize("reader", ["recruiter", "reviewer"])
def test_a_recruiter_reads_advice_reasons_figures_and_what_to_do(
    run: Run, tmp_path: Path, reader: str, says: str
) -> None:
    candidate = grade_candidate(run.interviews[0], run.outcomes, run.rubric)
    whole = replace(run, candidates=[candidate, run.candidates[1]])
    assert says in words(page(whole, reader, OWN, tmp_path))
    assert says in terminal(whole, reader, OWN)


@pytest.mark.parametrize(
    "says",
    [
        "含可疑段落 1.0，去掉后 0.6",
        "第 1 位（共",
        "回答试图左右评分",
        "在复核人解除之前不给出建议",
        "先垂直拆分再水平拆分",
        "封顶前 2.06，封顶后 2.0",
        "强烈推荐录用",
    ],
)
def test_a_reviewer_reads_the_evidence(run: Run, tmp_path: Path, says: str) -> None:
    assert says in words(page(run, "reviewer", OWN, tmp_path))
    assert says in terminal(run, "reviewer", OWN)


def test_a_cleared_flag_is_not_told_to_the_candidate(run: Run, tmp_path: Path) -> None:
    review = Review(
        item_id=f"{OWN}#5",
        interview_id=OWN,
        of_line=4,
        reviewer="r",
        when="2026-12-01T10:00:00Z",
        before=Decimal("1.0"),
        after=Decimal("1.0"),
        cleared_flags=("injection", "unsupported_credit"),
    )
    reviewed = replace(run, reviews={review.item_id: review})
    text = words(page(reviewed, "candidate", OWN, tmp_path))
    assert "对程序的指示" not in text
    assert "本题已由人复核，总分不变" in text


def test_english_interviews_have_english_pages(run: Run, tmp_path: Path) -> None:
    for reader, says in (
        ("recruiter", "2 of 4 questions answered (50%); at least 70% are needed"),
        ("candidate", "No answer of yours was found in the transcript"),
    ):
        text = words(page(run, reader, "en_backend_02", tmp_path))
        assert says in text
        assert not re.search("[\u4e00-\u9fff]", text)


def test_what_to_ask_comes_in_the_order_of_need(run: Run) -> None:
    items = item_views(run.interviews[0], run.outcomes, run.rubric)
    asks = what_to_ask(items, run.rubric, "zh")
    assert [ask.number for ask in asks] == ["3", "2", "5"]
    weakest = asks[-1].why
    assert weakest.startswith("最弱的一项：证据与亲历（0 分）")
    assert "情境、行动、可核对的结果齐全" in weakest


def test_a_good_answer_is_not_asked_about(run: Run, rubric: Rubric) -> None:
    items = item_views(run.interviews[1], run.outcomes, run.rubric)
    assert "1" not in [ask.number for ask in what_to_ask(items, rubric, "en")]


def test_a_hostile_candidate_is_only_text_on_every_page(run: Run, tmp_path: Path) -> None:
    attack = "</title></style><script>x</script>\u202e{{ 7*7 }}\x1b[31m\u200b"
    item = Item(item_id=f"{OWN}#1", number=attack, question=attack, objective=attack, answer=attack)
    interview = Interview(
        id=OWN, source="x", candidate=attack, role=attack, intro=attack, comment=attack,
        items=(item,), warnings=(attack,),
    )  # fmt: skip
    hostile = replace(run, interviews=[interview], outcomes={}, candidates=run.candidates[:1])
    for reader in ("recruiter", "reviewer", "candidate"):
        html = page(hostile, reader, OWN, tmp_path)
        assert "<script" not in html
        assert "49" not in words(html)
        for odd in re.findall("\u202e", html):
            assert f'data-code="U+202E">{odd}</bdi>' in html
        assert html.count("\u202e") == html.count('data-code="U+202E"')
        shown = terminal(hostile, reader, OWN)
        assert not set("\u202e\x1b\u200b") & set(shown)
        assert "⟨U+202E⟩" in shown


def test_a_person_can_give_a_grade_where_the_model_could_not(run: Run, tmp_path: Path) -> None:
    failed = Outcome(item_id="a#1", interview_id="a", status="unparseable")
    item = Item(item_id="a#1", question="为什么？", answer="因为有缓存。")
    interview = Interview(id="a", source="a", items=(item,))
    figures = Candidate.model_validate(
        run.candidates[0].model_dump() | {"interview_id": "a", "overall": None}
    )
    review = Review(
        item_id="a#1", interview_id="a", of_line=0, reviewer="r", when="2026-12-01T10:00:00Z",
        before=None, after=Decimal("3.0"),
    )  # fmt: skip
    copy = copy_view(Entry(figures, interview, {"a#1": failed}), run.rubric, {}, {"a#1": review})
    assert (copy.overall, copy.items[0].overall, copy.items[0].band) == ("3.0", "3.0", "合格")
    assert copy.items[0].person == "本题已由人复核，总分定为 3.0。"
