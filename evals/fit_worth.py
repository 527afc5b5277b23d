"""What a scorer is worth on candidates it never saw: one line, length held against it, a curve."""

from __future__ import annotations

import numpy as np
import pandas as pd

from evals.baselines import length_feature
from evals.bootstrap import Estimate, bootstrap_degradation
from evals.labels import OVERALL
from evals.metrics import quadratic_weighted_kappa
from evals.metrics.arrays import Floats, half_up_points
from evals.ridge import left_out_scores
from evals.sections import KIND_WORDS
from evals.study import GRADER, Study, rater_pairs
from evals.worth import qwk_between, with_ends

SHARES = (0.25, 0.5, 0.75, 1.0)
REPEATS = 5


def agreement_line(study: Study, draws: int, seed: int) -> str:
    """QWK of the overall with the reference, and of the raters with each other, with intervals."""
    own = qwk_between(study, GRADER, study.reference, draws, seed)
    others = [
        f"{a} with {b} {with_ends(qwk_between(study, a, b, draws, seed))}"
        for a, b in rater_pairs(study.raters)
    ]
    kind = KIND_WORDS[study.kind(study.reference)]
    return "; ".join(
        [
            f"QWK of the overall with {study.reference} ({kind}) {with_ends(own)}",
            *others,
            f"{own.n} answers of {own.clusters} candidates, each left out of the fit",
        ]
    )


def degradations(study: Study, draws: int, seed: int) -> list[tuple[str, Estimate]]:
    """By pair of raters, how much better they agree with each other than with the scorer."""
    table, clusters = study.scores[OVERALL], study.items["cluster"]
    return [
        (
            f"{a}, {b}",
            bootstrap_degradation(
                table[GRADER], table[a], table[b], clusters,
                scale=study.scale, draws=draws, seed=seed,
            ),
        )
        for a, b in rater_pairs(study.raters)
    ]  # fmt: skip


def length_table(study: Study) -> dict[str, float]:
    """Rank correlations: how much of the agreement is answer length.

    score-label, score-length, label-length, and score-label with length held constant (partial).
    """
    table = study.scores[OVERALL][[GRADER, study.reference]].dropna()
    ranks = [table[name].rank() for name in table]
    ranks.append(pd.Series(length_feature(study.items.loc[table.index]), table.index).rank())
    score, label, length = range(3)
    # Answers of one length, or one score throughout, have no correlation: NaN, shown as a dash.
    with np.errstate(divide="ignore", invalid="ignore"):
        r = np.corrcoef(ranks)
        held = np.sqrt((1 - r[score, length] ** 2) * (1 - r[label, length] ** 2))
        partial = (r[score, label] - r[score, length] * r[label, length]) / held
    return {
        "score with label": float(r[score, label]),
        "score with length": float(r[score, length]),
        "label with length": float(r[label, length]),
        "score with label, length held": float(partial),
    }


def learning_curve(
    states: Floats, study: Study, keys: tuple[str, ...], *, plain: int = 0, seed: int = 0
) -> pd.DataFrame:
    """QWK on left-out candidates by share of the candidates that are labelled at all.

    share, candidates, answers, qwk: means over draws of that share. The overall here is the plain
    mean over criteria: what is shown is how it grows.
    """
    reference = pd.DataFrame({key: study.scores[key][study.reference] for key in keys})
    points, clusters = reference.to_numpy(dtype="float64"), study.items["cluster"].to_numpy()
    spoken, names = np.array(study.items["language"]), np.unique(clusters)
    random, rows = np.random.default_rng(seed), []
    for share in SHARES:
        found = []
        for _ in range(REPEATS if share < 1 else 1):
            kept = np.isin(clusters, random.permutation(names)[: round(share * len(names))])
            seen = left_out_scores(
                states[kept], list(spoken[kept]), points[kept], clusters[kept], plain
            )
            found.append((kept.sum(), _qwk(seen, points[kept], study)))
        answers, values = zip(*found, strict=True)
        known = np.array(values)[np.isfinite(values)]
        mean = float(known.mean()) if known.size else float("nan")
        rows.append((share, round(share * len(names)), float(np.mean(answers)), mean))
    return pd.DataFrame(rows, columns=["share", "candidates", "answers", "qwk"])


def _qwk(scores: Floats, labels: Floats, study: Study) -> float:
    both = np.isfinite(scores).all(axis=1)
    if both.sum() < 2:
        return float("nan")
    pair = (np.nanmean(part[both], axis=1) for part in (np.clip(scores, *study.scale), labels))
    value = quadratic_weighted_kappa(*(half_up_points(part) for part in pair), scale=study.scale)
    return float("nan") if value is None else value
