"""Items that two runs grade differently, with both verdicts side by side."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from evals.labels import OVERALL
from evals.study import GRADER, Study
from pipeline.results import Run

SPOKEN = ("score", "quote", "problems", "rationale")


def changed_items(runs: Sequence[Run], studies: Sequence[Study]) -> pd.DataFrame:
    """One row per item and criterion, of items whose overall differs; biggest gain or loss first.

    Columns item_id, label, overall_a, overall_b, change (better, worse, same: distance to the
    label), gain (points closer to the label), question, criterion, then score, quote, problems
    and rationale of either run.
    """
    items = _changed(studies)
    words = [_words(run, items.index, name) for run, name in zip(runs, "ab", strict=True)]
    both = words[0].join(words[1], how="left").reset_index()
    table = items.reset_index().merge(both, on="item_id", how="left", sort=False)
    order = table["gain"].abs().sort_values(ascending=False, kind="stable").index
    return table.loc[order].reset_index(drop=True)


def _changed(studies: Sequence[Study]) -> pd.DataFrame:
    a, b = (study.scores[OVERALL] for study in studies)
    label = a[studies[0].reference]
    table = pd.DataFrame(
        {
            "label": label,
            "overall_a": a[GRADER],
            "overall_b": b[GRADER],
            "question": studies[0].items["question"],
        }
    )
    table = table[table["overall_a"] != table["overall_b"]].copy()
    before, after = ((table[name] - table["label"]).abs() for name in ("overall_a", "overall_b"))
    # One decimal is all that scores have; binary floats must not make a difference of nothing.
    table["gain"] = (before - after).round(6)
    names = np.where(table["gain"] > 0, "better", np.where(table["gain"] < 0, "worse", "same"))
    table["change"] = np.where(table["gain"].isna(), "no label", names)
    table.index.name = "item_id"
    return table


def _words(run: Run, items: pd.Index, name: str) -> pd.DataFrame:
    criteria = run.criteria[run.criteria["item_id"].isin(items)]
    words = criteria.set_index(["item_id", "criterion"])[list(SPOKEN)]
    return words.add_suffix(f"_{name}")
