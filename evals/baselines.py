"""What needs no understanding: answer length, word overlap, both, a constant, shuffled labels.

A grader that does not clearly beat these has not read the answers. Each is fitted on all other
candidates and applied to the one left out, so that it is held to the same standard.
"""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pandas as pd

from evals.labels import BASELINES
from evals.metrics.arrays import Floats, Scale
from pipeline.answer_features import grams

RIDGE = 1.0
"""Penalty on the weights of standardised features: they are few, and the answers many."""


def baseline_scores(
    items: pd.DataFrame, reference: pd.Series, scale: Scale, *, seed: int = 0
) -> pd.DataFrame:
    """One column per baseline; index as `items`, NaN where there is no reference."""
    known = reference.notna().to_numpy()
    table = pd.DataFrame(index=items.index, columns=list(BASELINES), dtype="float64")
    if known.sum() < 2:
        return table
    chosen, labels = items[known], reference[known].to_numpy(dtype="float64")
    clusters, _ = pd.factorize(chosen["cluster"])
    length, overlap = length_feature(chosen), overlap_feature(chosen)
    for name, features in {
        "length": [length],
        "tf-idf": [overlap],
        "length + tf-idf": [length, overlap],
        "constant": [np.zeros(len(labels))],
    }.items():
        table.loc[known, name] = fit_left_out(np.array(features).T, labels, clusters, scale)
    table.loc[known, "shuffled"] = np.random.default_rng(seed).permutation(labels)
    return table


def fit_left_out(features: Floats, labels: Floats, clusters: np.ndarray, scale: Scale) -> Floats:
    """Scores of each cluster from a line through the others: labels' mean and spread, by feature.

    `features` is (answers, features); several are first made one by weights that fit the others.
    The line keeps the spread of the labels (slope = ratio of standard deviations) instead of
    shrinking it as least squares does: kappa would punish that. It always rises: longer and closer
    to the question is better; a direction fitted on weak data would point away from whom it left
    out.
    """
    scores = np.full(len(labels), np.nan)
    for cluster in np.unique(clusters):
        out = clusters == cluster
        if out.all():
            break
        kept = standardised(features, ~out)
        single = kept @ rising_weights(kept[~out], labels[~out])
        scores[out] = _line(single[~out], labels[~out], single[out])
    clipped: Floats = np.clip(scores, *scale)
    return clipped


def standardised(features: Floats, chosen: np.ndarray) -> Floats:
    """Each feature in standard deviations of the chosen rows; a constant one is 0 throughout."""
    part = features[chosen]
    spread = part.std(axis=0)
    scaled: Floats = (features - part.mean(axis=0)) / np.where(spread > 0, spread, np.inf)
    return scaled


def rising_weights(features: Floats, labels: Floats) -> Floats:
    """Ridge weights of standardised features, none below 0; all equal where none would be above.

    What would get a weight below 0 is left out, the worst first, and the others fitted anew.
    """
    count = features.shape[1]
    kept = list(range(count))
    while kept:
        part = features[:, kept]
        inner = part.T @ part + RIDGE * np.eye(len(kept))
        weights = np.linalg.solve(inner, part.T @ (labels - labels.mean()))
        if len(kept) == 1 or weights.min() >= 0:
            break
        kept.pop(int(weights.argmin()))
    full = np.zeros(count)
    full[kept] = weights
    return full if full.max() > 0 else np.ones(count)


def _line(feature: Floats, labels: Floats, new: Floats) -> Floats:
    spread = feature.std()
    if spread == 0:
        return np.full(len(new), labels.mean())
    result: Floats = labels.mean() + labels.std() / spread * (new - feature.mean())
    return result


def length_feature(items: pd.DataFrame) -> Floats:
    """Logarithm of the answer's length in characters."""
    return np.log1p(items["answer"].str.len().to_numpy(dtype="float64"))


def overlap_feature(items: pd.DataFrame) -> Floats:
    """Cosine of character TF-IDF (1 to 3 characters) of the answer with what it should hold.

    That is the objective, where a reference stands too, or else the question: with the question
    beside it the baseline is weaker on all public sets that have references (docs/evals.md).
    """
    answers = [grams(text) for text in items["answer"]]
    asked = [
        grams(objective or question)
        for question, objective in zip(items["question"], items["objective"], strict=True)
    ]
    frequency: Counter[str] = Counter()
    for counts in (*answers, *asked):
        frequency.update(counts.keys())
    total = 2 * len(answers)
    weight = {gram: (math.log((1 + total) / (1 + n)) + 1) ** 2 for gram, n in frequency.items()}
    return np.array([_cosine(a, b, weight) for a, b in zip(answers, asked, strict=True)])


def _cosine(a: Counter[str], b: Counter[str], weight: dict[str, float]) -> float:
    """`weight` is the squared inverse document frequency."""
    if not a or not b:
        return 0.0
    together = sum(count * b[gram] * weight[gram] for gram, count in a.items() if gram in b)
    sizes = [sum(n * n * weight[gram] for gram, n in counts.items()) for counts in (a, b)]
    return together / math.sqrt(sizes[0] * sizes[1])
