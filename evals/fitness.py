"""Whether scores are fit for use: the release rules on left-out scores, in plain words."""

from __future__ import annotations

from dataclasses import dataclass

from evals.bootstrap import DRAWS, Estimate
from evals.figures import Setting
from evals.interval import MIN_CLUSTERS
from evals.label_set import LabelSet
from evals.measure import figures_of, verdict_on
from evals.rules import make_checks
from evals.sections import KIND_WORDS
from evals.study import GRADER, Study
from evals.thresholds import EXIT_CODES, Check, Verdict
from evals.worth import qwk_between, with_ends
from pipeline.records import Rubric

WORDS: dict[Verdict, str] = {
    "PASS": "Fit for use on answers like these",
    "FAIL": "NOT fit for use without a person",
    "INCONCLUSIVE": "Too little to say whether it is fit for use",
}
SHOWN = 4
"""Reasons that are spelled out; `--tables` shows every rule."""


@dataclass(frozen=True, kw_only=True)
class Fitness:
    """The verdict on one set of left-out scores."""

    verdict: Verdict
    reasons: tuple[str, ...]
    """Why it is not a plain PASS."""
    checks: tuple[Check, ...]
    qwk: Estimate
    """Of the overall with the reference."""
    kind: str
    """Whose labels, in words."""
    beats: bool | None
    """Whether it does more than count characters and words; None where that is undefined."""

    @property
    def exit_code(self) -> int:
        """0 fit, 1 not fit, 3 cannot be said."""
        return EXIT_CODES[self.verdict]


def fitness(
    study: Study,
    rubric: Rubric,
    known: LabelSet,
    *,
    draws: int = DRAWS,
    seed: int = 0,
    accept_model_labels: bool = False,
) -> Fitness:
    """Apply the release rules to the study's grader, whose scores never saw the candidate."""
    setting = Setting(scale=study.scale, draws=draws, seed=seed)
    figures = figures_of(study, rubric, setting)
    checks = tuple(make_checks(figures, study, known.thresholds))
    found, reasons = verdict_on(study, known, checks, accept_model_labels=accept_model_labels)
    both = [f.estimate for f in figures if f.tag.first == f"{GRADER} less length + tf-idf"]
    above = both[0].value if both else None
    return Fitness(
        verdict=found,
        reasons=tuple(reasons),
        checks=checks,
        qwk=qwk_between(study, GRADER, study.reference, draws, seed),
        kind=KIND_WORDS[study.kind(study.reference)],
        beats=None if above is None else above > 0,
    )


def fitness_lines(found: Fitness) -> list[str]:
    """The verdict, why, and what to do next."""
    qwk = found.qwk
    head = (
        f"{WORDS[found.verdict]} ({found.verdict}): QWK {with_ends(qwk)} ({found.kind}), {qwk.n} "
        f"answers of {qwk.clusters} candidates, each left out of the fit."
    )
    if qwk.value is not None and qwk.low is None:
        head += f" No interval: {qwk.why}."
    reasons = [f"- {reason}" for reason in found.reasons[:SHOWN]]
    if more := found.reasons[SHOWN:]:
        reasons.append(f"- and {len(more)} more rule{'s'[: len(more) > 1]}; --tables shows all.")
    return [head, *reasons, _what_next(found)]


def _what_next(found: Fitness) -> str:
    if found.verdict == "PASS":
        return "Next: let a person read what the queue puts first; label again for new questions."
    if found.qwk.value is None:
        return "Next: label answers of every quality; with one score throughout nothing is told."
    if found.qwk.clusters < MIN_CLUSTERS:
        return (
            f"Next: label answers of {MIN_CLUSTERS - found.qwk.clusters} more candidates; from "
            f"{MIN_CLUSTERS} on there is an interval to go by."
        )
    if found.verdict == "INCONCLUSIVE":
        return "Next: mend what the reasons name, or label more; until then a person decides."
    if found.beats:
        return "Next: use it for an order of reading alone, or label more answers and fit again."
    return "Next: do not use it: counting characters and words does as well. Label more answers."
