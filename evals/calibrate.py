"""Fit a calibration per criterion, say what it is worth, and write it as a data file.

A calibration holds for one model and one prompt version. It is fitted on train and dev, and its
worth is measured on candidates that were left out of the fit.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from evals.bootstrap import DRAWS, bootstrap, bootstrap_difference
from evals.curves import Curve, fit_curve, left_out_scores
from evals.grades import grader_frame, open_run
from evals.label_set import read_label_set
from evals.study import GRADER, Study, make_study
from pipeline.atomic import replace_file
from pipeline.config import prompt_set_folder
from pipeline.errors import ConfigError
from pipeline.prompt import PromptSet, load_prompts
from pipeline.results import Run

NAME = "calibration.json"


@dataclass(frozen=True, kw_only=True)
class Calibration:
    """The result of `calibrate`."""

    about: Mapping[str, str | int]
    """model, prompt_version, score_mode, labels' SHA-256, reference, kind of raters, n."""
    curves: Mapping[str, Curve]
    """By criterion, `overall` too; a criterion with too few labels has none."""
    worth: pd.DataFrame
    """By criterion, on left-out candidates: metric, raw, calibrated, difference, low, high, n,
    why. Metrics are qwk and mae."""


def calibrate(
    run: Run | str | Path,
    labels: str | Path,
    *,
    prompts: PromptSet | None = None,
    against: str | None = None,
    draws: int = DRAWS,
    seed: int = 0,
) -> Calibration:
    """Fit on train and dev labels, or on all where there are no splits. Raises ConfigError."""
    prompts = prompts or load_prompts(prompt_set_folder())
    rubric, labels = prompts.rubric, Path(labels)
    known = read_label_set(labels, scale=rubric.scale, criteria=rubric.keys, split="fit")
    run = open_run(run, rubric)
    study = make_study(
        grader_frame(run, rubric.keys), known, rubric, scale=rubric.scale, against=against
    )
    curves = {key: curve for key in study.scores if (curve := _curve(study, key)) is not None}
    if not curves:
        raise ConfigError("too few labelled answers to fit a calibration, or one score throughout.")
    return Calibration(
        about={
            "model": str(run.manifest.get("model", "")),
            "prompt_version": str(run.manifest.get("prompt_version", "")),
            "score_mode": str(run.manifest.get("score_mode", "")),
            "labels_sha256": hashlib.sha256(labels.read_bytes()).hexdigest(),
            "split": known.split,
            "reference": study.reference,
            "kind": study.kind(study.reference),
            "n": len(study.items),
        },
        curves=curves,
        worth=pd.concat([_worth(study, key, draws, seed) for key in curves], ignore_index=True),
    )


def write_calibration(result: Calibration, path: Path) -> None:
    """Write the data file: `about`, and `curves` as lists of [raw, calibrated] by criterion."""
    tree = {"format": 1, **result.about, "curves": dict(result.curves)}
    text = json.dumps(tree, ensure_ascii=False, indent=2) + "\n"

    def fill(draft: Path) -> None:
        draft.write_text(text, encoding="utf-8", newline="\n")

    replace_file(path, fill)


def _curve(study: Study, criterion: str) -> Curve | None:
    table = study.scores[criterion]
    raw, labels = (table[name].to_numpy(dtype="float64") for name in (GRADER, study.reference))
    return fit_curve(raw, labels)


def _worth(study: Study, criterion: str, draws: int, seed: int) -> pd.DataFrame:
    table, clusters = study.scores[criterion], study.items["cluster"]
    reference = table[study.reference]
    raw = table[GRADER].to_numpy(dtype="float64")
    codes, _ = pd.factorize(clusters)
    left_out = left_out_scores(raw, reference.to_numpy(dtype="float64"), codes)
    calibrated = pd.Series(left_out, index=table.index)
    before = table[GRADER].where(calibrated.notna())
    single = [
        bootstrap(side, reference, clusters, scale=study.scale, draws=1)
        for side in (before, calibrated)
    ]
    paired = bootstrap_difference(
        calibrated, before, reference, clusters, scale=study.scale, draws=draws, seed=seed
    )
    return pd.DataFrame(
        [
            {
                "criterion": criterion,
                "metric": metric,
                "raw": single[0][metric].value,
                "calibrated": single[1][metric].value,
                "difference": paired[metric].value,
                "low": paired[metric].low,
                "high": paired[metric].high,
                "n": paired[metric].n,
                "why": paired[metric].why,
            }
            for metric in ("qwk", "mae")
        ]
    )
