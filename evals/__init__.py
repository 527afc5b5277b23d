"""Measure how well the grader agrees with people. Stands on `pipeline`, never the other way.

result = agreement("runs/x", "seeds/labels.csv")
result.verdict, result.value("qwk"), result.figures      # a word, a number, a DataFrame
compare("runs/x", "runs/y", "seeds/labels.csv").outcome
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evals.contrast import Comparison, compare
    from evals.measure import Agreement, agreement

__all__ = ["Agreement", "Comparison", "agreement", "compare"]


def __getattr__(name: str) -> Any:
    """The public names, imported when first asked for: pandas would slow down every command."""
    if name in ("Agreement", "agreement"):
        from evals import measure

        return getattr(measure, name)
    if name in ("Comparison", "compare"):
        from evals import contrast

        return getattr(contrast, name)
    raise AttributeError(f"module 'evals' has no attribute {name!r}")
