"""Ridge regression on hidden states, by criterion, with everything chosen on other candidates.

States have more parts than there are labelled answers, so the dual form is solved: as many
unknowns as answers (Hoerl & Kennard 1970; Saunders et al. 1998). Scores are then put on the mean
and spread of the labels (linear equating, Kolen & Brennan 2014, ch. 2), since ridge shrinks them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from evals.metrics.arrays import Floats, as_floats

PENALTIES = (0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2)
"""Per part of a state, states being standardised."""
FOLDS = 10
FEWEST = 10
"""Labels that a line needs."""
PLAIN_WEIGHT = 0.2
"""How much a plain feature counts in the penalty, all parts of a state together counting 1. Between
.05 and .5 the agreement on left-out questions of public sets hardly changes."""


@dataclass(frozen=True)
class Lines:
    """Lines for several criteria."""

    weights: Floats
    """criteria x parts, for raw states."""
    intercepts: dict[str, Floats]
    """By language, one for each criterion."""
    penalty: float

    def scores(self, states: Floats, languages: Sequence[str]) -> Floats:
        """answers x criteria, in points and unbounded."""
        known = {name: at for at, name in enumerate(self.intercepts)}
        constants = np.stack(list(self.intercepts.values()))
        result: Floats = states @ self.weights.T + constants[[known[name] for name in languages]]
        return result


def fit_lines(
    states: Floats, languages: Sequence[str], labels: Floats, clusters: np.ndarray, plain: int = 0
) -> Lines:
    """Lines fitted on all answers; NaN is no label. Penalty and equating by left-out clusters.

    The last `plain` parts are no part of a state but plain features, with a weight of their own.
    """
    kernel, parts, spread, centres = _kernel(states, languages, plain)
    penalty, left_out = _choose(kernel, labels, clusters)
    weights, constants = [], []
    for column in range(labels.shape[1]):
        known = ~np.isnan(labels[:, column])
        given, seen = labels[known, column], left_out[known, column]
        slope = given.std() / max(seen.std(), 1e-9)
        dual = _solve(kernel[np.ix_(known, known)], given - given.mean(), penalty)
        weights.append(slope * (dual @ parts[known]) / spread)
        constants.append(given.mean() + slope * (given.mean() - seen.mean()))
    lines, shift = np.stack(weights), np.array(constants)
    means = {name: shift - lines @ centre for name, centre in centres.items()}
    return Lines(weights=lines, intercepts=means, penalty=penalty)


def left_out_scores(
    states: Floats, languages: Sequence[str], labels: Floats, clusters: np.ndarray, plain: int = 0
) -> Floats:
    """answers x criteria: each cluster by lines that never saw it, penalty and equating included.

    NaN where the others are too few.
    """
    spoken, result = np.array(languages), np.full(labels.shape, np.nan)
    for out in _folds(clusters, len(np.unique(clusters))):
        names = list(spoken[~out])
        if (~np.isnan(labels[~out])).sum(axis=0).min() < FEWEST:
            continue
        lines = fit_lines(states[~out], names, labels[~out], clusters[~out], plain)
        rows = np.flatnonzero(out & np.isin(spoken, list(lines.intercepts)))
        result[rows] = lines.scores(states[rows], list(spoken[rows]))
    return result


def _kernel(
    states: Floats, languages: Sequence[str], plain: int
) -> tuple[Floats, Floats, Floats, dict[str, Floats]]:
    """Kernel, standardised parts, what they were divided by, and centres by language."""
    spoken = np.array(languages)
    centres = {name: states[spoken == name].mean(axis=0) for name in np.unique(spoken)}
    centred = states - np.stack([centres[name] for name in languages])
    # What does not vary (but for the noise of floats) says nothing, whatever it is next time.
    spread = centred.std(axis=0)
    spread = np.where(spread > 1e-9, spread + 1e-6, np.inf) / _shares(states.shape[1], plain)
    parts = centred / spread
    return parts @ parts.T, parts, spread, centres


def _shares(size: int, plain: int) -> Floats:
    """What each part is multiplied by, so that a state counts 1 and a feature its weight."""
    inside = size - plain
    shares = np.full(size, PLAIN_WEIGHT**0.5)
    shares[:inside] = 1 / max(inside, 1) ** 0.5
    return shares


def _choose(kernel: Floats, labels: Floats, clusters: np.ndarray) -> tuple[float, Floats]:
    """The penalty with the least squared error on left-out clusters, and the scores by it."""
    tried = _left_out(kernel, labels, clusters)
    spread = np.nanvar(labels, axis=0) + 1e-9
    errors = [float(np.nanmean((scores - labels) ** 2 / spread)) for scores in tried]
    best = int(np.argmin(errors))
    return PENALTIES[best], tried[best]


def _left_out(kernel: Floats, labels: Floats, clusters: np.ndarray) -> Floats:
    """penalties x answers x criteria: scores of answers whose fold was left out."""
    scores = np.zeros((len(PENALTIES), *labels.shape))
    for out in _folds(clusters, FOLDS):
        for columns, known in _by_labels_known(labels, ~out):
            given = labels[np.ix_(known, columns)]
            # One decomposition serves every penalty.
            values, vectors = np.linalg.eigh(kernel[np.ix_(known, known)])
            turned = vectors.T @ (given - given.mean(axis=0))
            across = kernel[np.ix_(out, known)] @ vectors
            for at, penalty in enumerate(PENALTIES):
                dual = turned / (values + penalty)[:, None]
                scores[at][np.ix_(out, columns)] = across @ dual + given.mean(axis=0)
    return scores


def _by_labels_known(labels: Floats, within: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Criteria whose labels are given for the same answers, and these answers."""
    masks: dict[bytes, list[int]] = {}
    for column in range(labels.shape[1]):
        known = within & ~np.isnan(labels[:, column])
        masks.setdefault(known.tobytes(), []).append(column)
    for mask, columns in masks.items():
        yield np.array(columns), np.frombuffer(mask, dtype=bool)


def _folds(clusters: np.ndarray, folds: int) -> Iterator[np.ndarray]:
    """Which answers are left out; the clusters dealt in their order, so nothing is random."""
    names = np.unique(clusters)
    for first in range(min(folds, len(names))):
        yield np.isin(clusters, names[first::folds])


def _solve(kernel: Floats, values: Floats, penalty: float) -> Floats:
    return as_floats(np.linalg.solve(kernel + penalty * np.eye(len(kernel)), values))
