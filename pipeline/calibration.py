"""A calibration: a data file that bends a grader's scores towards labels, beside the raw ones.

`grader calibrate` writes it into a prompt set. It holds for one model, prompt version and way of
scoring, and is refused for any other. Raw scores are never replaced by it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from pipeline.errors import ConfigError
from pipeline.prompt import CALIBRATION, PromptSet
from pipeline.question_type import question_type
from pipeline.records import Grade, Interview, Outcome, Record, Rubric
from pipeline.scoring import half_up, overall_of

OFF = "off"
OVERALL = "overall"
Curve = Annotated[tuple[tuple[Decimal, Decimal], ...], Field(min_length=1)]
"""Raw and calibrated score: raw ones rise, calibrated ones never fall. Linear between, level
outside."""


class Calibration(BaseModel):
    """What is applied of the file; what else it holds says how it came about."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    format: Literal[1]
    kind: Literal["curves"]
    """How scores are bent. Other kinds may follow; a version that does not know one says so."""
    model: str
    prompt_version: str
    score_mode: str
    scale: tuple[int, int]
    n: int
    """Labelled answers that it was fitted on."""
    labels_sha256: str
    rater_kind: str
    """human, model, mixed or unknown."""
    measured: str
    """One line: agreement before and after, on answers that were left out of the fit."""
    curves: dict[str, Curve]
    """By criterion; `overall` stands alone, where the labels have no criteria."""

    @model_validator(mode="after")
    def _is_monotone_and_bounded(self) -> Self:
        low, high = self.scale
        for key, curve in self.curves.items():
            if not all(a[0] < b[0] and a[1] <= b[1] for a, b in pairwise(curve)):
                raise ValueError(f"the curve of {key} does not rise")
            if not all(low <= score <= high for _, score in curve):
                raise ValueError(f"the curve of {key} leaves the scale, {low} to {high}")
        return self


class Calibrated(Record):
    """Scores after calibration."""

    criteria: dict[str, Decimal]
    """By criterion that is asked for, unrounded."""
    overall: Decimal
    """By the rubric's formula, half up to one decimal."""


def choose_calibration(
    given: str | Path | None, prompts: PromptSet, score_mode: str, model: str
) -> dict[str, Any]:
    """What a run's manifest says of its calibration: the file, or why it was left out.

    `given` is a file, `off`, or None for the one of the prompt set. A file that was named and does
    not fit is refused with ConfigError; one of the set is left out, and the manifest says why.
    """
    nothing = {"calibration": None, "calibration_left_out": ""}
    path = prompts.folder / CALIBRATION if given is None else Path(given)
    if given == OFF or (given is None and not path.is_file()):
        return nothing
    calibration = read_calibration(path)
    made = {"model": model, "prompt_version": prompts.version, "score_mode": score_mode}
    if reason := misfit(calibration, made, prompts.rubric):
        if given is not None:
            raise ConfigError(f"{path}: {reason}.")
        return nothing | {"calibration_left_out": f"{CALIBRATION} of the prompt set {reason}"}
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return nothing | {"calibration": {**calibration.model_dump(mode="json"), "sha256": digest}}


def read_calibration(path: Path) -> Calibration:
    """Read and check a file. Raises ConfigError that names the fault."""
    try:
        tree = json.loads(path.read_text(encoding="utf-8-sig"), parse_float=Decimal)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror}).") from None
    except (ValueError, RecursionError):
        raise ConfigError(f"{path}: is no calibration: not valid JSON.") from None
    return check_calibration(tree, path)


def check_calibration(tree: object, path: Path) -> Calibration:
    """The tree of `path` as a calibration. Raises ConfigError that names the first fault."""
    try:
        return Calibration.model_validate(tree)
    except ValidationError as error:
        fault = error.errors()[0]
        place = ".".join(map(str, fault["loc"]))
        where = f"{place}: " if place else ""
        raise ConfigError(
            f"{path}: is no calibration that this version can apply: {where}{fault['msg']}. "
            "Fit it again with `grader calibrate`."
        ) from None


def misfit(calibration: Calibration, made: Mapping[str, str], rubric: Rubric) -> str:
    """What it was fitted for, where `made` says something else; empty where it fits."""
    apart = [
        f"{name.replace('_', ' ')} {getattr(calibration, name)!r}, and this run is by {value!r}"
        for name, value in made.items()
        if getattr(calibration, name) != value
    ]
    if apart:
        return f"was fitted for {'; '.join(apart)}. Fit another with `grader calibrate`"
    if unknown := sorted(set(calibration.curves) - {*rubric.keys, OVERALL}):
        return f"has a curve for {', '.join(unknown)}, which is no criterion of the rubric"
    low, high = calibration.scale
    return "" if calibration.scale == rubric.scale else f"is for a scale of {low} to {high}"


def calibrated_scores(
    tree: object,
    interviews: Iterable[Interview],
    outcomes: Mapping[str, Outcome],
    rubric: Rubric,
    folder: Path,
) -> dict[str, Calibrated]:
    """By item id, the calibrated scores of a run whose manifest has the calibration `tree`."""
    calibration = check_calibration(tree, folder / "manifest.json")
    return {
        item.item_id: calibrate_grade(
            calibration, grade, rubric, profile=question_type(item.question, item.objective)
        )
        for interview in interviews
        for item in interview.items
        if (grade := getattr(outcomes.get(item.item_id), "grade", None))
    }


def calibrate_grade(
    calibration: Calibration, grade: Grade, rubric: Rubric, *, profile: str = "default"
) -> Calibrated:
    """The grade's scores along the curves; a criterion without a curve keeps its score.

    A blank or copied answer keeps its 0: the curves were fitted on answers that an LLM graded.
    """
    raw = {part.key: part.score for part in grade.criteria if part.score is not None}
    if grade.score_mode == "gate":
        return Calibrated(criteria=raw, overall=grade.overall)
    curves = calibration.curves
    scores = {key: along(curves[key], raw[key]) if key in curves else raw[key] for key in raw}
    if OVERALL in curves:
        return Calibrated(criteria=scores, overall=half_up(along(curves[OVERALL], grade.overall)))
    return Calibrated(criteria=scores, overall=half_up(overall_of(scores, rubric, profile)[1]))


def along(curve: Sequence[tuple[Decimal, Decimal]], raw: Decimal) -> Decimal:
    """The curve at `raw`: linear between its points, level outside them."""
    if raw <= curve[0][0]:
        return curve[0][1]
    for (x0, y0), (x1, y1) in pairwise(curve):
        if raw <= x1:
            return y0 + (y1 - y0) * (raw - x0) / (x1 - x0)
    return curve[-1][1]
