"""Third reading: where two raters differ somebody decides; where they agree it is decided."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import pandas as pd

from evals.labels import ADJUDICATED, CANARY, OVERALL, by_rater
from evals.sheet_intake import Label
from pipeline.errors import ConfigError

Decided = dict[str, dict[str, str]]
"""Common score as text ("N/A" where both say so), by item and criterion."""


def two_raters(labels: pd.DataFrame) -> tuple[str, str]:
    """The two raters of a label file. Raises ConfigError where there are not just two."""
    raters = sorted(set(labels["rater"]) - {ADJUDICATED, CANARY})
    if len(raters) != 2:
        names = ", ".join(raters) or "nobody"
        raise ConfigError(f"adjudication needs just two raters, found {names}; name them.")
    return raters[0], raters[1]


def find_differences(
    labels: pd.DataFrame, raters: tuple[str, str], criteria: Sequence[str]
) -> tuple[Decided, set[str]]:
    """What both raters agree on, and the items on which they differ in some criterion.

    Only items that both have rated count.
    """
    tables = {key: by_rater(labels, key) for key in (*criteria, OVERALL)}
    rated = [set(labels.loc[labels["rater"] == rater, "item_id"]) for rater in raters]
    both = sorted(rated[0] & rated[1])
    if not both:
        raise ConfigError(f"{' and '.join(raters)} have no item in common.")
    decided: Decided = {item: {} for item in both}
    for item, (key, table) in product(both, tables.items()):
        first, second = (_printed(table, item, rater) for rater in raters)
        if first == second:
            decided[item][key] = first
    open_items = {item for item, scores in decided.items() if len(scores) < len(tables)}
    return decided, open_items


def complete_adjudication(
    read: Sequence[Label], decided: Decided, open_items: set[str]
) -> list[Label]:
    """The labels of the third reading and those that needed none.

    Raises ConfigError where the sheet lacks an item on which the raters differ, or changes a score
    on which they agree.
    """
    for item, key, _, score, _ in read:
        common = decided.get(item, {}).get(key)
        if common is not None and (score or "N/A") != common:
            raise ConfigError(f"{item}: both raters gave {key} {common}; the sheet changes it.")
    if lacking := sorted(open_items - {label[0] for label in read}):
        raise ConfigError(f"the sheet lacks {len(lacking)} items: {', '.join(lacking[:5])}.")
    settled = [
        (item, key, ADJUDICATED, "" if score == "N/A" else score, "")
        for item, scores in decided.items()
        if item not in open_items
        for key, score in scores.items()
    ]
    return [*read, *settled]


def _printed(table: pd.DataFrame, item: str, rater: str) -> str:
    score = table[rater].get(item) if rater in table else None
    return "N/A" if score is None or pd.isna(score) else f"{score:g}"
