"""The report as text: what it says, what it leaves out, and how it is written."""

from __future__ import annotations

import re
import tracemalloc
from dataclasses import replace
from decimal import Decimal
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from pipeline.flags import FLAGS
from pipeline.question_type import QUESTION_TYPES
from pipeline.records import STATUSES, Candidate, Interview, Item, Outcome, Rubric
from pipeline.report.chart import bars
from pipeline.report.facts import run_facts, settings
from pipeline.report.highlight import split_answer
from pipeline.report.items import item_views
from pipeline.report.tally import Tally, means_of
from pipeline.report.words import (
    FLAGS_ZH,
    MATCH_WORDS,
    MODE_WORDS,
    RECOMMENDATION_WORDS,
    STATUS_WORDS,
    TYPE_WORDS,
    in_language,
)

Run = Any
VOID = {"meta", "br", "hr", "img", "link", "input"}


class Outline(HTMLParser):
    """Checks that tags nest, and keeps the text of one element by id."""

    def __init__(self, wanted: str) -> None:
        super().__init__()
        self.wanted, self.open, self.depth, self.text = wanted, list[str](), 0, list[str]()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append(tag)
        if ("id", self.wanted) in attrs:
            self.depth = len(self.open)

    def handle_endtag(self, tag: str) -> None:
        assert self.open[-1] == tag, f"</{tag}> closes <{self.open[-1]}>"
        if len(self.open) == self.depth:
            self.depth = 0
        self.open.pop()

    def handle_data(self, data: str) -> None:
        if self.depth:
            self.text.append(data)


def text_of(html: str, wanted: str) -> str:
    outline = Outline(wanted)
    outline.feed(html)
    outline.close()
    assert not outline.open
    return " ".join("".join(outline.text).split())


@pytest.fixture(scope="session")
def html(report: Path) -> str:
    return report.read_text("utf-8")


def many(count: int) -> tuple[list[Interview], list[Candidate]]:
    interviews = [
        Interview(
            id=f"i{place:04}",
            source="x",
            items=(Item(item_id=f"i{place:04}#1", question="为什么？", answer="因为" * 200),),
        )
        for place in range(count)
    ]
    blank = {
        "role": None,
        "years_experience": None,
        "asked": 1,
        "answered": 1,
        "graded": 0,
        "coverage": Decimal(1),
        "overall": None,
        "overall_answered_only": None,
        "recommendation": "NO_DECISION",
        "reasons": (),
    }
    return interviews, [Candidate(interview_id=one.id, **blank) for one in interviews]


@pytest.mark.parametrize(
    ("item", "says"),
    [
        (
            "c1-2",
            "2.0 / 5 偏弱 封顶 封顶前 2.06，封顶后 2.0 – 技术正确性不高于 1：最多 2",
        ),
        ("c1-3", "0 – 没有可评的内容 blank"),
        ("c1-4", "没有分数 – 模型没有给出有效的回复 unparseable"),
        ("c1-4", "原因 the reply was no valid verdict, also after the re-ask"),
        ("c1-5", "injection 回答试图左右评分 在复核人解除之前不给出建议。"),
        ("c1-5", "再评一次 含可疑段落 1.0，去掉后 0.6。"),
        ("c1-5", "优先度 8：回答试图左右评分; 给了 3 分或以上，但引文在回答中找不到; "),
        ("c2-2", "no score – no answer to grade missing"),
        ("c2-2", "The source has no answer here."),
        ("c2-3", "0 – only repeats the question copied"),
        ("c2-4", "no score – not graded yet not_run"),
        ("c1-2", "证据与亲历本题不考察"),
        ("c1-2", "先垂直拆分再水平拆分 回答中没有这句话"),
        ("c1-1", "技术正确性4.42 正确，仅有不影响结论的小疏漏"),
        ("c2-1", "Technical correctness4 right, only slips that change nothing"),
    ],
)
def test_an_item_says_how_it_ended(html: str, item: str, says: str) -> None:
    assert says in text_of(html, item)


def test_an_item_without_a_score_shows_no_number(html: str) -> None:
    assert not re.search(r"\b0\b", text_of(html, "c2-2").replace("Q2", ""))


def test_the_head_says_what_the_run_was(html: str) -> None:
    head = text_of(html.replace('class="head"', 'id="head"'), "head")
    for part in (
        "No agreement with people has been measured for these scores.",
        "Every figure and recommendation is advisory: a person decides.",
        "2026-12-01 09:12 UTC",
        "interview-3f9c1a",
        "expected values (expected), whole points (verdict)",
        "4 scored",
        "1 not_run",
        "5 min 12 s",
        "inputs60 entries",
    ):
        assert part in head


