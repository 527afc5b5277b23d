"""Runs held against one label file: the way in of `agreement`, `compare` and `calibrate`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import TypedDict, Unpack

import pandas as pd

from evals.grades import grader_frame, open_run
from evals.label_set import LabelSet, read_label_set
from evals.ledger import look_warning, record_look, rubric_version
from evals.splits import Choice
from evals.study import Study, make_study
from pipeline.errors import ConfigError
from pipeline.prompt import PromptSet
from pipeline.results import Run, check_rubric


class Beside(TypedDict, total=False):
    """What belongs to a label file. What is not named is looked for beside it."""

    raters: Path | None
    splits: Path | None
    pairs: Path | None
    thresholds: Path | None
    ledger: Path | None
    split: Choice | None
    """dev unless another is asked for, where there are splits."""
    test: bool
    """Whether locked test labels may be read; the look is recorded."""


@dataclass(frozen=True, kw_only=True)
class Held:
    """Runs and labels, joined."""

    known: LabelSet
    runs: Sequence[Run]
    frames: Sequence[pd.DataFrame]
    """All items of each run."""
    studies: Sequence[Study]
    """Of each run, the labelled items that every one of the runs graded."""


def hold(
    runs: Sequence[Run | str | Path],
    labels: Path,
    prompts: PromptSet,
    *,
    against: str | None = None,
    label_scale: tuple[int, int] | None = None,
    **beside: Unpack[Beside],
) -> Held:
    """Read runs and labels, and join them. Raises ConfigError.

    `label_scale` is the scale of the labels where it is not the rubric's.
    """
    rubric = prompts.rubric
    scale = label_scale or rubric.scale
    known = read_label_set(labels, scale=scale, criteria=rubric.keys, **beside)
    opened = [open_run(run, rubric) for run in runs]
    for run in opened:
        check_rubric(run.folder, dict(run.manifest), prompts)
    frames = [grader_frame(run, rubric) for run in opened]
    kept = frames if len(frames) == 1 else _graded_by_all(frames)
    studies = [make_study(one, known, rubric, scale=scale, against=against) for one in kept]
    return Held(known=known, runs=opened, frames=frames, studies=studies)


def _graded_by_all(frames: Sequence[pd.DataFrame]) -> list[pd.DataFrame]:
    graded = [frame.index[frame["status"] == "scored"] for frame in frames]
    common = reduce(pd.Index.intersection, graded)
    if common.empty:
        raise ConfigError("the two runs have no item that both graded.")
    return [frame.loc[common] for frame in frames]


def note_look(
    known: LabelSet,
    prompts: PromptSet,
    *,
    versions: Sequence[str],
    metric: str,
    result: float | None,
    n: int,
) -> tuple[str, ...]:
    """Write a look at test labels to the ledger; what to say of it, nothing where there is none."""
    if not known.reads_test:
        return ()
    rubric = rubric_version(prompts.rubric)
    count = record_look(
        known.ledger,
        rubric=rubric,
        prompt_version=" / ".join(versions),
        metric=metric,
        result=result,
        n=n,
    )
    look = f"look {count} at the test labels under {rubric}, written to {known.ledger.name}."
    return (look_warning(count, rubric) or look,)
