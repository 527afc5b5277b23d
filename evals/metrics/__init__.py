"""Agreement of two or more raters: numbers in, numbers out.

Every function takes equally long sequences, one entry per item. A pair in which a score is missing
(None, NaN, pandas' NA) is left out; the caller says how many were. A result that is not defined is
None, never 0. `a` is what is measured (the grader), `b` what it is held against.
"""

from evals.metrics.continuous import bias, icc_a1, lins_ccc, mae, prmse, smd
from evals.metrics.points import (
    adjacent_agreement,
    exact_agreement,
    gwet_ac2,
    quadratic_weighted_kappa,
)
from evals.metrics.ranks import balanced_accuracy, kendall_tau_b
from evals.metrics.several import krippendorff_alpha

__all__ = [
    "adjacent_agreement",
    "balanced_accuracy",
    "bias",
    "exact_agreement",
    "gwet_ac2",
    "icc_a1",
    "kendall_tau_b",
    "krippendorff_alpha",
    "lins_ccc",
    "mae",
    "prmse",
    "quadratic_weighted_kappa",
    "smd",
]
