"""Interviews and outcomes -> report.html."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import MappingProxyType

from jinja2 import PackageLoader, StrictUndefined
from jinja2.sandbox import SandboxedEnvironment

from pipeline.atomic import replace_file
from pipeline.records import Candidate, Interview, Language, Outcome, Rubric
from pipeline.report.chart import ROW_HEIGHT, WIDTH, Bar, bars, pooled, scores_by_interview
from pipeline.report.facts import count_statuses, run_facts, settings
from pipeline.report.items import ItemView, item_views
from pipeline.report.words import MATCH_WORDS, MODE_WORDS, RECOMMENDATION_WORDS, STATUS_WORDS
from pipeline.reviews import Review
from pipeline.table.numbers import at_most, fixed
from pipeline.table.text import storable

DETAIL_LIMIT = 500
"""So many candidates are shown item by item; a longer page no longer opens well."""


@dataclass(frozen=True, kw_only=True)
class CandidateView:
    """One candidate, ready to be printed."""

    anchor: str
    """Id of the candidate's section."""
    candidate: Candidate
    """The figures."""
    interview: Interview | None
    """The texts, if they are still there."""
    name: str
    """The candidate's name, or the interview's id."""
    language: Language
    """Language of the interview."""
    bars: list[Bar]
    """Mean scores by criterion."""
    detailed: bool
    """Whether the page shows the items."""


def write_report(
    path: Path,
    *,
    interviews: Iterable[Interview],
    outcomes: Mapping[str, Outcome],
    candidates: Sequence[Candidate],
    rubric: Rubric,
    manifest: Mapping[str, object],
    reviews: Mapping[str, Review] = MappingProxyType({}),
) -> None:
    """Write the report to `path` in one step."""
    views = candidate_views(interviews, outcomes, candidates, rubric)
    page = _environment().get_template("report.html.j2")
    chunks = page.generate(
        views=views,
        details=[view for view in views if view.detailed],
        items_of=partial(_items_of, outcomes=outcomes, rubric=rubric),
        counts=count_statuses(candidates, outcomes),
        facts=run_facts(manifest, outcomes),
        settings=settings(manifest),
        rubric=rubric,
        reviews=reviews,
    )
    replace_file(path, partial(_write, chunks))


def candidate_views(
    interviews: Iterable[Interview],
    outcomes: Mapping[str, Outcome],
    candidates: Sequence[Candidate],
    rubric: Rubric,
) -> list[CandidateView]:
    """The candidates in their order, each with its interview and its chart."""
    by_id = {interview.id: interview for interview in interviews}
    scores = scores_by_interview(outcomes.values())
    reference = pooled(scores) if len(candidates) > 1 else {}
    views: list[CandidateView] = []
    for place, candidate in enumerate(candidates, start=1):
        interview = by_id.get(candidate.interview_id)
        language = interview.language if interview else "en"
        views.append(
            CandidateView(
                anchor=f"c{place}",
                candidate=candidate,
                interview=interview,
                name=(interview and interview.candidate) or candidate.interview_id,
                language=language,
                bars=bars(rubric, language, scores.get(candidate.interview_id, {}), reference),
                detailed=interview is not None and place <= DETAIL_LIMIT,
            )
        )
    return views


def _items_of(
    interview: Interview, outcomes: Mapping[str, Outcome], rubric: Rubric
) -> list[ItemView]:
    mine = {item.item_id: outcomes.get(item.item_id) for item in interview.items}
    return item_views(interview, mine, rubric)


def _environment() -> SandboxedEnvironment:
    environment = SandboxedEnvironment(
        loader=PackageLoader("pipeline.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(fixed=fixed, at_most=at_most)
    environment.globals.update(
        status_words=STATUS_WORDS,
        mode_words=MODE_WORDS,
        match_words=MATCH_WORDS,
        recommendation_words=RECOMMENDATION_WORDS,
        chart_row=ROW_HEIGHT,
        chart_width=WIDTH,
    )
    return environment


def _write(chunks: Iterator[str], path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for chunk in chunks:
            file.write(storable(chunk))