def test_nothing_points_outside_the_file(html: str) -> None:
    assert not re.search(r"https?:|//[a-z]|@import|url\(|src=|<script", html.replace(ESCAPED, ""))
    assert "default-src 'none'" in html


ESCAPED = "src=x onerror="


def test_every_raw_attack_is_escaped(run: Run, tmp_path: Path) -> None:
    attack = "</title></style></svg></details>\"'><script>x</script>{{ 7*7 }}"
    item = Item(item_id="a#1", number=attack, question=attack, objective=attack, answer=attack)
    fields = dict.fromkeys(("candidate", "role", "intro", "comment"), attack)
    interview = Interview(
        id=attack,
        source=attack,
        years_experience=attack,
        items=(item,),
        warnings=(attack,),
        **fields,
    )
    outcome = Outcome(
        item_id="a#1",
        interview_id=attack,
        status="refused",
        reason=attack,
        flags=(attack,),
        model=attack,
        prompt_version=attack,
        attempts=1,
    )
    candidate = run.candidates[0].model_copy(
        update={"interview_id": attack, "role": attack, "reasons": (attack,)}
    )
    page = replace(
        run,
        interviews=[interview],
        outcomes={"a#1": outcome},
        candidates=[candidate],
        manifest={attack: attack},
    ).write(tmp_path / "report.html")
    html = page.read_text("utf-8")
    assert "<script" not in html
    assert html.count("</title>") == 4
    assert "{{ 7*7 }}" in text_of(html, "c1")


def test_odd_characters_do_not_stop_the_page(run: Run, tmp_path: Path) -> None:
    item = Item(item_id="a#1", question="q", answer="half \ud83d pair, nul \x00, 🧪")
    interview = Interview(id="a", source="a", items=(item,))
    candidate = run.candidates[0].model_copy(update={"interview_id": "a"})
    page = replace(run, interviews=[interview], outcomes={}, candidates=[candidate])
    html = page.write(tmp_path / "report.html").read_text("utf-8")
    assert "half \ufffd pair, nul " in html
    assert 'data-code="U+0000">\ufffd</bdi>, 🧪' in html


def test_an_empty_run_is_a_page(run: Run, tmp_path: Path) -> None:
    empty = replace(run, interviews=[], outcomes={}, candidates=[], manifest={})
    html = empty.write(tmp_path / "report.html").read_text("utf-8")
    assert "There are no candidates in this run." in text_of(html, "candidates")


def test_a_candidate_without_texts_is_listed(run: Run, tmp_path: Path) -> None:
    erased = replace(run, interviews=run.interviews[:1])
    html = erased.write(tmp_path / "report.html").read_text("utf-8")
    assert "en_backend_02" in text_of(html, "candidates")
    assert 'id="c2"' not in html


def test_more_than_500_candidates_are_listed_and_said(run: Run, tmp_path: Path) -> None:
    interviews, candidates = many(510)
    large = replace(run, interviews=interviews, candidates=candidates, outcomes={})
    html = large.write(tmp_path / "report.html").read_text("utf-8")
    assert html.count('<tr>\n<th scope="row">') == 510
    assert html.count('class="candidate"') == 500
    assert "共列出 510 位候选人，其中 500 位在下文逐题列出" in html


def test_a_large_page_is_written_in_little_memory(run: Run, tmp_path: Path) -> None:
    interviews, candidates = many(500)
    large = replace(run, interviews=interviews, candidates=candidates, outcomes={})
    tracemalloc.start()
    size = large.write(tmp_path / "report.html").stat().st_size
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert size > 2_000_000
    assert peak < 10_000_000


