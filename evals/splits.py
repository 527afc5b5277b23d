"""Splits by interview, and which interviews count as one.

splits.csv has interview_id,split: train (examples, fitting), dev (choosing), test (locked).
pairs.csv has pair,zh_interview,en_interview: one interview in two languages is one cluster.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal, get_args

from evals.csv_rows import fault, read_rows
from pipeline.errors import ConfigError

Split = Literal["train", "dev", "test"]
Choice = Literal["train", "dev", "test", "all", "fit"]
"""A split; `all` of them; `fit` is train and dev together, what a calibration is fitted on."""
SPLITS: tuple[str, ...] = get_args(Split)
Pairs = Mapping[str, tuple[str, str]]
"""Chinese and English interview by name of the pair."""


def read_splits(path: Path) -> dict[str, str]:
    """Split by interview. Raises ConfigError with file and line."""
    splits: dict[str, str] = {}
    for row in read_rows(path, ("interview_id", "split")):
        interview, split = row.cells["interview_id"], row.cells["split"]
        if not interview or interview in splits:
            raise fault(path, row.line, "an interview needs an id, and stands in one split only")
        if split not in SPLITS:
            raise fault(path, row.line, f"split is one of {', '.join(SPLITS)}, not {split!r}")
        splits[interview] = split
    if not splits:
        raise ConfigError(f"{path}: names no interview, so nothing is locked. Fill or delete it.")
    return splits


def read_pairs(path: Path) -> dict[str, tuple[str, str]]:
    """The parity pairs. Raises ConfigError with file and line."""
    columns = ("pair", "zh_interview", "en_interview")
    pairs: dict[str, tuple[str, str]] = {}
    used: set[str] = set()
    for row in read_rows(path, columns):
        name, zh, en = (row.cells[column] for column in columns)
        if not (name and zh and en) or name in pairs or zh == en:
            raise fault(path, row.line, "a pair has a name of its own and two interviews")
        if used & {zh, en}:
            raise fault(path, row.line, "an interview belongs to one pair only")
        used |= {zh, en}
        pairs[name] = (zh, en)
    return pairs


def check_pairs(pairs: Pairs, splits: Mapping[str, str]) -> None:
    """Raises ConfigError where a pair stands in two splits: one half would give away the other."""
    for name, (zh, en) in pairs.items():
        if splits.get(zh) != splits.get(en):
            raise ConfigError(f"pair {name}: {zh} and {en} must stand in the same split.")


def chosen_interviews(splits: Mapping[str, str], choice: Choice, *, test: bool) -> set[str]:
    """The interviews of a split. Test labels need `test`; raises ConfigError without it."""
    parts = {"all": set(SPLITS), "fit": {"train", "dev"}}.get(choice, {choice})
    chosen = {interview for interview, split in splits.items() if split in parts}
    if not test and any(splits[interview] == "test" for interview in chosen):
        raise ConfigError(
            f"split {choice!r} holds locked test labels. Choose prompts on dev; to read test "
            "labels add --test, which is written to the ledger."
        )
    return chosen


def clusters_of(interviews: Iterable[str], pairs: Pairs) -> dict[str, str]:
    """Cluster by interview: the interview itself, or its pair."""
    pair_of = {interview: name for name, both in pairs.items() for interview in both}
    return {
        interview: f"pair:{pair_of[interview]}" if interview in pair_of else interview
        for interview in interviews
    }
