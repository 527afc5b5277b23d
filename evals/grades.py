"""A run as the eval suite sees it: one row per item, the grader's scores beside the texts."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from evals.labels import OVERALL
from pipeline.records import Rubric
from pipeline.results import Run, read_results
from pipeline.review import review_queue
from pipeline.table.columns import CALIBRATED


def open_run(run: Run | str | Path, rubric: Rubric) -> Run:
    """The run itself, or the one that lies in a folder. Raises ConfigError."""
    return run if isinstance(run, Run) else read_results(Path(run), rubric)


def grader_frame(run: Run, rubric: Rubric) -> pd.DataFrame:
    """Index item_id; texts, status, doubt, question_type if known, and a float column per score.

    A calibrated run has `calibrated_<key>` and `calibrated_overall` as well. NaN is no score: not
    asked for, or no grade. `doubt` is the priority in the review queue, 0 where none asks for a
    look; what reviewers decided is left out of it.
    """
    keys = rubric.keys
    texts = {
        item.item_id: (interview.language, item.objective or "", item.answer or "")
        for interview in run.interviews
        for item in interview.items
    }
    grades = run.grades.set_index("item_id")
    frame = pd.DataFrame(index=grades.index.astype(str))
    for place, name in enumerate(("language", "objective", "answer")):
        frame[name] = [texts[item][place] for item in frame.index]
    for name in ("interview_id", "question", "status"):
        frame[name] = grades[name].astype(object).to_numpy()
    queue = review_queue(run.interviews, run.outcomes, run.ranking, rubric, {})
    doubt = {entry.item_id: float(entry.priority) for entry in queue}
    frame["doubt"] = [doubt.get(item, 0.0) for item in frame.index]
    if "question_type" in grades:
        frame["question_type"] = grades["question_type"].astype(object).to_numpy()
    calibrated = {f"{CALIBRATED}_{key}": f"{CALIBRATED}_{key}" for key in keys}
    calibrated[f"{CALIBRATED}_{OVERALL}"] = CALIBRATED
    scores = {key: key for key in (*keys, OVERALL)}
    for name, column in (scores | calibrated if CALIBRATED in grades else scores).items():
        frame[name] = grades[column].to_numpy(dtype="float64", na_value=float("nan"))
    return frame
