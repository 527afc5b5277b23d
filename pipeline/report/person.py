"""The pages of one candidate alone: for the recruiter, the reviewer, or the candidate himself."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Literal

from pipeline.atomic import replace_file
from pipeline.records import Rubric
from pipeline.report.copy import copy_view
from pipeline.report.environment import environment
from pipeline.report.facts import measured_note, model_of, started
from pipeline.report.phrases import say, speaker
from pipeline.report.tally import Entry, outcomes_of
from pipeline.report.views import Queue, person_view
from pipeline.reviews import Review
from pipeline.table.text import storable
from pipeline.texts import texts_path

Reader = Literal["recruiter", "reviewer", "candidate"]
FOLDER = "candidates"
"""Where a run keeps its candidates' copies."""
_HEAD = 4096
"""The mark of a page stands within so many characters."""
_MARK = re.compile(r'<meta name="interview" content="([0-9a-f]{24})">')


def write_page(
    path: Path,
    reader: Reader,
    entry: Entry,
    *,
    rubric: Rubric,
    manifest: Mapping[str, object],
    reviews: Mapping[str, Review],
    queue: Queue,
) -> None:
    """Write one candidate's page for one reader. The candidate's texts must be there."""
    if reader == "candidate":
        text = _copy(entry, rubric, manifest, reviews)
    else:
        text = _page(entry, rubric, manifest, reviews, queue, evidence=reader == "reviewer")
    replace_file(path, partial(_write, storable(text)))


def copy_path(folder: Path, interview_id: str) -> Path:
    """Where a candidate's copy lies in a run folder: the id as far as a file name takes it."""
    name = re.sub(r"[^\w-]+", "_", interview_id)[:60].strip("_")
    return folder / FOLDER / f"{name}-{digest_of(interview_id)[:8]}.html"


def pages_about(folder: Path, interview_id: str) -> Iterator[Path]:
    """Every page about this interview alone that was written somewhere in a run folder."""
    digest = digest_of(interview_id)
    return (path for path in sorted(folder.rglob("*.html")) if marked(path) == digest)


def marked(path: Path) -> str:
    """The digest of the one interview that a page is about; empty for any other file."""
    with path.open(encoding="utf-8", errors="replace") as file:
        found = _MARK.search(file.read(_HEAD))
    return found[1] if found else ""


def digest_of(interview_id: str) -> str:
    """What stands for an interview in its page's head, as in the name of its texts."""
    return texts_path(Path(), interview_id).stem


def _copy(
    entry: Entry, rubric: Rubric, manifest: Mapping[str, object], reviews: Mapping[str, Review]
) -> str:
    copy = copy_view(entry, rubric, manifest, reviews)
    return (
        environment()
        .get_template("copy.html.j2")
        .render(
            copy=copy,
            digest=digest_of(copy.interview_id),
            rubric=rubric,
            t=speaker(copy.language),
        )
    )


def _page(
    entry: Entry,
    rubric: Rubric,
    manifest: Mapping[str, object],
    reviews: Mapping[str, Review],
    queue: Queue,
    *,
    evidence: bool,
) -> str:
    view = person_view(entry, 1, rubric, {}, queue, reviews)
    language = view.language
    models = dict.fromkeys(one.model for one in outcomes_of(entry) if one.model)
    facts = {"date": started(manifest), "model": model_of(manifest, models, language)}
    return (
        environment()
        .get_template("person.html.j2")
        .render(
            view=view,
            digest=digest_of(view.interview.id),
            language=language,
            t=speaker(language),
            measured=measured_note(manifest, language),
            facts=[(say(language, name), value) for name, value in facts.items() if value],
            rubric=rubric,
            reviews=reviews,
            queue=queue,
            evidence=evidence,
            several=False,
        )
    )


def _write(text: str, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")
