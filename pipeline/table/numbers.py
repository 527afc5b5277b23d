"""Numbers as text, rounded half up in Decimal."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal

OVERALLS = frozenset(
    "overall overall_answered_only overall_by_type overall_by_equal calibrated reviewed_overall "
    "overall_without_injection".split()
)
"""Columns that always show one decimal."""


def round_half_up(value: Decimal | float, places: int) -> Decimal:
    """`value` with `places` decimals. A float counts as the number that it prints as."""
    exact = value if isinstance(value, Decimal) else Decimal(repr(float(value)))
    return exact.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)


def fixed(value: Decimal | float, places: int) -> str:
    """`value` with exactly `places` decimals."""
    return f"{round_half_up(value, places):f}"


def at_most(value: Decimal | float, places: int) -> str:
    """`value` with at most `places` decimals: 3, 3.5, 3.42."""
    text = fixed(value, places)
    return text.rstrip("0").rstrip(".") if "." in text else text
