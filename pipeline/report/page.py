"""Candidates -> report.html, in one pass: only those shown in detail are kept in memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, islice
from pathlib import Path
from tempfile import TemporaryFile
from types import MappingProxyType
from typing import IO, Any

from jinja2.sandbox import SandboxedEnvironment
from markupsafe import Markup

from pipeline.atomic import replace_file
from pipeline.records import Language, Rubric
from pipeline.report.environment import environment
from pipeline.report.facts import measured_note, run_facts, settings
from pipeline.report.phrases import say, speaker
from pipeline.report.spread import coverage_rows, histogram
from pipeline.report.tally import Entry, Means, Tally
from pipeline.report.views import PersonView, Queue, person_view, row_reasons, row_view
from pipeline.review import QueueEntry
from pipeline.reviews import Review
from pipeline.table.text import storable

DETAIL_LIMIT = 500
"""So many candidates are shown item by item; a longer page no longer opens well."""
CHART_LIMIT = 12
"""Up to so many candidates have their bars side by side at the top."""


def write_report(
    path: Path,
    entries: Iterable[Entry],
    *,
    rubric: Rubric,
    manifest: Mapping[str, object],
    reviews: Mapping[str, Review] = MappingProxyType({}),
    queue: Sequence[QueueEntry] = (),
) -> None:
    """Write the report to `path` in one step. `entries` is gone through once."""
    replace_file(
        path,
        partial(_write, entries, rubric=rubric, manifest=manifest, reviews=reviews, queue=queue),
    )


def _write(
    entries: Iterable[Entry],
    path: Path,
    *,
    rubric: Rubric,
    manifest: Mapping[str, object],
    reviews: Mapping[str, Review],
    queue: Sequence[QueueEntry],
) -> None:
    made, coming = environment(), iter(entries)
    first = list(islice(coming, DETAIL_LIMIT))
    language, tally = language_of(first), Tally()
    with TemporaryFile("w+", encoding="utf-8", dir=path.parent) as rows:
        for place, entry in enumerate(chain(first, coming), start=1):
            tally.add(entry)
            rows.write(_row(made, entry, place, rubric, language))
        rows.seek(0)
        places = places_of(queue)
        reference = tally.means if tally.candidates > 1 else {}
        details = partial(_details, first, rubric, reference, places, reviews)
        shown = made.get_template("report.html.j2").generate(
            **head(rubric, manifest, tally, language),
            rows=_chunks(rows),
            details=details(),
            detailed=sum(entry.interview is not None for entry in first),
            charts=list(details()) if tally.candidates <= CHART_LIMIT else [],
            reviews=reviews,
            queue=places,
            evidence=True,
            several=True,
        )
        with path.open("w", encoding="utf-8", newline="\n") as file:
            for chunk in shown:
                file.write(storable(chunk))


def head(
    rubric: Rubric, manifest: Mapping[str, object], tally: Tally, language: Language
) -> dict[str, Any]:
    """What the page says of the run as a whole."""
    low = rubric.scale[0]
    return {
        "language": language,
        "t": speaker(language),
        "tally": tally,
        "counts": tally.by_status(),
        "facts": run_facts(manifest, tally, language),
        "settings": list(settings(manifest, language)),
        "measured": measured_note(manifest, language),
        "rubric": rubric,
        "overalls": histogram(
            say(language, "overalls_title", low=low), tally.overalls, rubric.scale, language
        ),
        "answered_only": histogram(
            say(language, "answered_only_title"), tally.answered_only, rubric.scale, language
        ),
        "coverages": coverage_rows(tally.coverages, rubric.min_coverage, language),
    }


def language_of(entries: Sequence[Entry]) -> Language:
    """The language of most interviews; English where it is undecided."""
    known = [entry.interview.language for entry in entries if entry.interview is not None]
    return "zh" if 2 * known.count("zh") > len(known) else "en"


def places_of(queue: Sequence[QueueEntry]) -> Queue:
    """By item id, the place in the queue and the entry."""
    return {entry.item_id: (place, entry) for place, entry in enumerate(queue, start=1)}


def _row(
    made: SandboxedEnvironment, entry: Entry, place: int, rubric: Rubric, language: Language
) -> str:
    detailed = entry.interview is not None and place <= DETAIL_LIMIT
    return made.get_template("row.html.j2").render(
        view=row_view(entry, place, detailed=detailed),
        reasons=row_reasons(entry, rubric, language),
        language=language,
        t=speaker(language),
    )


def _details(
    first: Sequence[Entry],
    rubric: Rubric,
    reference: Means,
    queue: Queue,
    reviews: Mapping[str, Review],
) -> Iterator[PersonView]:
    for place, entry in enumerate(first, start=1):
        if entry.interview is not None:
            yield person_view(entry, place, rubric, reference, queue, reviews)


def _chunks(rows: IO[str]) -> Iterator[Markup]:
    """What was rendered before, and so is escaped."""
    while chunk := rows.read(1 << 16):
        yield Markup(chunk)
