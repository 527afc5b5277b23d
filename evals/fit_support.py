"""States of labelled answers -> the region in which a scorer's errors are known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evals.metrics.arrays import Floats
from pipeline.support import Support
from pipeline.vectors import pack

DIRECTIONS = 16
"""Main directions at most; and no more than a quarter of the answers."""
INSIDE = 0.95
"""Share of the answers left out of the fit that are inside."""


@dataclass(frozen=True)
class Region:
    """Centres by language, spread, and directions as rows."""

    centres: dict[str, Floats]
    spread: Floats
    directions: Floats

    def distances(self, states: Floats, languages: np.ndarray) -> Floats:
        """As `pipeline.support` works them out; infinite for a language without a centre."""
        known = np.isin(languages, list(self.centres))
        found = np.full(len(states), np.inf)
        centres = [self.centres[name] for name in languages[known]]
        if centres:
            moved = (states[known] - np.stack(centres)) / self.spread
            explained = ((moved @ self.directions.T) ** 2).sum(axis=1)
            found[known] = ((moved**2).sum(axis=1) - explained) / states.shape[1]
        return found


def fit_support(states: Floats, languages: Sequence[str], clusters: np.ndarray) -> Support:
    """The region of these states; its limit is set on clusters left out of it."""
    spoken = np.array(languages)
    region = fit_region(states, spoken)
    left_out = left_out_distances(states, spoken, clusters)
    # A language of one cluster alone has no distance without it, and says nothing of the limit.
    measured = left_out[np.isfinite(left_out)]
    limit = np.quantile(measured, INSIDE, method="lower") if measured.size else 0.0
    return Support(
        centres={name: pack(list(map(float, one))) for name, one in region.centres.items()},
        spread=pack(list(map(float, region.spread))),
        directions=tuple(pack(list(map(float, one))) for one in region.directions),
        limit=round(float(limit), 4),
    )


def fit_region(states: Floats, languages: np.ndarray) -> Region:
    """Centres, spread and main directions of states."""
    centres = {str(name): states[languages == name].mean(axis=0) for name in np.unique(languages)}
    centred = states - np.stack([centres[name] for name in languages])
    spread = centred.std(axis=0) + 1e-6
    *_, directions = np.linalg.svd(centred / spread, full_matrices=False)
    return Region(centres, spread, directions[: min(DIRECTIONS, len(states) // 4)])


def left_out_distances(states: Floats, languages: np.ndarray, clusters: np.ndarray) -> Floats:
    """How far each answer is from the region of all other clusters."""
    found = np.zeros(len(states))
    for cluster in np.unique(clusters):
        out = clusters == cluster
        region = fit_region(states[~out], languages[~out])
        found[out] = region.distances(states[out], languages[out])
    return found
