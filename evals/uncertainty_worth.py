"""What widths and abstention are worth on candidates that had no part in either."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from evals.bootstrap import Estimate, draw_weights, with_interval
from evals.fit_uncertainty import (
    FEWEST,
    NEAR,
    errors_of,
    fit_overall,
    rank_correlation,
    widths_of,
)
from evals.labels import OVERALL
from evals.metrics.arrays import Floats, Scale
from evals.sections import Section, number
from evals.study import Study
from evals.worth import with_ends

Rows: TypeAlias = NDArray[np.intp]
KEPT = "within one point, not abstained from"
ABSTAINED = "within one point, abstained from"
COVERAGES = (0.25, 0.5, 0.75, 1.0)


def uncertainty_section(study: Study, draws: int, seed: int) -> Section:
    """Error by share of the answers left to the scorer, narrowest first; and what abstaining did.

    Width, limit and types are fitted without the candidate they are applied to.
    """
    table = errors_of(study, OVERALL)
    if len(table) < FEWEST:
        return Section(
            title="Uncertainty", header=("", "why"), rows=(("none", "too few overall labels"),)
        )
    judged = left_out_judged(table, study.scale)
    rows = [_row(f"narrowest {share:.0%}", part) for share, part in _narrowest(judged)]
    kept = judged["abstained"] == 0
    rows += [_row("not abstained from", judged[kept]), _row("abstained from", judged[~kept])]
    for name, figure in _figures(judged, draws, seed).items():
        n = {KEPT: kept, ABSTAINED: ~kept}.get(name)
        rows.append((name, with_ends(figure), "", str(figure.n if n is None else int(n.sum()))))
    return Section(
        title="Uncertainty on left-out candidates (overall)",
        header=("answers", "within one point", "mean error", "n"),
        rows=tuple(rows),
    )


def left_out_judged(table: pd.DataFrame, scale: Scale) -> pd.DataFrame:
    """The table with `width` and `abstained` (1 or 0), by what was fitted to other candidates."""
    parts = []
    for cluster, part in table.groupby("cluster"):
        found = fit_overall(table[table["cluster"] != cluster], scale)
        width = widths_of(found.widths[OVERALL], part, scale)
        left = (width > found.limit) | ~part["kind"].isin(found.types).to_numpy()
        parts.append(part.assign(width=width, abstained=left.astype(int)))
    return pd.concat(parts)


def area_under(widths: Floats, errors: Floats) -> float:
    """Mean error averaged over coverage, narrowest first (AURC)."""
    running = np.cumsum(errors[np.argsort(widths, kind="stable")])
    return float((running / np.arange(1, len(errors) + 1)).mean())


def _narrowest(judged: pd.DataFrame) -> list[tuple[float, pd.DataFrame]]:
    ordered = judged.sort_values("width", kind="stable")
    return [(share, ordered.head(round(share * len(ordered)))) for share in COVERAGES]


def _row(name: str, part: pd.DataFrame) -> tuple[str, str, str, str]:
    near = (part["error"] <= NEAR).mean()
    return name, number(near), number(part["error"].mean()), str(len(part))


def _figures(judged: pd.DataFrame, draws: int, seed: int) -> dict[str, Estimate]:
    near = judged["error"] <= NEAR
    kept = judged["abstained"] == 0
    inside = judged["error"] <= judged["width"]

    def share(of: pd.Series, among: pd.Series) -> Callable[[Rows], float]:
        def among_drawn(rows: Rows) -> float:
            part = of.to_numpy()[rows][among.to_numpy()[rows]]
            return float(part.mean()) if len(part) else float("nan")

        return among_drawn

    def gain(rows: Rows) -> float:
        part = judged.iloc[rows]
        return area_under(part["width"].to_numpy(), part["error"].to_numpy()) - float(
            part["error"].mean()
        )

    def rank(rows: Rows) -> float:
        part = judged.iloc[rows]
        return rank_correlation(part["width"], part["error"])

    everything = pd.Series(True, judged.index)
    wanted = {
        "label within the width": share(inside, everything),
        KEPT: share(near, kept),
        ABSTAINED: share(near, ~kept),
        "rank correlation of width and error": rank,
        "area under risk and coverage, less mean error": gain,
    }
    return {name: _estimate(figure, judged, draws, seed) for name, figure in wanted.items()}


def _estimate(
    figure: Callable[[Rows], float], judged: pd.DataFrame, draws: int, seed: int
) -> Estimate:
    """A figure with its interval over draws of candidates."""
    clusters, codes = np.unique(judged["cluster"].to_numpy(), return_inverse=True)
    members = [np.flatnonzero(codes == code) for code in range(len(clusters))]

    def of(row: Rows) -> float:
        return figure(np.concatenate([np.tile(members[at], row[at]) for at in np.flatnonzero(row)]))

    def drawn() -> Floats:
        return np.array([of(row) for row in draw_weights(len(clusters), draws, seed).astype(int)])

    with np.errstate(divide="ignore", invalid="ignore"):
        value = figure(np.arange(len(judged)))
    known = not np.isnan(value)
    return with_interval(
        value if known else None,
        "" if known else "undefined: no such answers",
        drawn,
        n=len(judged),
        clusters=len(clusters),
    )
