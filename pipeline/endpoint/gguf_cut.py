"""The first layers of a model as a file of its own: what it makes of a text half-way through.

The last layers of a language model turn towards the next word. A scorer fitted to the states of
earlier ones was measured to agree better with labels, and reading costs less. Such a file reads;
it cannot write.
"""

from __future__ import annotations

import math
import mmap
import re
import struct
from dataclasses import dataclass
from pathlib import Path

from pipeline.atomic import replace_file
from pipeline.endpoint.gguf import ALIGNMENT, MAGIC, Reader, read_header
from pipeline.errors import ConfigError, ModelError

LAYER = re.compile(r"blk\.(\d+)\.")
LAYERS = ".block_count"


@dataclass
class Tensor:
    """One tensor: its entry without the place, and where its bytes lie."""

    name: str
    entry: bytes
    start: int
    size: int = 0
    """Up to the next tensor, so with what fills up to the alignment."""


def cut_layers(source: Path, target: Path, layers: int) -> Path:
    """Write the first `layers` of a model. Raises ModelError, or ConfigError for a wrong number."""
    whole = read_header(source).number("block_count")
    if not 1 <= layers < whole:
        raise ConfigError(f"--layers {layers}: the model has {whole}; give 1 to {whole - 1}.")
    try:
        with (
            source.open("rb") as file,
            mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data,
        ):
            replace_file(target, lambda path: _write(data, path, layers))
    except OSError as error:
        raise ModelError(f"{target}: cannot be written ({error.strerror}).") from None
    return target


def _write(data: mmap.mmap, path: Path, layers: int) -> None:
    entries, tensors, aligned = _parts(data, layers)
    kept = [one for one in tensors if not _is_beyond(one.name, layers)]
    head = MAGIC + data[4:8] + struct.pack("<Q", len(kept)) + data[16:24] + entries
    place = 0
    for one in kept:
        head += one.entry + struct.pack("<Q", place)
        place += math.ceil(one.size / aligned) * aligned
    with path.open("wb") as file:
        file.write(_padded(head, aligned))
        for one in kept:
            # In pieces: a tensor may be larger than what memory has to spare.
            for at in range(one.start, one.start + one.size, 1 << 24):
                file.write(data[at : min(at + (1 << 24), one.start + one.size)])
            file.write(b"\0" * (-one.size % aligned))


def _parts(data: mmap.mmap, layers: int) -> tuple[bytes, list[Tensor], int]:
    """The entries with the new number of layers, all tensors, and the alignment."""
    reader, aligned, places = Reader(data), 32, list[int]()
    reader.skip(8)
    count, entries = reader.one("Q"), reader.one("Q")
    begin = reader.at
    for _ in range(entries):
        name, code = reader.text(), reader.one("I")
        if name.endswith(LAYERS):
            places.append(reader.at - begin)
        value = reader.value(code)
        aligned = int(value) if name == ALIGNMENT else aligned
    changed = bytearray(data[begin : reader.at])
    for place in places:
        struct.pack_into("<I", changed, place, layers)
    tensors = [_tensor(reader) for _ in range(count)]
    start = math.ceil(reader.at / aligned) * aligned
    ordered = sorted(tensors, key=lambda one: one.start)
    ends = [start + one.start for one in ordered[1:]] + [len(data)]
    for one, end in zip(ordered, ends, strict=True):
        one.start += start
        one.size = end - one.start
    return bytes(changed), tensors, aligned


def _tensor(reader: Reader) -> Tensor:
    begin, name = reader.at, reader.text()
    reader.skip(8 * reader.one("I"))
    reader.skip(4)
    entry = reader.data[begin : reader.at]
    return Tensor(name, entry, reader.one("Q"))


def _is_beyond(name: str, layers: int) -> bool:
    found = LAYER.match(name)
    return found is not None and int(found[1]) >= layers


def _padded(content: bytes, aligned: int) -> bytes:
    return content + b"\0" * (-len(content) % aligned)
