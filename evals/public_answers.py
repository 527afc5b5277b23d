"""Public sets as a grader would meet them: read from tables, gated, sampled, ready to be read."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from evals.fit_labels import Inconclusive
from evals.public import Scored, read_public, write_public
from evals.public_sample import even_sample
from pipeline.errors import ConfigError
from pipeline.gates import check
from pipeline.intake import read_interviews
from pipeline.plan import language_of
from pipeline.prompt import PromptSet
from pipeline.reading import build_reading
from pipeline.records import Interview, Reading

TOP = 10
"""Published scores of all sets are put on 0 to this, so that sets can be pooled."""


@dataclass(frozen=True, kw_only=True)
class PublicAnswers:
    """The answers of several sets."""

    items: pd.DataFrame
    """By item: set, cluster (the question), language, question, objective, answer, points, and
    `read`, what the model reads of the answer."""
    readings: tuple[Reading, ...]
    """In the order of `items`."""
    stopped: int
    """Answers that gates kept from the model (blank or copied), left out before sampling."""


def public_answers(
    files: Sequence[Path], prompts: PromptSet, size: int, *, seed: int = 0
) -> PublicAnswers:
    """`size` answers of each file, dealt over its questions. Raises ConfigError.

    The sets take turns, so that reading that is broken off has read some of each.
    """
    rows, readings, stopped = [], [], 0
    for path in files:
        scored = read_public(path)
        found = _interviews(scored)
        open_ones = [row for row in scored if check(found[row.id].items[0]) is None]
        stopped += len(scored) - len(open_ones)
        _check_enough(path, open_ones, min(size, len(open_ones)))
        for place, row in enumerate(even_sample(open_ones, size, seed=seed)):
            interview = found[row.id]
            reading = build_reading(prompts, interview.items[0], language_of(interview, "auto"))
            rows.append({"place": place, **_row(row, interview), "read": reading.answer})
            readings.append(reading)
    order = sorted(range(len(rows)), key=lambda at: (rows[at]["place"], rows[at]["set"]))
    return PublicAnswers(
        items=pd.DataFrame([rows[at] for at in order]).drop(columns="place"),
        readings=tuple(readings[at] for at in order),
        stopped=stopped,
    )


def _check_enough(path: Path, scored: Sequence[Scored], size: int) -> None:
    """Raises ConfigError, Inconclusive where there are too few answers or questions for a fit."""
    if not scored:
        raise ConfigError(f"{path}: every answer is blank or copied; none reaches the model.")
    questions = len({row.question_id for row in scored})
    if size < 2 or questions < 2:
        raise Inconclusive(
            f"{path}: too little to say anything: {size} answers to {questions} questions. Each "
            "question is left out in turn, so a set needs several, with many answers. "
            "Nothing was read."
        )


def _interviews(scored: Sequence[Scored]) -> dict[str, Interview]:
    with tempfile.TemporaryDirectory() as folder:
        write_public(scored, Path(folder))
        found = read_interviews(Path(folder) / "interviews.jsonl")
        return {interview.id: interview for interview in found}


def _row(row: Scored, interview: Interview) -> dict[str, object]:
    [item] = interview.items
    return {
        "set": row.dataset,
        "cluster": f"{row.dataset} {row.question_id}",
        "language": language_of(interview, "auto"),
        "question": item.question,
        "objective": item.objective or "",
        "answer": item.answer or "",
        "points": TOP * (row.score - row.score_min) / (row.score_max - row.score_min),
    }
