"""How far a run agrees with labels: figures, verdict, and what both rest on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from evals.basis import blank_table, count_compared, facts_of, item_table, notes_of, risk_curve
from evals.bootstrap import DRAWS
from evals.breakdown import breakdown_figures
from evals.figures import Setting, figure_table
from evals.grades import grader_frame, open_run
from evals.label_set import LabelSet, read_label_set
from evals.labels import OVERALL
from evals.ledger import look_warning, record_look, rubric_version
from evals.pooled import baseline_figures, candidate_figures, formula_figures, pooled_figures
from evals.risk import doubt_check
from evals.rules import make_checks
from evals.splits import Choice
from evals.study import GRADER, make_study
from evals.thresholds import EXIT_CODES, Check, Thresholds, Verdict, verdict
from pipeline.config import prompt_set_folder
from pipeline.prompt import PromptSet, load_prompts
from pipeline.results import Run


@dataclass(frozen=True, kw_only=True)
class Agreement:
    """The result of `agreement`."""

    facts: Mapping[str, str | int]
    """Run, model, prompt version, labels, split, kind of raters, n, seed."""
    figures: pd.DataFrame
    """Long table: scope, group, criterion, first, second, kind, metric, value, low, high, n,
    clusters, why. NaN is undefined or no interval, and `why` says why."""
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
        frame = self.figures
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


def agreement(
    run: Run | str | Path,
    labels: str | Path,
    *,
    prompts: PromptSet | None = None,
    raters: Path | None = None,
    splits: Path | None = None,
    pairs: Path | None = None,
    thresholds: Path | None = None,
    ledger: Path | None = None,
    split: Choice | None = None,
    test: bool = False,
    against: str | None = None,
    label_scale: tuple[int, int] | None = None,
    accept_model_labels: bool = False,
    max_doubt: float | None = None,
    draws: int = DRAWS,
    seed: int = 0,
) -> Agreement:
    """Hold a run against a label file; what is not named is looked for beside that file.

    Where there is a splits.csv the split is dev unless another is asked for. Test labels need
    `test=True` and are written to the ledger before anything is returned. `label_scale` is the
    scale of the labels where it is not the rubric's. `max_doubt`, chosen on dev, adds the rule that
    answers up to it keep the share within one point. Raises ConfigError.
    """
    prompts = prompts or load_prompts(prompt_set_folder())
    rubric = prompts.rubric
    scale = label_scale or rubric.scale
    known = read_label_set(
        Path(labels),
        scale=scale,
        criteria=rubric.keys,
        raters=raters,
        splits=splits,
        pairs=pairs,
        thresholds=thresholds,
        ledger=ledger,
        split=split,
        test=test,
    )
    run = open_run(run, rubric)
    frame = grader_frame(run, rubric.keys)
    study = make_study(frame, known, rubric, scale=scale, against=against)
    setting = Setting(scale=scale, draws=draws, seed=seed)
    figures = [
        *pooled_figures(study, setting),
        *candidate_figures(study, rubric, setting),
        *formula_figures(study, rubric, setting),
        *baseline_figures(study, setting),
        *breakdown_figures(study, setting),
    ]
    checks = list(make_checks(figures, study, known.thresholds))
    risk = risk_curve(study)
    if max_doubt is not None:
        required = known.thresholds.adjacent or Thresholds().adjacent or 0.95
        checks.append(doubt_check(risk, max_doubt, adjacent=required))
    found, reasons = verdict(
        checks,
        n=count_compared(study),
        min_items=known.thresholds.min_items,
        human=study.kind_of_all == "human",
        accept_model_labels=accept_model_labels,
    )
    notes = [*known.notes, *notes_of(study, run, prompts, known, Path(labels))]
    result = Agreement(
        facts=facts_of(run, Path(labels), known, study, prompts, seed),
        figures=figure_table(figures),
        checks=tuple(checks),
        verdict=found,
        reasons=tuple(reasons),
        coverage=study.labelled.value_counts(),
        blanks=blank_table(frame, known, study),
        items=item_table(study),
        risk=risk,
        notes=tuple(notes),
    )
    return _recorded(result, known, prompts) if known.reads_test else result


def _recorded(result: Agreement, known: LabelSet, prompts: PromptSet) -> Agreement:
    rubric = rubric_version(prompts.rubric)
    count = record_look(
        known.ledger,
        rubric=rubric,
        prompt_version=str(result.facts["prompt_version"]),
        metric="qwk",
        result=result.value("qwk"),
        n=int(result.facts["n"]),
    )
    look = f"look {count} at the test labels under {rubric}, written to {known.ledger.name}."
    notes = [*result.notes, look_warning(count, rubric) or look]
    return Agreement(**{**vars(result), "notes": tuple(notes)})