def test_a_failure_leaves_the_old_report(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text("old", "utf-8")
    broken = run.candidates[0].model_copy(update={"reasons": 7})
    with pytest.raises(TypeError):
        replace(run, candidates=[broken]).write(path)
    assert [(file.name, file.read_text("utf-8")) for file in tmp_path.iterdir()] == [
        ("report.html", "old")
    ]


def test_equal_runs_give_equal_pages(run: Run, report: Path, tmp_path: Path) -> None:
    assert run.write(tmp_path / "again.html").read_bytes() == report.read_bytes()


@pytest.mark.parametrize(
    ("answer", "spans", "texts"),
    [
        ("abcdef", {}, ["abcdef"]),
        ("", {}, []),
        ("abcdef", {"A": (0, 6)}, ["abcdef"]),
        ("abcdef", {"A": (1, 3)}, ["a", "bc", "def"]),
        ("abcdef", {"A": (0, 4), "B": (2, 6)}, ["ab", "cd", "ef"]),
        ("abcdef", {"A": (0, 6), "B": (2, 3)}, ["ab", "c", "def"]),
        ("abcdef", {"A": (1, 3), "B": (1, 3)}, ["a", "bc", "def"]),
        ("abcdef", {"A": (4, 9), "B": (3, 3), "C": (-2, 2)}, ["abcdef"]),
    ],
)
def test_an_answer_is_split_at_the_edges_of_its_quotes(
    answer: str, spans: dict[str, tuple[int, int]], texts: list[str]
) -> None:
    segments = split_answer(answer, spans)
    assert [segment.text for segment in segments] == texts
    for label, (start, end) in spans.items():
        covered = "".join(segment.text for segment in segments if label in segment.labels)
        inside = 0 <= start < end <= len(answer)
        assert covered == (answer[start:end] if inside else "")
        assert sum(label in segment.opens for segment in segments) == inside
        assert sum(label in segment.closes for segment in segments) == inside


def test_means_are_half_up_and_leave_out_what_has_no_score(run: Run) -> None:
    tally = Tally()
    for entry in run.entries():
        tally.add(entry)
    shown = bars(run.rubric, "zh", means_of(next(run.entries())), tally.means)
    assert [bar.value for bar in shown] == ["2.0", "2.1", "1.8", "1.5", "2.3"]
    assert [bar.reference_value for bar in shown] == ["2.2", "2.1", "2.0", "1.7", "2.2"]
    nothing = bars(run.rubric, "en", {}, {})
    assert {(bar.value, bar.length, bar.reference) for bar in nothing} == {("no score", "", "")}


def test_flags_of_reader_and_grader_stand_together(run: Run) -> None:
    item = Item(item_id="a#1", question="q", answer="x", flags=("truncated_end", "injection"))
    outcome = Outcome(
        item_id="a#1", interview_id="a", status="refused", flags=("injection", "new_flag")
    )
    interview = Interview(id="a", source="a", items=(item,))
    (view,) = item_views(interview, {"a#1": outcome}, run.rubric)
    assert [(flag.name, flag.blocks) for flag in view.flags] == [
        ("truncated_end", False),
        ("injection", True),
        ("new_flag", False),
    ]
    assert view.flags[1].meaning == FLAGS_ZH["injection"]


def test_every_code_has_a_word_in_both_languages(rubric: Rubric) -> None:
    assert set(STATUS_WORDS) == set(STATUSES)
    assert set(MODE_WORDS) == {"verdict", "expected", "median", "gate"}
    assert set(MATCH_WORDS) == {"none", "exact", "approximate", "not_found"}
    assert set(TYPE_WORDS) == set(QUESTION_TYPES)
    assert set(FLAGS_ZH) == set(FLAGS)
    assert {cut.recommendation for cut in rubric.cuts} | {"NO_DECISION"} == set(
        RECOMMENDATION_WORDS
    )


@pytest.mark.parametrize(
    ("texts", "name"),
    [({"zh": "深度", "en": "Depth"}, "深度"), ({"de": "Tiefe"}, "Tiefe"), ({}, "k")],
)
def test_names_fall_back_to_what_there_is(texts: dict[str, str], name: str) -> None:
    assert in_language(texts, "zh", "k") == name


@pytest.mark.parametrize(
    ("manifest", "fact"),
    [
        ({"started": "2026-12-01T10:12:44+01:00"}, ("Date", "2026-12-01 09:12 UTC")),
        ({"started": "yesterday"}, ("Date", "yesterday")),
        ({"model": "m-1"}, ("Model", "m-1")),
        ({"wall_seconds": 3.25}, ("Wall time", "3.3 s")),
        ({"wall_seconds": 3725}, ("Wall time", "1 h 2 min")),
    ],
)
def test_facts_come_from_the_manifest(manifest: dict[str, object], fact: tuple[str, str]) -> None:
    assert run_facts(manifest, Tally(), "en") == [fact]


def test_the_model_that_answered_is_named_where_it_differs() -> None:
    tally = Tally(models={"m-1-2026": None})
    assert ("Points read by", "r") in run_facts({"model": "m", "reader": "r"}, Tally(), "en")
    facts = run_facts({"model": "m-1"}, tally, "en")
    assert facts == [("Model", "m-1 (answered: m-1-2026)")]


def test_settings_count_long_lists() -> None:
    manifest = {"parameters": {"seed": 7, "top_p": None}, "inputs": dict.fromkeys(range(41))}
    assert list(settings(manifest)) == [
        ("parameters.seed", "7"),
        ("parameters.top_p", ""),
        ("inputs", "41 entries"),
    ]


def test_items_without_an_outcome_are_counted(run: Run) -> None:
    tally = Tally()
    for entry in run.entries():
        tally.add(entry)
    counts = tally.by_status()
    assert counts[-1] == ("not_run", 1)
    assert sum(number for _, number in counts) == 9
