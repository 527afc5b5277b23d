"""What needs no understanding: answer length, word overlap, a constant, shuffled labels.

A grader that does not clearly beat these has not read the answers. Each is fitted on all other
candidates and applied to the one left out, so that it is held to the same standard.
"""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pandas as pd

from evals.metrics.arrays import Floats, Scale

NAMES = ("length", "tf-idf", "constant", "shuffled")


def baseline_scores(
    items: pd.DataFrame, reference: pd.Series, scale: Scale, *, seed: int = 0
) -> pd.DataFrame:
    """One column per baseline; index as `items`, NaN where there is no reference."""
    known = reference.notna().to_numpy()
    table = pd.DataFrame(index=items.index, columns=list(NAMES), dtype="float64")
    if known.sum() < 2:
        return table
    chosen, labels = items[known], reference[known].to_numpy(dtype="float64")
    clusters, _ = pd.factorize(chosen["cluster"])
    features = {"length": length_feature(chosen), "tf-idf": overlap_feature(chosen)}
    for name, feature in features.items():
        table.loc[known, name] = fit_left_out(feature, labels, clusters, scale)
    table.loc[known, "constant"] = fit_left_out(np.zeros(len(labels)), labels, clusters, scale)
    table.loc[known, "shuffled"] = np.random.default_rng(seed).permutation(labels)
    return table


def fit_left_out(feature: Floats, labels: Floats, clusters: np.ndarray, scale: Scale) -> Floats:
    """Scores of each cluster from a line through the others: labels' mean and spread, by feature.

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
        scores[out] = _line(feature[~out], labels[~out], feature[out])
    clipped: Floats = np.clip(scores, *scale)
    return clipped


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
    """Cosine of character TF-IDF (1 to 3 characters) of the answer with question and objective."""
    answers = [_grams(text) for text in items["answer"]]
    asked = [
        _grams(f"{q}\n{o}") for q, o in zip(items["question"], items["objective"], strict=True)
    ]
    frequency: Counter[str] = Counter()
    for counts in (*answers, *asked):
        frequency.update(counts.keys())
    total = 2 * len(answers)
    weight = {gram: (math.log((1 + total) / (1 + n)) + 1) ** 2 for gram, n in frequency.items()}
    return np.array([_cosine(a, b, weight) for a, b in zip(answers, asked, strict=True)])


def _grams(text: str) -> Counter[str]:
    """How often each run of one to three characters occurs, case and white space folded."""
    folded = " ".join(text.casefold().split())
    shifted = [folded, folded[1:], folded[2:]]
    counts = Counter(folded)
    for size in (2, 3):
        counts.update(map("".join, zip(*shifted[:size], strict=False)))
    return counts


def _cosine(a: Counter[str], b: Counter[str], weight: dict[str, float]) -> float:
    """`weight` is the squared inverse document frequency."""
    if not a or not b:
        return 0.0
    together = sum(count * b[gram] * weight[gram] for gram, count in a.items() if gram in b)
    sizes = [sum(n * n * weight[gram] for gram, n in counts.items()) for counts in (a, b)]
    return together / math.sqrt(sizes[0] * sizes[1])
