"""Simulated raters: what the eval suite is tried on where the truth is known."""

from __future__ import annotations

import numpy as np
import pandas as pd


def simulate(
    candidates: int,
    items: int = 6,
    *,
    seed: int = 0,
    noise: float = 0.5,
    grader_noise: float = 0.6,
    lenient: float = 0.2,
    rounded: bool = True,
) -> pd.DataFrame:
    """One row per item: candidate, true score, raters a and b, and a grader.

    True score = candidate (mean 2.8, SD .7) + answer (SD .8). Raters add noise; the grader adds
    noise and a leniency of its own for each candidate (SD .35), which is what makes rows of one
    candidate hang together. Raters give whole points, the grader tenths.
    """
    rng = np.random.default_rng(seed)
    shape = (candidates, items)
    true = rng.normal(2.8, 0.7, (candidates, 1)) + rng.normal(0, 0.8, shape)
    leniency = rng.normal(lenient, 0.35, (candidates, 1))
    scores = {
        "true": true,
        "a": true + rng.normal(0, noise, shape),
        "b": true + rng.normal(0, noise, shape),
        "grader": true + leniency + rng.normal(0, grader_noise, shape),
    }
    if rounded:
        scores["a"], scores["b"] = (np.floor(scores[key] + 0.5) for key in "ab")
        scores = {key: np.clip(np.round(values, 1), 0, 5) for key, values in scores.items()}
    columns = {key: values.ravel() for key, values in scores.items()}
    return pd.DataFrame({"candidate": np.repeat(np.arange(candidates), items), **columns})
