"""Measure how well the grader agrees with people. Stands on `pipeline`, never the other way.

result = agreement("runs/x", "seeds/labels.csv")
result.verdict, result.value("qwk"), result.figures      # a word, a number, a DataFrame
"""

from evals.agreement import Agreement, agreement

__all__ = ["Agreement", "agreement"]
