"""Measure how well the grader agrees with people. Stands on `pipeline`, never the other way.

result = agreement("runs/x", "seeds/labels.csv")
result.verdict, result.value("qwk"), result.figures      # a word, a number, a DataFrame
compare("runs/x", "runs/y", "seeds/labels.csv").outcome
"""

from evals.agreement import Agreement, agreement
from evals.compare import Comparison, compare

__all__ = ["Agreement", "Comparison", "agreement", "compare"]
