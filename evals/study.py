"""One run held against one set of labels: who scored which item how."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

import pandas as pd

from evals.label_set import LabelSet
from evals.labels import ADJUDICATED, CANARY, OVERALL, Kind, by_rater, kind_of
from evals.metrics.arrays import Scale
from evals.splits import clusters_of
from pipeline.errors import ConfigError
from pipeline.records import Rubric
from pipeline.scoring import half_up, overall_of
from pipeline.table.columns import CALIBRATED

GRADER = "grader"
GRADERS = frozenset({GRADER, CALIBRATED})
"""Names of scores that no rater gave: the grader's own, and the same after calibration."""


@dataclass(frozen=True, kw_only=True)
class Study:
    """The items graded by the LLM, with the scores of all raters."""

    items: pd.DataFrame
    """Index item_id; texts, status, `cluster`; labelled items whose status is scored."""
    scores: Mapping[str, pd.DataFrame]
    """By criterion, `overall` last: index as in `items`, columns grader, calibrated where the run
    is, and raters; NaN is none."""
    labelled: pd.Series
    """Status in the run of every labelled item, `absent` where the run does not have it."""
    raters: tuple[str, ...]
    """Single raters, in order; neither the third reading nor canaries."""
    reference: str
    """What the grader is held against where only one is: the third reading, or the first rater."""
    kinds: Mapping[str, Kind]
    """Kind by rater."""
    scale: Scale
    """Scale of the labels; the grader's scores are mapped onto it."""
    canaries: pd.DataFrame
    """Overall labels by rater with the canary column, if there is one."""

    @property
    def graders(self) -> tuple[str, ...]:
        """The grader, and the calibrated grader where the run has calibrated scores."""
        return tuple(name for name in self.scores[OVERALL] if name in GRADERS)

    def kind(self, *raters: str) -> Kind:
        """Kind of these raters together; a third reading rests on the single raters too."""
        named = set(raters) - GRADERS
        if ADJUDICATED in named:
            named |= set(self.raters)
            named -= set() if ADJUDICATED in self.kinds else {ADJUDICATED}
        return kind_of(named, self.kinds)

    @property
    def kind_of_all(self) -> Kind:
        """Kind of all raters together."""
        return self.kind(*self.raters, self.reference)


def make_study(
    frame: pd.DataFrame,
    labels: LabelSet,
    rubric: Rubric,
    *,
    scale: Scale,
    against: str | None = None,
) -> Study:
    """Join the grader's frame with the labels. Raises ConfigError where a rater is not there."""
    keys = [*rubric.keys, OVERALL]
    tables = {key: by_rater(labels.labels, key) for key in keys}
    names = sorted(set(labels.labels["rater"]) - {CANARY})
    raters = tuple(name for name in names if name != ADJUDICATED)
    if not names:
        raise ConfigError("the label file holds canaries only; there is nothing to measure.")
    reference = against or (ADJUDICATED if ADJUDICATED in names else raters[0])
    if reference not in names:
        raise ConfigError(f"no labels by {reference!r}; there are labels by {', '.join(names)}.")
    labelled = sorted(set(labels.labels.loc[labels.labels["rater"] != CANARY, "item_id"]))
    status = frame["status"].reindex(labelled).fillna("absent")
    items = frame.loc[[item for item in labelled if status[item] == "scored"]].copy()
    clusters = clusters_of(items["interview_id"], labels.pairs)
    items["cluster"] = items["interview_id"].map(clusters)
    scores = {}
    for key in keys:
        mine = {GRADER: key, CALIBRATED: f"{CALIBRATED}_{key}"}
        graded = [
            to_scale(items[column], rubric.scale, scale).rename(name)
            for name, column in mine.items()
            if column in items
        ]
        given = tables[key].reindex(index=items.index, columns=names)
        scores[key] = pd.concat([*graded, given], axis=1)
    return Study(
        items=items,
        scores=scores,
        labelled=status,
        raters=raters,
        reference=reference,
        kinds=labels.kinds,
        scale=scale,
        canaries=tables[OVERALL],
    )


def to_scale(scores: pd.Series, source: Scale, target: Scale) -> pd.Series:
    """Scores of one scale on another: lowest on lowest, highest on highest, linear between."""
    if source == target:
        return scores
    share = (scores - source[0]) / (source[1] - source[0])
    return target[0] + share * (target[1] - target[0])


def formula_scores(study: Study, rater: str, rubric: Rubric) -> pd.Series:
    """The rubric's formula applied to a rater's criteria: weights, caps, half up to one decimal.

    Weights are those of the question's type, as for the grader. A criterion without a score is
    N/A, its weight redistributed; NaN where none is scored.
    """
    criteria = pd.DataFrame(
        {key: study.scores[key][rater] for key in rubric.keys if rater in study.scores[key]}
    )
    rows = (dict(zip(criteria.columns, row, strict=True)) for row in criteria.to_numpy())
    types = study.items.get("question_type", pd.Series("default", study.items.index))
    values = [formula_of(row, str(kind), rubric) for row, kind in zip(rows, types, strict=True)]
    return pd.Series(values, index=criteria.index, dtype="float64")


def formula_of(row: Mapping[str, float], kind: str, rubric: Rubric) -> float | None:
    """The rubric's overall of scores by criterion; None where none is asked for and scored."""
    weights = rubric.weights_for(kind)
    given = {key: value for key, value in row.items() if key in weights and not pd.isna(value)}
    if not given:
        return None
    scores = {key: Decimal(str(value)) for key, value in given.items()}
    return float(half_up(overall_of(scores, rubric, kind)[1]))


def rater_pairs(raters: Sequence[str]) -> list[tuple[str, str]]:
    """Every two raters once."""
    return [(a, b) for place, a in enumerate(raters) for b in raters[place + 1 :]]
