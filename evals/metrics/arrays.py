"""Sequences of scores as arrays: checked, paired, rounded."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]
Scores: TypeAlias = Sequence[Any] | npt.NDArray[Any] | pd.Series
"""Numbers; a missing one is None, NaN or NA."""
Scale: TypeAlias = tuple[int, int]
"""Lowest and highest whole point."""


def as_floats(values: Scores) -> Floats:
    """`values` as float64, missing as NaN. Raises ValueError for infinity."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "fiu":
        floats = values.astype(np.float64)
    else:
        floats = np.array(
            [math.nan if value is None or value is pd.NA else float(value) for value in values],
            dtype=np.float64,
        )
    if np.isinf(floats).any():
        raise ValueError("a score is infinite")
    return floats


def complete(*raters: Scores) -> list[Floats]:
    """The raters' scores on the items that all of them scored. Raises ValueError on lengths."""
    arrays = [as_floats(scores) for scores in raters]
    if len({len(scores) for scores in arrays}) > 1:
        raise ValueError(f"lengths differ: {', '.join(str(len(scores)) for scores in arrays)}")
    kept = ~np.isnan(np.vstack(arrays)).any(axis=0)
    return [scores[kept] for scores in arrays]


def check_points(scores: Floats, scale: Scale) -> Ints:
    """Whole points counted from 0. Raises ValueError off the scale or between two points."""
    low, high = scale
    if not low < high:
        raise ValueError(f"a scale runs upwards, not from {low} to {high}")
    points = np.rint(scores)
    if len(scores) and (np.any(points != scores) or points.min() < low or points.max() > high):
        raise ValueError(f"scores must be whole points from {low} to {high}; round them first")
    return points.astype(np.int64) - low


def complete_points(a: Scores, b: Scores, scale: Scale) -> tuple[Ints, Ints]:
    """The complete pairs as whole points counted from 0."""
    first, second = complete(a, b)
    return check_points(first, scale), check_points(second, scale)


def half_up_points(scores: Scores) -> Floats:
    """Rounded half up to whole points: 2.5 -> 3. Missing stays NaN."""
    # Scores have few decimals; what binary floats add behind them must not decide.
    return np.floor(np.round(as_floats(scores), 6) + 0.5)
