"""Fit a calibration per criterion, say what it is worth, and write it as a data file.

A calibration holds for one model, prompt version and way of scoring. It is fitted on train and
dev, and its worth is measured on candidates that were left out of the fit.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from evals.bootstrap import DRAWS
from evals.curves import Curve
from evals.fit_labels import Inconclusive
from evals.fitness import Fitness, fitness
from evals.fitting import fit_curves, left_out_table
from evals.labels import Kind
from evals.opening import hold
from evals.study import GRADER, Study
from evals.worth import measured_line, worth_table
from pipeline.atomic import replace_text
from pipeline.calibration import read_calibration
from pipeline.config import prompt_set_folder
from pipeline.errors import ConfigError
from pipeline.prompt import CALIBRATION, PromptSet, load_prompts
from pipeline.results import Run

MADE = ("model", "prompt_version", "score_mode")
"""What a calibration holds for."""


@dataclass(frozen=True, kw_only=True)
class Calibration:
    """The result of `calibrate`."""

    about: Mapping[str, str | int | tuple[int, int]]
    """kind, model, prompt_version, score_mode, scale, labels and their SHA-256, split, reference,
    rater_kind, n, clusters, measured."""
    kind: Kind
    """Kind of the raters it was fitted to."""
    curves: Mapping[str, Curve]
    """By criterion; one with too few labels has none. `overall` alone where none has any."""
    worth: pd.DataFrame
    """By criterion and overall, on left-out candidates: metric (qwk, mae), raw, raw_low, raw_high,
    calibrated, calibrated_low, calibrated_high, difference, low, high, n, clusters, why."""
    fitness: Fitness
    """Whether the calibrated scores are fit for use, by the release rules."""


def calibrate(
    run: Run | str | Path,
    labels: str | Path,
    *,
    prompts: PromptSet | None = None,
    against: str | None = None,
    accept_model_labels: bool = False,
    draws: int = DRAWS,
    seed: int = 0,
) -> Calibration:
    """Fit on train and dev labels, or on all where there are no splits. Raises ConfigError."""
    prompts = prompts or load_prompts(prompt_set_folder())
    labels = Path(labels)
    held = hold([run], labels, prompts, against=against, split="fit")
    known, run, study = held.known, held.runs[0], held.studies[0]
    made = {name: str(run.manifest.get(name, "")) for name in MADE}
    if made["prompt_version"] != prompts.version:
        raise ConfigError(
            f"{run.folder}: graded with the prompt set {made['prompt_version']}, not with "
            f"{prompts.version}: name its folder with --prompts, or grade anew."
        )
    curves = fit_curves(study)
    if not curves:
        raise Inconclusive(
            f"{labels}: too few labelled answers to fit a calibration, or one score throughout. "
            "Label weak and strong answers, 50 or more. Nothing is written."
        )
    left_out = left_out_table(study, prompts.rubric)
    worth = worth_table(study, left_out, draws, seed)
    about = {
        "kind": "curves",
        **made,
        "scale": study.scale,
        "labels": labels.name,
        "labels_sha256": hashlib.sha256(labels.read_bytes()).hexdigest(),
        "split": known.split,
        "reference": study.reference,
        "rater_kind": study.kind(study.reference),
        "n": len(study.items),
        "clusters": int(study.items["cluster"].nunique()),
        "measured": measured_line(study, worth, draws, seed),
    }
    found = fitness(
        bent(study, left_out),
        prompts.rubric,
        known,
        draws=draws,
        seed=seed,
        accept_model_labels=accept_model_labels,
    )
    kind = study.kind(study.reference)
    return Calibration(about=about, kind=kind, curves=curves, worth=worth, fitness=found)


def bent(study: Study, left_out: pd.DataFrame) -> Study:
    """The study with left-out calibrated scores as the grader's."""
    tables = {key: table.assign(**{GRADER: left_out[key]}) for key, table in study.scores.items()}
    return Study(**{**vars(study), "scores": tables})


def write_calibration(result: Calibration, path: Path, *, replace: bool = False) -> None:
    """Write the data file: what it holds for, what it is worth, and `curves` as [raw, calibrated].

    A file that holds for something else is replaced only where asked. Raises ConfigError.
    """
    if path.exists() and not replace:
        _check_same(path, result)
    frame = result.worth.astype(object)
    rows = frame.where(frame.notna(), None).to_dict("records")
    tree = {"format": 1, **result.about, "worth": rows, "curves": dict(result.curves)}
    text = json.dumps(tree, ensure_ascii=False, indent=1, default=float) + "\n"
    try:
        replace_text(path, text)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be written ({error.strerror}). Give --out.") from None
    read_calibration(path)


def calibration_path(out: Path | None, prompts: PromptSet) -> Path:
    """Where the file goes: into the prompt set unless another place is named."""
    return out or prompts.folder / CALIBRATION


def _check_same(path: Path, result: Calibration) -> None:
    old = read_calibration(path)
    apart = [name for name in MADE if getattr(old, name) != result.about[name]]
    if apart:
        held = ", ".join(str(getattr(old, name)) for name in MADE)
        raise ConfigError(
            f"{path}: holds a calibration for {held} already. Use --replace to lose it, or --out."
        )
