"""Two runs item by item: differences in agreement with intervals, and exact matches."""

from __future__ import annotations

from math import comb

import pandas as pd

from evals.bootstrap import Estimate, bootstrap, bootstrap_difference
from evals.labels import OVERALL
from evals.metrics.arrays import half_up_points
from evals.study import GRADER, Study


def graded_by_one(frames: list[pd.DataFrame]) -> list[str]:
    """A run that fails on hard answers must not look better for it."""
    graded = [set(frame.index[frame["status"] == "scored"]) for frame in frames]
    only = [len(graded[0] - graded[1]), len(graded[1] - graded[0])]
    if not any(only):
        return []
    return [f"answers graded by one run only are left out: {only[0]} by A, {only[1]} by B."]


def paired_differences(studies: list[Study], criterion: str, draws: int, seed: int) -> pd.DataFrame:
    """One row per metric: a, b, b less a with its interval, on items that both runs scored."""
    tables = [study.scores[criterion] for study in studies]
    reference = tables[0][studies[0].reference]
    a, b = (table[GRADER] for table in tables)
    clusters, scale = studies[0].items["cluster"], studies[0].scale
    both = a.notna() & b.notna()
    single = [
        bootstrap(side.where(both), reference, clusters, scale=scale, draws=1) for side in (a, b)
    ]
    paired = bootstrap_difference(b, a, reference, clusters, scale=scale, draws=draws, seed=seed)
    rows = [
        {
            "criterion": criterion,
            "metric": metric,
            "a": single[0][metric].value,
            "b": single[1][metric].value,
            **_as_columns(estimate),
        }
        for metric, estimate in paired.items()
    ]
    frame = pd.DataFrame(rows)
    numbers = ["a", "b", "difference", "low", "high"]
    return frame.astype(dict.fromkeys(numbers, "float64"))


def _as_columns(estimate: Estimate) -> dict[str, float | int | str | None]:
    columns = dict(vars(estimate))
    return {"difference": columns.pop("value"), **columns}


def row_of(differences: pd.DataFrame, criterion: str, metric: str) -> pd.Series:
    """The row of one criterion and metric."""
    chosen = (differences["criterion"] == criterion) & (differences["metric"] == metric)
    return differences[chosen].iloc[0]


def exact_matches(studies: list[Study]) -> dict[str, float | int | None]:
    """Items that one run alone puts on the label's point, and McNemar's exact p."""
    reference = studies[0].scores[OVERALL][studies[0].reference]
    known = reference.notna().to_numpy()
    target = half_up_points(reference)[known]
    a, b = (half_up_points(study.scores[OVERALL][GRADER])[known] == target for study in studies)
    only_a, only_b = int((a & ~b).sum()), int((b & ~a).sum())
    return {
        "only_a": only_a,
        "only_b": only_b,
        "n": int(known.sum()),
        "p": mcnemar_exact(only_a, only_b),
    }


def mcnemar_exact(only_a: int, only_b: int) -> float | None:
    """Two-sided exact p of McNemar's test (binomial over the discordant items); None without any.

    It takes the items for independent, which answers of one candidate are not: read the interval
    first.
    """
    n = only_a + only_b
    if n == 0:
        return None
    tail = sum(comb(n, k) for k in range(min(only_a, only_b) + 1))
    return min(1.0, float(2 * tail / 2**n))
