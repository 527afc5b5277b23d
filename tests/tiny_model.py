"""A language model of a few hundred kilobytes with weights by chance, written as a GGUF file.

It speaks nonsense byte by byte, and its states depend on what it reads: enough to see whether
another model file goes all the way through the program.
"""

from __future__ import annotations

import random
import struct
from pathlib import Path
from typing import Any

EMBED, HEADS, HIDDEN, CONTEXT = 32, 4, 64, 8_192
UINT32, FLOAT32, STRING, ARRAY = 4, 6, 8, 9
UNKNOWN, CONTROL, BYTE = 2, 3, 6
ALIGNMENT = 32

PIECES = ["<unk>", "<s>", "</s>", *(f"<0x{code:02X}>" for code in range(256))]
TYPES = [UNKNOWN, CONTROL, CONTROL, *[BYTE] * 256]


def write_tiny_model(path: Path, *, layers: int = 1, seed: int = 0) -> Path:
    """The file; another seed is another model."""
    entries: list[tuple[str, int, Any]] = [
        ("general.architecture", STRING, "llama"),
        ("general.name", STRING, f"tiny {seed}"),
        ("llama.context_length", UINT32, CONTEXT),
        ("llama.embedding_length", UINT32, EMBED),
        ("llama.block_count", UINT32, layers),
        ("llama.feed_forward_length", UINT32, HIDDEN),
        ("llama.attention.head_count", UINT32, HEADS),
        ("llama.rope.dimension_count", UINT32, EMBED // HEADS),
        ("llama.attention.layer_norm_rms_epsilon", FLOAT32, 1e-5),
        ("tokenizer.ggml.model", STRING, "llama"),
        ("tokenizer.ggml.tokens", ARRAY, (STRING, PIECES)),
        ("tokenizer.ggml.scores", ARRAY, (FLOAT32, [0.0] * len(PIECES))),
        ("tokenizer.ggml.token_type", ARRAY, (5, TYPES)),
        ("tokenizer.ggml.bos_token_id", UINT32, 1),
        ("tokenizer.ggml.eos_token_id", UINT32, 2),
    ]
    shapes = dict(_shapes(layers))
    head = b"GGUF" + struct.pack("<IQQ", 3, len(shapes), len(entries))
    for name, code, value in entries:
        head += _text(name) + struct.pack("<I", code) + _value(code, value)
    offset = 0
    for name, shape in shapes.items():
        sizes = struct.pack(f"<I{len(shape)}Q", len(shape), *shape)
        head += _text(name) + sizes + struct.pack("<IQ", 0, offset)
        offset += -(-4 * _count(shape) // ALIGNMENT) * ALIGNMENT
    chance = random.Random(seed)
    weights = (_weights(name, shape, chance) for name, shape in shapes.items())
    path.write_bytes(_padded(head) + b"".join(map(_padded, weights)))
    return path


def _shapes(layers: int) -> list[tuple[str, tuple[int, ...]]]:
    square, wide = (EMBED, EMBED), (EMBED, HIDDEN)
    words = (EMBED, len(PIECES))
    shapes: list[tuple[str, tuple[int, ...]]] = [("token_embd.weight", words)]
    for layer in range(layers):
        parts = {f"attn_{name}": square for name in ("q", "k", "v", "output")}
        parts |= {"attn_norm": (EMBED,), "ffn_norm": (EMBED,), "ffn_gate": wide, "ffn_up": wide}
        parts["ffn_down"] = (HIDDEN, EMBED)
        shapes += [(f"blk.{layer}.{name}.weight", shape) for name, shape in parts.items()]
    return [*shapes, ("output_norm.weight", (EMBED,)), ("output.weight", words)]


def _weights(name: str, shape: tuple[int, ...], chance: random.Random) -> bytes:
    count = _count(shape)
    norm = "norm" in name
    values = [1.0 if norm else chance.gauss(0, 0.3) for _ in range(count)]
    return struct.pack(f"<{count}f", *values)


def _count(shape: tuple[int, ...]) -> int:
    return shape[0] * (shape[1] if len(shape) > 1 else 1)


def _padded(content: bytes) -> bytes:
    return content + b"\0" * (-len(content) % ALIGNMENT)


def _text(text: str) -> bytes:
    content = text.encode()
    return struct.pack("<Q", len(content)) + content


def _value(code: int, value: Any) -> bytes:
    if code == STRING:
        return _text(value)
    if code == ARRAY:
        kind, members = value
        packed = b"".join(_value(kind, member) for member in members)
        return struct.pack("<IQ", kind, len(members)) + packed
    return struct.pack({UINT32: "<I", 5: "<i", FLOAT32: "<f"}[code], value)
