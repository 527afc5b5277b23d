"""What a calibration is worth: agreement before and after, on candidates left out of the fit."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from evals.bootstrap import Estimate, bootstrap, bootstrap_difference
from evals.labels import OVERALL
from evals.sections import KIND_WORDS, number
from evals.study import GRADER, Study, rater_pairs

METRICS = ("qwk", "mae")


def worth_table(study: Study, left_out: pd.DataFrame, draws: int, seed: int) -> pd.DataFrame:
    """One row per criterion (and overall) with labels, and metric; see `Calibration.worth`."""
    rows = [
        row
        for key, table in study.scores.items()
        if table[[GRADER, study.reference]].notna().all(axis=1).sum() > 1
        for row in _rows(study, key, left_out[key], draws, seed)
    ]
    return pd.DataFrame(rows)


def _rows(
    study: Study, key: str, calibrated: pd.Series, draws: int, seed: int
) -> Iterator[dict[str, float | int | str | None]]:
    table, clusters = study.scores[key], study.items["cluster"]
    reference = table[study.reference]
    raw = table[GRADER].where(calibrated.notna())
    scale = study.scale
    before, after = (
        bootstrap(one, reference, clusters, scale=scale, draws=draws, seed=seed)
        for one in (raw, calibrated)
    )
    apart = bootstrap_difference(
        calibrated, raw, reference, clusters, scale=scale, draws=draws, seed=seed
    )
    for metric in METRICS:
        yield {
            "criterion": key,
            "metric": metric,
            **_ends("raw", before[metric]),
            **_ends("calibrated", after[metric]),
            "difference": apart[metric].value,
            "low": apart[metric].low,
            "high": apart[metric].high,
            "n": apart[metric].n,
            "clusters": apart[metric].clusters,
            "why": apart[metric].why,
        }


def _ends(name: str, estimate: Estimate) -> dict[str, float | None]:
    return {name: estimate.value, f"{name}_low": estimate.low, f"{name}_high": estimate.high}


def measured_line(study: Study, worth: pd.DataFrame, draws: int, seed: int) -> str:
    """One line for whoever reads the calibrated scores: how far they agree, and with whom."""
    chosen = (worth["criterion"] == OVERALL) & (worth["metric"] == "qwk")
    kind = KIND_WORDS[study.kind(study.reference)]
    if not chosen.any():
        return f"agreement on the overall is not measured: no such labels ({kind})"
    row = worth[chosen].iloc[0]
    raw, calibrated = (
        _with_ends(row[name], row[f"{name}_low"], row[f"{name}_high"])
        for name in ("raw", "calibrated")
    )
    between = "".join(
        f", {a} with {b} {with_ends(qwk_between(study, a, b, draws, seed))}"
        for a, b in rater_pairs(study.raters)
    )
    return (
        f"QWK of the overall with {study.reference} ({kind}) {calibrated}, raw {raw}{between}; "
        f"{row['n']} answers of {row['clusters']} candidates, each left out of the fit"
    )


def qwk_between(study: Study, first: str, second: str, draws: int, seed: int) -> Estimate:
    """Kappa of the overall between two who scored."""
    table, clusters = study.scores[OVERALL], study.items["cluster"]
    return bootstrap(
        table[first], table[second], clusters, scale=study.scale, draws=draws, seed=seed
    )["qwk"]


def with_ends(found: Estimate) -> str:
    """A value with its interval."""
    return _with_ends(found.value, found.low, found.high)


def _with_ends(value: float | None, low: float | None, high: float | None) -> str:
    ends = "" if low is None or pd.isna(low) else f" [{number(low)}, {number(high)}]"
    return f"{number(value)}{ends}"
