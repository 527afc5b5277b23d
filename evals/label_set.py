"""All that belongs to a label file: raters, splits, pairs, thresholds and the ledger beside it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from evals.labels import Kind, interview_of, read_labels, read_raters, require_labels
from evals.splits import (
    Choice,
    Pairs,
    check_pairs,
    chosen_interviews,
    read_pairs,
    read_splits,
)
from evals.thresholds import Thresholds, read_thresholds
from pipeline.errors import ConfigError


@dataclass(frozen=True, kw_only=True)
class LabelSet:
    """Labels of the chosen split, and what is known about them."""

    labels: pd.DataFrame
    """As `read_labels` gives them, of the chosen interviews only."""
    kinds: Mapping[str, Kind]
    """Kind by rater; a rater that is not listed is `unknown`."""
    pairs: Pairs
    """Interviews in two languages."""
    thresholds: Thresholds
    """The release rules."""
    split: str
    """train, dev, test, all; or `none` where there are no splits."""
    reads_test: bool
    """Whether locked test labels are among them."""
    ledger: Path
    """Where a look at test labels is recorded."""
    notes: tuple[str, ...]
    """What was left out, in plain words."""


def read_label_set(
    path: Path,
    *,
    scale: tuple[int, int],
    criteria: Collection[str],
    raters: Path | None = None,
    splits: Path | None = None,
    pairs: Path | None = None,
    thresholds: Path | None = None,
    ledger: Path | None = None,
    split: Choice | None = None,
    test: bool = False,
) -> LabelSet:
    """Read labels.csv and what lies beside it, where no other path is given.

    Where there is a splits.csv the split is dev unless another is asked for, and test with `test`;
    test labels cannot be read past their lock by leaving the split out. Raises ConfigError.
    """
    asked = split or ("test" if test else "dev")
    labels = read_labels(path, scale=scale, criteria=criteria)
    split_of = _read_splits(_beside(path, splits, "splits.csv"), split)
    pairs_path = _beside(path, pairs, "pairs.csv")
    known_pairs = read_pairs(pairs_path) if pairs_path else {}
    notes: list[str] = []
    chosen: set[str] = set()
    if split_of:
        check_pairs(known_pairs, split_of)
        chosen = chosen_interviews(split_of, asked, test=test)
        labels = _of_interviews(labels, chosen, split_of, notes)
        where = "train or dev" if asked == "fit" else f"split {asked}"
        require_labels(
            labels, f"in {path} for {where}: label interviews of it, or change splits.csv"
        )
    require_labels(labels, f"in {path}")
    raters_path = _beside(path, raters, "raters.csv")
    rules = _beside(path, thresholds, "thresholds.yaml")
    return LabelSet(
        labels=labels,
        kinds=read_raters(raters_path) if raters_path else {},
        pairs=known_pairs,
        thresholds=read_thresholds(rules) if rules else Thresholds(),
        split=asked if split_of else "none",
        reads_test=any(split_of[interview] == "test" for interview in chosen),
        ledger=ledger or path.with_name("ledger.jsonl"),
        notes=tuple(notes),
    )


def _beside(path: Path, given: Path | None, name: str) -> Path | None:
    if given is not None:
        return given
    neighbour = path.with_name(name)
    return neighbour if neighbour.exists() else None


def _read_splits(path: Path | None, split: Choice | None) -> dict[str, str]:
    if path is not None:
        return read_splits(path)
    if split not in (None, "all", "fit"):
        raise ConfigError(f"split {split!r} is asked for, but there is no splits.csv.")
    return {}


def _of_interviews(
    labels: pd.DataFrame, chosen: set[str], split_of: Mapping[str, str], notes: list[str]
) -> pd.DataFrame:
    interviews = labels["item_id"].map(interview_of)
    if stray := sorted(set(interviews) - set(split_of)):
        notes.append(f"{len(stray)} labelled interviews stand in no split and are left out.")
    return labels[interviews.isin(chosen)].reset_index(drop=True)
