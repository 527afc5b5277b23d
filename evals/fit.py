"""Labels + states -> the scorer of a prompt set, and what it is worth on unseen candidates."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from platformdirs import user_cache_path

from evals.bootstrap import DRAWS
from evals.fit_features import plain_features
from evals.fit_labels import labels_by_criterion, read_fit_labels
from evals.fit_support import fit_support
from evals.fit_uncertainty import fit_uncertainty
from evals.fit_worth import agreement_line, learning_curve
from evals.hidden_states import states_of
from evals.label_set import LabelSet
from evals.labels import OVERALL
from evals.metrics.arrays import Floats
from evals.ridge import Lines, fit_lines, left_out_scores
from evals.study import GRADER, Study, formula_of, make_study
from pipeline.answer_features import FEATURES
from pipeline.atomic import replace_text
from pipeline.endpoint.base import Endpoint
from pipeline.errors import ConfigError
from pipeline.gates import check
from pipeline.plan import language_of
from pipeline.prompt import PromptSet
from pipeline.question_type import question_type
from pipeline.reading import build_reading
from pipeline.records import Interview, Reading
from pipeline.scorer import SCORER, digest_of, hash_of_readings, load_scorer
from pipeline.support import Support
from pipeline.uncertainty import Uncertainty
from pipeline.vectors import pack


@dataclass(frozen=True, kw_only=True)
class Fitted:
    """The result of `fit_scorer`."""

    lines: Lines
    """One for each criterion of the rubric, fitted on all labelled answers."""
    study: Study
    """The labelled answers, `grader` being the scores of lines that never saw the candidate."""
    states: Floats
    """answers x parts, in the order of the study."""
    plain: Floats
    """answers x plain features, whether the lines have them or not."""
    about: Mapping[str, object]
    """What the file says besides the lines."""
    curve: pd.DataFrame
    """How agreement grows with the labels: see `evals.fit_worth.learning_curve`."""
    errors: Mapping[str, float]
    """Standard deviation of label - left-out score by criterion, in points."""
    uncertainty: Uncertainty | None
    """How far off single points may be; None with too few labels of the overall."""
    support: Support
    """The region of states in which that was measured."""


def fit_scorer(
    interviews: Iterable[Interview],
    labels: Path,
    prompts: PromptSet,
    endpoint: Endpoint,
    kept: Path,
    *,
    label_scale: tuple[int, int] | None = None,
    features: bool = False,
    draws: int = DRAWS,
    seed: int = 0,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> Fitted:
    """Fit on train and dev labels, or on all where there are no splits.

    `label_scale` is the scale of the labels where it is not the rubric's; with `features`
    the lines have plain features of the answer beside the states. Raises ConfigError.
    """
    rubric = prompts.rubric
    known = read_fit_labels(labels, rubric, label_scale)
    frame, readings = labelled_items(interviews, known, prompts)
    study = make_study(frame, known, rubric, scale=rubric.scale)
    items = study.items
    points = labels_by_criterion(study, rubric, labels).to_numpy(dtype="float64")
    states = states_of([readings[name] for name in items.index], endpoint, kept, on_progress)
    spoken, clusters = list(items["language"]), items["cluster"].to_numpy()
    plain = plain_features(items, [readings[name].answer for name in items.index])
    own = plain.shape[1] if features else 0
    columns = np.hstack([states, plain]) if features else states
    lines = fit_lines(columns, spoken, points, clusters, own)
    seen = np.clip(left_out_scores(columns, spoken, points, clusters, own), *rubric.scale)
    scored = with_scores(study, seen, prompts)
    about = {
        "format": 1,
        "kind": "states",
        "model": endpoint.info.read_by,
        "scale": rubric.scale,
        "size": states.shape[1],
        **({"features": FEATURES} if features else {}),
        "reading_sha256": hash_of_readings(prompts.folder),
        "rater_kind": study.kind(study.reference),
        "reference": study.reference,
        "n": len(items),
        "clusters": int(items["cluster"].nunique()),
        "languages": sorted(lines.intercepts),
        "penalty": lines.penalty,
        "split": known.split,
        "labels_sha256": hashlib.sha256(labels.read_bytes()).hexdigest(),
        "fitted_on": fitted_on(items),
        "measured": agreement_line(scored, draws, seed),
    }
    spread = np.nanstd(points - seen, axis=0)
    errors = {key: round(float(error), 3) for key, error in zip(rubric.keys, spread, strict=True)}
    curve = learning_curve(columns, study, rubric.keys, plain=own, seed=seed)
    return Fitted(
        lines=lines,
        study=scored,
        states=states,
        plain=plain,
        about=about,
        curve=curve,
        errors=errors,
        uncertainty=fit_uncertainty(scored),
        support=fit_support(states, spoken, clusters),
    )


def fitted_on(items: pd.DataFrame) -> list[str]:
    """A digest for each answer, by which a later fit knows it again."""
    rows = zip(items["question"], items["answer"], strict=True)
    return sorted({digest_of(question, answer) for question, answer in rows})


def default_states() -> Path:
    """Where states are kept: they can be read again, so among what may be lost."""
    return user_cache_path("interview-grader", appauthor=False) / "states.jsonl"


def labelled_items(
    interviews: Iterable[Interview], known: LabelSet, prompts: PromptSet
) -> tuple[pd.DataFrame, dict[str, Reading]]:
    """The answers that carry labels, as a grader's frame; readings of those that reach the model.

    The frame has no scores yet; its status is that of the gate where one ends an answer.
    """
    wanted, rows, readings = set(known.labels["item_id"]), [], {}
    for interview in interviews:
        language = language_of(interview, "auto")
        for item in interview.items:
            if item.item_id not in wanted:
                continue
            gate = check(item)
            if gate is None:
                readings[item.item_id] = build_reading(prompts, item, language)
            rows.append(
                {
                    "item_id": item.item_id,
                    "interview_id": interview.id,
                    "language": language,
                    "status": gate.status if gate else "scored",
                    "doubt": 0.0,
                    "question": item.question,
                    "objective": item.objective or "",
                    "answer": item.answer or "",
                    "question_type": question_type(item.question, item.objective),
                }
            )
    if not rows:
        raise ConfigError("none of the labelled items is among these interviews.")
    frame = pd.DataFrame(rows).set_index("item_id")
    empty = pd.DataFrame(np.nan, index=frame.index, columns=[*prompts.rubric.keys, OVERALL])
    return frame.join(empty), readings


def with_scores(study: Study, seen: Floats, prompts: PromptSet) -> Study:
    """The study with these scores as the grader's; the overall by the rubric's formula."""
    rubric = prompts.rubric
    rows = [dict(zip(rubric.keys, row, strict=True)) for row in seen]
    kinds = study.items["question_type"]
    overall = [formula_of(row, kind, rubric) for row, kind in zip(rows, kinds, strict=True)]
    columns = dict(zip(rubric.keys, seen.T, strict=True))
    columns[OVERALL] = np.array(overall, dtype="float64")
    tables = {key: table.assign(**{GRADER: columns[key]}) for key, table in study.scores.items()}
    return Study(**{**vars(study), "scores": tables})


def write_scorer(result: Fitted, prompts: PromptSet) -> Path:
    """Write the data file into the prompt set. Raises ConfigError.

    A language without labels gets the constants of the other, and is not measured.
    """
    known = result.lines.intercepts
    intercepts = {name: known.get(name, next(iter(known.values()))) for name in ("zh", "en")}
    lines = {
        key: {
            "weights": pack([float(part) for part in result.lines.weights[at]]),
            "intercept": {name: round(float(values[at]), 6) for name, values in intercepts.items()},
            "error": result.errors[key],
        }
        for at, key in enumerate(prompts.rubric.keys)
    }
    found = result.uncertainty
    measured = {"uncertainty": found.model_dump(mode="json")} if found else {}
    measured["support"] = result.support.model_dump(mode="json")
    tree = {**result.about, **measured, "lines": lines}
    text = json.dumps(tree, ensure_ascii=False, indent=1) + "\n"
    path = prompts.folder / SCORER
    try:
        replace_text(path, text)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be written ({error.strerror}).") from None
    load_scorer(prompts.folder, prompts.rubric)
    return path
