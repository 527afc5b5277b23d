"""The report in a real browser: nothing runs, nothing is fetched, everything fits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import pytest
from pypdf import PdfReader

from pipeline.report import Reader, write_page
from tests.report.conftest import LONG, grade, scored

pytestmark = pytest.mark.browser
OpenPage = Callable[..., Any]


def test_candidate_text_does_not_run(open_page: OpenPage) -> None:
    page = open_page()
    assert page.evaluate("window.pwned") is None
    assert "dialog" not in page.events
    assert page.locator("script, img, iframe, object, link").count() == 0
    assert "<script>window.pwned=1</script>" in page.locator("#c1-5 .answer").inner_text()


def test_text_that_escaped_would_not_run_either(
    open_page: OpenPage, report: Path, tmp_path: Path
) -> None:
    path = tmp_path / "broken.html"
    script = "<script>window.pwned=1</script><b onclick='window.pwned=1' id=b>x</b><main>"
    path.write_text(report.read_text("utf-8").replace("<main>", script), "utf-8")
    page = open_page(path=path)
    page.click("#b")
    assert page.evaluate("window.pwned") is None


def test_nothing_but_the_file_is_asked_for(open_page: OpenPage, report: Path) -> None:
    page = open_page()
    page.locator("details").evaluate_all("all => all.forEach(one => one.open = true)")
    assert page.events == [report.as_uri()]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 360, 801, 1025, 1280])
def test_no_width_scrolls_sideways(open_page: OpenPage, width: int, scheme: str) -> None:
    page = open_page(width=width, color_scheme=scheme)
    page.locator("details").evaluate_all("all => all.forEach(one => one.open = true)")
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize(
    ("label", "quote"),
    [
        ("A", "把隔离级别从可重复读改成读已提交，间隙锁少了"),
        ("B", "事务开始读时生成 ReadView，按活跃事务列表判断哪个版本可见"),
        ("C", "间隙锁少了，死锁告警从每天 40 多次降到 3 次。代价是"),
        ("D", "死锁告警从每天 40 多次降到 3 次"),
    ],
)
def test_a_highlight_is_the_quote(open_page: OpenPage, label: str, quote: str) -> None:
    marks = open_page().locator(f'#c1-1 mark[data-quotes~="{label}"]')
    assert "".join(marks.all_text_contents()) == quote


def test_each_answer_is_shown_whole(open_page: OpenPage, run: Any) -> None:
    page = open_page()
    for place, interview in enumerate(run.interviews, start=1):
        for number, item in enumerate(interview.items, start=1):
            if item.answer:
                shown = page.locator(f"#c{place}-{number} .answer").text_content()
                assert shown == item.answer


def test_a_link_leads_from_a_quote_to_its_place(open_page: OpenPage) -> None:
    page = open_page()
    page.locator("#c1-1 .quote a").nth(3).click()
    assert page.evaluate("location.hash") == "#c1-1-D"
    following = "document.getElementById('c1-1-D').nextElementSibling.textContent"
    assert page.evaluate(following) == "死锁告警从每天 40 多次降到 3 次"


def test_every_link_has_a_target_and_every_id_is_unique(open_page: OpenPage) -> None:
    page = open_page()
    ids = page.locator("[id]").evaluate_all("all => all.map(one => one.id)")
    links = page.locator("a").evaluate_all("all => all.map(one => one.getAttribute('href'))")
    assert len(ids) == len(set(ids))
    assert {link.removeprefix("#") for link in links} <= set(ids)
    assert all(link.startswith("#") for link in links)


def test_charts_say_their_numbers(open_page: OpenPage) -> None:
    page = open_page()
    chart = page.get_by_role("img", name="Mean scores by criterion: Noor O’Brien-Lindqvist").first
    assert (
        "Technical correctness: 2.0 (all candidates 2.1)." in chart.locator("desc").text_content()
    )
    assert chart.locator(".bar-value").all_text_contents() == ["2.5", "2.0", "2.5", "2.0", "2.0"]


def test_the_comment_of_the_source_is_closed(open_page: OpenPage) -> None:
    page = open_page()
    comment = page.get_by_text("强烈推荐录用")
    assert not comment.is_visible()
    page.get_by_text("原文的点评（评分时不可见）").click()
    assert comment.is_visible()


def test_it_prints_with_each_candidate_on_a_new_page(open_page: OpenPage) -> None:
    page = open_page()
    pdf = page.pdf(prefer_css_page_size=True)
    assert pdf.startswith(b"%PDF")
    page.emulate_media(media="print")
    breaks = page.locator(".candidate").evaluate_all(
        "all => all.map(one => getComputedStyle(one).breakBefore)"
    )
    assert breaks == ["page", "page"]


@pytest.fixture(scope="module")
def pages(run: Any, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The three pages of one candidate, with a quote that is one long line."""
    folder, long = tmp_path_factory.mktemp("pages"), LONG.split("\n")[0]
    name = "004_f1f0d580990950e8#4"
    result = grade(LONG, dict.fromkeys(run.rubric.keys, ("3", long)), "3.0")
    [entry, _] = list(replace(run, outcomes={**run.outcomes, name: scored(name, result)}).entries())
    paths = {reader: folder / f"{reader}.html" for reader in get_args(Reader)}
    for reader, path in paths.items():
        write_page(
            path, reader, entry, rubric=run.rubric, manifest=run.manifest, reviews={}, queue={}
        )
    return paths


@pytest.mark.parametrize("reader", get_args(Reader))
def test_pages_of_one_candidate_fit_a_phone_and_fetch_nothing(
    open_page: OpenPage, pages: dict[str, Path], reader: str
) -> None:
    page = open_page(width=360, path=pages[reader])
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert page.events == [pages[reader].as_uri()]
    assert page.evaluate("window.pwned") is None


def test_the_recruiters_page_is_one_printed_page(
    open_page: OpenPage, pages: dict[str, Path], tmp_path: Path
) -> None:
    path = tmp_path / "page.pdf"
    dark = open_page(path=pages["recruiter"], color_scheme="dark")
    dark.pdf(path=path, prefer_css_page_size=True)
    assert len(PdfReader(path).pages) == 1
    dark.emulate_media(media="print")
    ground = dark.evaluate("getComputedStyle(document.querySelector('.card')).backgroundColor")
    assert ground == "rgb(255, 255, 255)"
    charts = dark.locator("svg").evaluate_all(
        "all => all.map(one => getComputedStyle(one).breakInside)"
    )
    assert set(charts) == {"avoid"}
