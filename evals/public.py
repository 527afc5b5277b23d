"""Public sets with human scores -> interviews to grade and labels to hold the grades against.

One JSON object a line: dataset, id, question, reference, answer, score, score_min, score_max,
annotators, question_id, lang. The reference goes into the objective as key points.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from evals.labels import LABEL_COLUMNS, OVERALL, RATER_COLUMNS
from pipeline.atomic import replace_file, replace_text
from pipeline.errors import ConfigError

Group = Literal["answer", "question"]
KEY_POINTS = {"zh": "参考要点：", "en": "Key points: "}


class Scored(BaseModel):
    """One answer with its published score."""

    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)

    dataset: str
    id: str
    question: str
    reference: str | None
    answer: str
    score: float
    score_min: float
    score_max: float
    annotators: tuple[float, ...] = ()
    question_id: str
    lang: str


def read_public(path: Path) -> list[Scored]:
    """All answers of a file. Raises ConfigError with file and line."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read ({type(error).__name__}).") from None
    scored = [_parse(path, number, line) for number, line in enumerate(lines, 1) if line.strip()]
    if not scored:
        raise ConfigError(f"{path}: holds no answers.")
    numbers = [number for number, line in enumerate(lines, 1) if line.strip()]
    _check_rows(path, numbers, scored)
    if len({(row.score_min, row.score_max) for row in scored}) > 1:
        raise ConfigError(f"{path}: more than one scale; split the file by scale.")
    return scored


def _check_rows(path: Path, numbers: Sequence[int], scored: Sequence[Scored]) -> None:
    first: dict[str, int] = {}
    for number, row in zip(numbers, scored, strict=True):
        fault = _fault(row)
        if row.id in first:
            fault = f"the id stands in line {first[row.id]} already; give each answer its own"
        if fault:
            raise ConfigError(f"{path}, line {number}: {fault}.")
        first[row.id] = number


def _fault(row: Scored) -> str:
    empty = [name for name in ("id", "question", "question_id") if not getattr(row, name).strip()]
    if empty:
        return f"{empty[0]} is empty; fill it"
    if row.score_min >= row.score_max:
        return f"score_min {row.score_min:g} is not below score_max {row.score_max:g}"
    off = [x for x in (row.score, *row.annotators) if not row.score_min <= x <= row.score_max]
    if off:
        return f"score {off[0]:g} is not on its scale, {row.score_min:g} to {row.score_max:g}"
    return ""


def _parse(path: Path, number: int, line: str) -> Scored:
    try:
        return Scored.model_validate_json(line)
    except ValidationError as error:
        fault = error.errors()[0]
        place = ".".join(map(str, fault["loc"])) or "the line"
        raise ConfigError(f"{path}, line {number}: {place}: {fault['msg']}.") from None


def label_scale(scored: Sequence[Scored]) -> tuple[int, int]:
    """The scale of the labels in whole points: the set's own, or its tenths where it ends at 1."""
    low, high = scored[0].score_min, scored[0].score_max
    return 0, round((high - low) * _points_per_unit(scored))


def _points_per_unit(scored: Sequence[Scored]) -> int:
    whole = all(row.score == int(row.score) for row in scored)
    wide = scored[0].score_max - scored[0].score_min > 1
    return 1 if whole or wide else 10


def write_public(scored: Sequence[Scored], folder: Path, *, group: Group = "answer") -> None:
    """Write interviews.jsonl, labels.csv and raters.csv into `folder`.

    One interview per answer, so that intervals speak about further answers to these questions; or
    one per question, so that they speak about further questions.
    """
    folder.mkdir(parents=True, exist_ok=True)
    places = list(_places(scored, group))
    rows = [_interview_row(row, *place) for row, place in zip(scored, places, strict=True)]
    # A table is read contiguous by interview.
    rows.sort(key=lambda row: (str(row["interview_id"]), int(str(row["number"]))))
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    replace_text(folder / "interviews.jsonl", text)
    labels = list(_labels(scored, places))
    _write_csv(folder / "labels.csv", LABEL_COLUMNS, labels)
    how = f"published human score of {scored[0].dataset}"
    raters = [(rater, "human", how) for rater in sorted({label[2] for label in labels})]
    _write_csv(folder / "raters.csv", RATER_COLUMNS, raters)


def _places(scored: Sequence[Scored], group: Group) -> Iterator[tuple[str, int]]:
    """Interview id and position of each answer."""
    counts: dict[str, int] = {}
    for row in scored:
        name = row.id if group == "answer" else f"q-{row.question_id}"
        counts[name] = counts.get(name, 0) + 1
        yield name, counts[name]


def _interview_row(row: Scored, interview: str, position: int) -> dict[str, str | int | None]:
    return {
        "interview_id": interview,
        "number": position,
        "question": row.question,
        "objective": key_points(row.reference, row.lang) if row.reference else None,
        "answer": row.answer,
    }


def key_points(reference: str, language: str) -> str:
    """The reference as numbered points.

    Numbers keep a right answer in the reference's own words from being taken for a copy of the
    objective, which would score it 0 without a call.
    """
    points = [point.strip() for point in re.split(r"[，、。；;\n]+|(?<=[a-z]{3})\. ", reference)]
    numbered = " ".join(f"({n}) {point}" for n, point in enumerate(filter(None, points), 1))
    return KEY_POINTS.get(language, KEY_POINTS["en"]) + numbered


def _labels(
    scored: Sequence[Scored], places: Sequence[tuple[str, int]]
) -> Iterator[tuple[str, str, str, str, str]]:
    unit = _points_per_unit(scored)
    for row, (interview, position) in zip(scored, places, strict=True):
        scores = dict(zip(("annotator1", "annotator2", "annotator3"), row.annotators, strict=False))
        for rater, score in (scores or {"published": row.score}).items():
            points = round((score - row.score_min) * unit, 6)
            yield f"{interview}#{position}", OVERALL, rater, f"{points:g}", ""


def _write_csv(path: Path, header: Iterable[str], rows: Iterable[Iterable[str]]) -> None:
    def fill(draft: Path) -> None:
        with draft.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(header)
            writer.writerows(rows)

    replace_file(path, fill)
