"""Whether a state is like those that a scorer was fitted on: only there were its errors measured.

What counts is the part of a state that the main directions of the fitted states do not explain
(the residual of a principal component model, Jackson & Mudholkar 1979).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from operator import mul, sub, truediv

from pydantic import BaseModel, ConfigDict

from pipeline.vectors import Number, Vector, unpack_fitted


class Support(BaseModel):
    """The region of the states that a scorer was fitted on."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    centres: dict[str, Vector]
    """Mean state by language."""
    spread: Vector
    """Standard deviation of each part around the centre of its language."""
    directions: tuple[Vector, ...]
    """Main directions of the standardised states, each of length 1."""
    limit: Number
    """A state with a greater distance is outside."""

    @cached_property
    def _unpacked(self) -> tuple[dict[str, tuple[float, ...]], tuple[float, ...]]:
        centres = {name: unpack_fitted(one) for name, one in self.centres.items()}
        return centres, unpack_fitted(self.spread)

    @cached_property
    def _directions(self) -> tuple[tuple[float, ...], ...]:
        return tuple(unpack_fitted(one) for one in self.directions)

    def sizes(self) -> set[int]:
        """How many parts its vectors have. Raises ValueError where one is broken."""
        centres, spread = self._unpacked
        if min(spread, default=0.0) <= 0:
            raise ValueError("a spread is zero or less")
        return {len(one) for one in (*centres.values(), spread, *self._directions)}

    def usual(self) -> tuple[float, ...]:
        """How far from zero each part may be and still be usual."""
        centres, spread = self._unpacked
        columns = zip(*centres.values(), spread, strict=True)
        return tuple(max(map(abs, parts), default=0.0) + wide for *parts, wide in columns)

    def distance(self, state: Sequence[float], language: str) -> float:
        """Mean square of what the directions leave, in standard deviations."""
        centres, spread = self._unpacked
        moved = tuple(map(truediv, map(sub, state, centres[language]), spread))
        projected = [sum(map(mul, one, moved)) for one in self._directions]
        left: float = sum(map(mul, moved, moved)) - sum(map(mul, projected, projected))
        return left / len(moved)

    def holds(self, state: Sequence[float], language: str) -> bool:
        """Whether the state is inside; a language that was not fitted on never is."""
        return language in self.centres and self.distance(state, language) <= self.limit
