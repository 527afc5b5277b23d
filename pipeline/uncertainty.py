"""How far off a scorer's points may be, and where they should not be gone by at all.

Both were found on labelled answers that the scorer had not seen: points near the ends of the scale
are nearly right, points in its middle mean anything, and some types of question are not understood.
The points stay as they are; what is doubtful is flagged and left to a person.
"""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal

from pydantic import BaseModel, ConfigDict

from pipeline.records import Abstention, Grade
from pipeline.vectors import Number

OVERALL = "overall"
_HUNDREDTH = Decimal("0.01")


class Width(BaseModel):
    """Half the width of the interval around one kind of points, on a scale from -1 to 1."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    middle: Number
    """Points in the middle of the scale."""
    ends: Number
    """What is added towards either end, by the square of the distance; mostly negative."""
    by_type: dict[str, Number]
    """What is added for a type of question."""
    least: Number
    """It is never less than this."""

    def around(self, score: Decimal, kind: str, scale: tuple[int, int]) -> Decimal:
        """Points up and down from `score`, two decimals."""
        low, high = scale
        place = (2 * float(score) - low - high) / (high - low)
        width = self.middle + self.ends * place**2 + self.by_type.get(kind, 0.0)
        # The ninth decimal is above the noise of floats.
        bounded = round(min(max(width, self.least), high - low), 9)
        return Decimal(str(bounded)).quantize(_HUNDREDTH, ROUND_HALF_UP)


class Uncertainty(BaseModel):
    """The part of a scorer's file that says how far its points can be trusted."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    share: Number
    """Of the labelled answers left out of the fit, the share whose label lies within the width."""
    limit: Number
    """A wider overall is too uncertain to go by."""
    types: tuple[str, ...]
    """Types of question whose points were seen to follow the labels; all others are left alone."""
    widths: dict[str, Width]
    """By criterion, and for the overall."""


def with_uncertainty(
    grade: Grade,
    uncertainty: Uncertainty | None,
    kind: str,
    scale: tuple[int, int],
    *,
    inside: bool = True,
) -> Grade:
    """The grade with the width around its points, and whether to abstain; unchanged without one.

    `inside` says whether its answer is like those that the widths were measured on.
    """
    if uncertainty is None:
        return grade
    widths = uncertainty.widths
    criteria = tuple(
        part
        if part.score is None or part.key not in widths
        else part.model_copy(
            update={"uncertainty": widths[part.key].around(part.score, kind, scale)}
        )
        for part in grade.criteria
    )
    width = widths[OVERALL].around(grade.overall_capped, kind, scale)
    return grade.model_copy(
        update={
            "criteria": criteria,
            "uncertainty": width,
            "abstention": _abstention(width, uncertainty, kind) if inside else "outside",
        }
    )


def _abstention(width: Decimal, uncertainty: Uncertainty, kind: str) -> Abstention | None:
    if kind not in uncertainty.types:
        return "type"
    return "wide" if width > Decimal(str(uncertainty.limit)) else None
