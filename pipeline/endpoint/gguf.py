"""The header of a GGUF file: what model it holds, and how many bytes it must have at least.

Numbers are little-endian: magic, version, counts of tensors and of entries, the entries, then
name, sizes, type and place of each tensor; the weights begin at the next multiple of the alignment.
"""

from __future__ import annotations

import math
import mmap
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipeline.errors import ModelError

MAGIC, VERSIONS = b"GGUF", (2, 3)
STRING, ARRAY = 8, 9
ALIGNMENT = "general.alignment"
NUMBERS: dict[int, str] = dict(zip((*range(8), 10, 11, 12), "BbHhIif?Qqd", strict=True))
"""Types of an entry by code, as `struct` names them."""
BLOCKS = {
    0: (1, 4), 1: (1, 2), 2: (32, 18), 3: (32, 20), 6: (32, 22), 7: (32, 24), 8: (32, 34),
    10: (256, 84), 11: (256, 110), 12: (256, 144), 13: (256, 176), 14: (256, 210), 16: (256, 66),
    17: (256, 74), 18: (256, 98), 19: (256, 50), 20: (32, 18), 21: (256, 110), 22: (256, 82),
    23: (256, 136), 29: (256, 56), 30: (1, 2), 34: (256, 54), 35: (256, 66), 39: (32, 17),
}  # fmt: skip
"""Weights and bytes of a block by type of tensor; of types that are not here no end is known."""
BY_LAYER = "attention."
GET_ANOTHER = "Copy or download the file again, or choose another."
KEPT = 64
"""Arrays up to this length are read; the vocabulary is passed over."""


@dataclass(frozen=True)
class Header:
    """What a file says about itself."""

    entries: dict[str, Any]
    """By name; long arrays are left out."""
    least_bytes: int
    """Where the last tensor ends, or begins if its type is not known here."""
    path: Path

    @property
    def kind(self) -> str:
        """The architecture, such as `qwen2`."""
        return str(self.entries.get("general.architecture", ""))

    def number(self, name: str, default: int = 0) -> int:
        """An entry of the architecture. Raises ModelError where it is no count.

        Of what may differ by layer, as the heads of attention do, the largest.
        """
        return self.count(f"{self.kind}.{name}", default, by_layer=name.startswith(BY_LAYER))

    def count(self, name: str, default: int, *, by_layer: bool = False) -> int:
        """An entry by its whole name. Raises ModelError where it is no whole number from 0 on."""
        found = self.entries.get(name, default)
        values = found if by_layer and isinstance(found, list) else [found]
        if not all(type(value) is int and value >= 0 for value in values):
            raise ModelError(f"{self.path}: {name} in its header is no count. {GET_ANOTHER}")
        return max(values, default=0)

    @property
    def kv_bytes_per_token(self) -> int:
        """Memory that one token of context takes at most, with keys and values in 16 bits."""
        heads = self.number("attention.head_count", 1) or 1
        width = self.number("embedding_length") // heads
        both = self.number("attention.key_length", width)
        both += self.number("attention.value_length", width)
        kept = self.number("attention.head_count_kv", heads)
        return self.number("block_count") * kept * both * 2


class Reader:
    """Goes through the bytes of a header. Raises struct.error or EOFError at its end."""

    def __init__(self, data: mmap.mmap | bytes) -> None:
        self.data, self.at = data, 0

    def one(self, form: str) -> Any:
        """A number."""
        size = struct.calcsize(f"<{form}")
        (value,) = struct.unpack_from(f"<{form}", self.data, self.at)
        self.at += size
        return value

    def skip(self, size: int) -> None:
        """Pass over so many bytes."""
        self.at += size
        if self.at > len(self.data):
            raise EOFError

    def text(self) -> str:
        """A string."""
        size = self.one("Q")
        start = self.at
        self.skip(size)
        return self.data[start : self.at].decode("utf-8", "replace")

    def value(self, code: int) -> Any:
        """The value of an entry; None for a long array."""
        if code == STRING:
            return self.text()
        return self.array() if code == ARRAY else self.one(NUMBERS[code])

    def array(self) -> Any:
        """A list, or None where it is long."""
        code, count = self.one("I"), self.one("Q")
        if count <= KEPT:
            return [self.value(code) for _ in range(count)]
        if code in NUMBERS:
            return self.skip(count * struct.calcsize(f"<{NUMBERS[code]}"))
        for _ in range(count):
            self.skip(self.one("Q")) if code == STRING else self.array()
        return None


def read_header(path: Path) -> Header:
    """What the file says about itself. Raises ModelError where it is no whole GGUF file."""
    try:
        with path.open("rb") as file:
            if file.read(len(MAGIC)) != MAGIC:
                raise ModelError(f"{path}: is no GGUF file: it does not begin as one.")
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                header, size = _header(Reader(data), path), len(data)
    except OSError as error:
        raise ModelError(f"{path}: cannot be read ({error.strerror}).") from None
    except (struct.error, EOFError, KeyError, OverflowError, ValueError, RecursionError):
        raise ModelError(f"{path}: is damaged or cut short. Copy or download it again.") from None
    if size < header.least_bytes:
        raise ModelError(
            f"{path}: is cut short: {size:,} bytes, and its weights end at "
            f"{header.least_bytes:,}. Copy or download it again."
        )
    return header


def _header(reader: Reader, path: Path) -> Header:
    reader.skip(len(MAGIC))
    version = reader.one("I")
    if version not in VERSIONS:
        raise ModelError(f"{path}: is GGUF of version {version}; versions 2 and 3 can be read.")
    tensors, count = reader.one("Q"), reader.one("Q")
    entries = {}
    for _ in range(count):
        name = reader.text()
        if (value := reader.value(reader.one("I"))) is not None:
            entries[name] = value
    ends = [_end_of_tensor(reader) for _ in range(tensors)]
    aligned = Header(entries, 0, path).count(ALIGNMENT, 32)
    if not aligned:
        raise ModelError(f"{path}: {ALIGNMENT} in its header is 0. {GET_ANOTHER}")
    start = -(-reader.at // aligned) * aligned
    return Header(entries, start + max(ends, default=0), path)


def _end_of_tensor(reader: Reader) -> int:
    reader.text()
    sizes = [reader.one("Q") for _ in range(reader.one("I"))]
    weights, bytes_ = BLOCKS.get(reader.one("I"), (1, 0))
    blocks: int = math.prod(sizes) // weights
    return int(reader.one("Q")) + blocks * bytes_
