"""How far a run agrees with labels: figures, verdict, and what both rest on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Unpack

import pandas as pd

from evals.basis import blank_table, count_compared, facts_of, item_table, notes_of, risk_curve
from evals.bootstrap import DRAWS
from evals.breakdown import breakdown_figures
from evals.figures import Figure, Setting, figure_table
from evals.label_set import LabelSet
from evals.labels import OVERALL
from evals.opening import Beside, hold, note_look
from evals.pooled import baseline_figures, candidate_figures, formula_figures, pooled_figures
from evals.risk import doubt_check
from evals.rules import make_checks
from evals.study import GRADER, Study
from evals.thresholds import EXIT_CODES, Check, Thresholds, Verdict, verdict
from pipeline.config import prompt_set_folder
from pipeline.prompt import PromptSet, load_prompts
from pipeline.records import Rubric
from pipeline.results import Run


@dataclass(frozen=True, kw_only=True)
class Agreement:
    """The result of `agreement`."""

    facts: Mapping[str, str | int]
    """Run, model, prompt version, labels, split, kind of raters, n, seed."""
    figures: pd.DataFrame
    """Long table: scope, group, criterion, first, second, kind, metric, value, low, high, n,
    clusters, why. NaN is undefined or no interval, and `why` says why."""
    limits: Thresholds
    """The release rules."""
    checks: tuple[Check, ...]
    """The release rules applied."""
    verdict: Verdict
    """PASS, FAIL or INCONCLUSIVE."""
    reasons: tuple[str, ...]
    """Why it is not a plain PASS."""
    coverage: pd.Series
    """Labelled items by status in the run; `absent` is not in the run at all."""
    blanks: pd.DataFrame
    """Items that were scored 0 without a call, and what the reference gave them."""
    items: pd.DataFrame
    """One row per item that the LLM graded: cluster, language, scores as `<criterion>:<rater>`."""
    risk: pd.DataFrame
    """Error by share of answers left to the grader, as `evals.risk.risk_coverage` gives it."""
    notes: tuple[str, ...]
    """What a reader has to know beside the figures."""

    @property
    def exit_code(self) -> int:
        """0 passed, 1 failed, 3 inconclusive."""
        return EXIT_CODES[self.verdict]

    def value(
        self, metric: str, *, criterion: str = OVERALL, first: str = GRADER, second: str = ""
    ) -> float | None:
        """One pooled figure; `second` is the reference unless named. None where undefined.

        Raises KeyError where there is no such figure.
        """
        second = second or str(self.facts["reference"])
        return pooled_value(self.figures, metric, criterion=criterion, first=first, second=second)


def figures_of(study: Study, rubric: Rubric, setting: Setting) -> list[Figure]:
    """Every figure of a study."""
    return [
        *pooled_figures(study, setting),
        *candidate_figures(study, rubric, setting),
        *formula_figures(study, rubric, setting),
        *baseline_figures(study, setting),
        *breakdown_figures(study, setting),
    ]


def agreement(
    run: Run | str | Path,
    labels: str | Path,
    *,
    prompts: PromptSet | None = None,
    against: str | None = None,
    label_scale: tuple[int, int] | None = None,
    accept_model_labels: bool = False,
    max_doubt: float | None = None,
    draws: int = DRAWS,
    seed: int = 0,
    **beside: Unpack[Beside],
) -> Agreement:
    """Hold a run against a label file; what is not named is looked for beside that file.

    Where there is a splits.csv the split is dev unless another is asked for. Test labels need
    `test=True` and are written to the ledger before anything is returned. `label_scale` is the
    scale of the labels where it is not the rubric's. `max_doubt`, chosen on dev, adds the rule that
    answers up to it keep the share within one point. Raises ConfigError.
    """
    prompts = prompts or load_prompts(prompt_set_folder())
    rubric, labels = prompts.rubric, Path(labels)
    held = hold([run], labels, prompts, against=against, label_scale=label_scale, **beside)
    known, run, study = held.known, held.runs[0], held.studies[0]
    facts = facts_of(run, labels, known, study, prompts, seed)
    found = judged(
        study,
        known,
        rubric,
        facts=facts,
        blanks=blank_table(held.frames[0], study),
        accept_model_labels=accept_model_labels,
        max_doubt=max_doubt,
        draws=draws,
        seed=seed,
    )
    look = note_look(
        known,
        prompts,
        versions=[str(facts["prompt_version"])],
        metric="qwk",
        result=found.value("qwk"),
        n=int(facts["n"]),
    )
    notes = (*known.notes, *notes_of(study, run, prompts, known, labels), *look)
    return replace(found, notes=notes)


def verdict_on(
    study: Study, known: LabelSet, checks: Sequence[Check], *, accept_model_labels: bool
) -> tuple[Verdict, list[str]]:
    """The verdict of the release rules on a study, and its reasons."""
    return verdict(
        checks,
        n=count_compared(study),
        min_items=known.thresholds.min_items,
        human=study.kind_of_all == "human",
        accept_model_labels=accept_model_labels,
    )


def judged(
    study: Study,
    known: LabelSet,
    rubric: Rubric,
    *,
    facts: Mapping[str, str | int],
    blanks: pd.DataFrame,
    accept_model_labels: bool = False,
    max_doubt: float | None = None,
    draws: int = DRAWS,
    seed: int = 0,
) -> Agreement:
    """Every figure of a study, and the release rules applied to them; notes of the labels alone."""
    figures = figures_of(study, rubric, Setting(scale=study.scale, draws=draws, seed=seed))
    checks = list(make_checks(figures, study, known.thresholds))
    risk = risk_curve(study)
    if max_doubt is not None:
        required = known.thresholds.adjacent or Thresholds().adjacent or 0.95
        checks.append(doubt_check(risk, max_doubt, adjacent=required))
    found, reasons = verdict_on(study, known, checks, accept_model_labels=accept_model_labels)
    return Agreement(
        facts=facts,
        figures=figure_table(figures),
        limits=known.thresholds,
        checks=tuple(checks),
        verdict=found,
        reasons=tuple(reasons),
        coverage=study.labelled.value_counts(),
        blanks=blanks,
        items=item_table(study),
        risk=risk,
        notes=tuple(known.notes),
    )


def pooled_value(
    frame: pd.DataFrame,
    metric: str,
    *,
    criterion: str = OVERALL,
    first: str = GRADER,
    second: str,
) -> float | None:
    """One figure about all items, None where undefined. Raises KeyError where there is none."""
    found = frame[
        (frame["scope"].isin(["pooled", "baseline", "candidates", "formula"]))
        & (frame["metric"] == metric)
        & (frame["criterion"] == criterion)
        & (frame["first"] == first)
        & (frame["second"] == second)
    ]
    if len(found) != 1:
        raise KeyError(f"no figure {metric} of {first} and {second} on {criterion}")
    value = found["value"].iloc[0]
    return None if pd.isna(value) else float(value)
