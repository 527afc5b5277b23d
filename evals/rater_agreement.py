"""How far the raters agree with each other, before any grader comes in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pandas as pd

from evals.bootstrap import DRAWS
from evals.figures import Figure, Setting, Tag, figure_table, pair_figures
from evals.labels import (
    ADJUDICATED,
    CANARY,
    OVERALL,
    Kind,
    by_rater,
    interview_of,
    kind_of,
    read_labels,
    read_raters,
)
from evals.metrics.arrays import Scale
from evals.overall_tables import AGREEMENT, DISTANCE, cells, counts
from evals.sections import KIND_WORDS, Section
from evals.splits import Pairs, clusters_of, read_pairs
from evals.study import rater_pairs


def rater_agreement(
    labels: Path, *, criteria: Sequence[str], scale: Scale, draws: int = DRAWS, seed: int = 0
) -> pd.DataFrame:
    """Figures of every two raters by criterion, over all labels, in the form of `figure_table`.

    raters.csv and pairs.csv are looked for beside the labels. Test labels are not locked here: no
    grader is measured, so nothing can be fitted to them. Third readings and canaries are left out.
    """
    known = read_labels(labels, scale=scale, criteria=criteria)
    raters_path, pairs_path = labels.with_name("raters.csv"), labels.with_name("pairs.csv")
    kinds = read_raters(raters_path) if raters_path.exists() else {}
    pairs = read_pairs(pairs_path) if pairs_path.exists() else {}
    setting = Setting(scale=scale, draws=draws, seed=seed)
    return figure_table(_figures(known, (*criteria, OVERALL), kinds, pairs, setting))


def _figures(
    labels: pd.DataFrame,
    criteria: Sequence[str],
    kinds: Mapping[str, Kind],
    pairs: Pairs,
    setting: Setting,
) -> Iterator[Figure]:
    raters = sorted(set(labels["rater"]) - {ADJUDICATED, CANARY})
    for criterion in criteria:
        table = by_rater(labels, criterion).reindex(columns=raters)
        interviews = table.index.to_series().map(interview_of)
        clusters = interviews.map(clusters_of(interviews, pairs))
        for first, second in rater_pairs(raters):
            tag = Tag(
                scope="raters",
                group="all",
                criterion=criterion,
                first=first,
                second=second,
                kind=kind_of((first, second), kinds),
            )
            yield from pair_figures(tag, table[first], table[second], clusters, setting)


def rater_sections(figures: pd.DataFrame) -> list[Section]:
    """Agreement and distance: one row per criterion and two raters."""
    kinds = sorted(set(figures["kind"])) or ["unknown"]
    kind = "; ".join(KIND_WORDS[kind] for kind in kinds)
    return [
        _section(figures, AGREEMENT, f"Raters with each other ({kind})"),
        _section(figures, DISTANCE, f"Distance of raters from each other ({kind})"),
    ]


def _section(figures: pd.DataFrame, columns: Mapping[str, str], title: str) -> Section:
    rows = []
    for (criterion, first, second), part in figures.groupby(
        ["criterion", "first", "second"], sort=False
    ):
        by_metric = {row["metric"]: row for _, row in part.iterrows()}
        pair = f"{first} – {second}"
        rows.append((str(criterion), pair, *counts(part), *cells(by_metric, columns)))
    header = ("criterion", "raters", "n", "candidates", *columns.values())
    return Section(title=title, header=header, rows=tuple(rows))
