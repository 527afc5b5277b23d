"""Vectors as a data file holds them: little-endian 32-bit floats in base64."""

from __future__ import annotations

import base64
import struct
from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

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
