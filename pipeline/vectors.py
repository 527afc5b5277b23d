"""Vectors as a data file holds them: little-endian 32-bit floats in base64."""

from __future__ import annotations

import base64
import struct
from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

LARGEST = 1e6
"""Numbers of a fitted file are far below; a larger one, or none, comes of damage."""
Number = Annotated[float, Field(ge=-LARGEST, le=LARGEST, allow_inf_nan=False)]
"""A number that a fit may have found."""
Vector = Annotated[str, Field(min_length=4)]
"""Little-endian 32-bit floats in base64."""


def pack(values: Sequence[float]) -> str:
    """A vector as the file holds it."""
    return base64.b64encode(struct.pack(f"<{len(values)}f", *values)).decode("ascii")


def unpack(text: str) -> tuple[float, ...]:
    """The vector that the file holds. Raises ValueError."""
    return tuple(
        value for (value,) in struct.iter_unpack("<f", base64.b64decode(text, validate=True))
    )


def unpack_fitted(text: str) -> tuple[float, ...]:
    """The vector, if a fit may have found it. Raises ValueError."""
    values = unpack(text)
    # Written so that a NaN, which compares with nothing, is refused as well.
    if not all(-LARGEST <= value <= LARGEST for value in values):
        raise ValueError("a vector holds NaN, infinity or a number that no fit finds")
    return values
