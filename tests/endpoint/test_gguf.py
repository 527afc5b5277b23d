"""Model files that a user names: what their headers say, and every way in which they are unfit."""

from __future__ import annotations

import asyncio
import math
import struct
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from pipeline.cli import app
from pipeline.endpoint.embedded import (
    READING_CONTEXT,
    SLOTS,
    EmbeddedEndpoint,
    servers_that_fit,
    slot_size,
)
from pipeline.endpoint.gguf import Reader, read_header
from pipeline.endpoint.gguf_cut import cut_layers
from pipeline.endpoint.llama_server import memory_needed, serve
from pipeline.endpoint.model_choice import describe
from pipeline.endpoint.model_file import EMBEDDED, READER, require_model
from pipeline.errors import ConfigError, ModelError
from pipeline.records import Messages, Reading
from tests.tiny_model import CONTEXT, EMBED, HEADS, write_tiny_model


def test_the_header_says_what_memory_a_token_takes(tmp_path: Path) -> None:
    model = describe(write_tiny_model(tmp_path / "m.gguf", layers=3))
    assert model.kv_bytes_per_token == 3 * EMBED * 2 * 2
    assert model.context_tokens == CONTEXT
    assert model.size == (tmp_path / "m.gguf").stat().st_size


def test_the_published_file_is_known_wherever_it_lies(tmp_path: Path) -> None:
    try:
        path = require_model()
    except ModelError as error:
        pytest.skip(str(error))
    linked = tmp_path / "renamed.gguf"
    linked.symlink_to(path)
    assert describe(linked) is EMBEDDED
    header = read_header(path)
    assert header.least_bytes == EMBEDDED.size
    assert header.kv_bytes_per_token == EMBEDDED.kv_bytes_per_token
    assert header.number("context_length") == EMBEDDED.context_tokens


@given(share=st.floats(min_value=0, max_value=0.9999))
def test_a_file_that_was_cut_anywhere_is_refused(
    tmp_path_factory: pytest.TempPathFactory, share: float
) -> None:
    whole = write_tiny_model(tmp_path_factory.mktemp("cut") / "m.gguf")
    content = whole.read_bytes()
    # The last bytes fill up to the alignment and may be missing.
    whole.write_bytes(content[: int(share * (len(content) - 32))])
    with pytest.raises(ModelError, match=r"m\.gguf: (is cut short|is damaged|is no GGUF|cannot)"):
        describe(whole)


@given(at=st.integers(min_value=4, max_value=5_000), byte=st.integers(0, 255))
def test_a_header_with_a_wrong_byte_raises_nothing_else(
    tmp_path_factory: pytest.TempPathFactory, at: int, byte: int
) -> None:
    path = write_tiny_model(tmp_path_factory.mktemp("bent") / "m.gguf")
    content = bytearray(path.read_bytes())
    content[at] = byte
    path.write_bytes(content)
    with suppress(ModelError):
        describe(path)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "cannot be read|no GGUF"),
        (b"PK\3\4" + b"\0" * 60, "no GGUF file"),
        (b"GGUF" + struct.pack("<I", 1) + b"\0" * 60, "version 1"),
        (b"GGUF" + struct.pack(">I", 3) + b"\0" * 60, "version"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 0) + b"\0" * 60, "no language model"),
        (b"GGUF" + struct.pack("<IQQ", 3, 2**60, 2**60), "damaged or cut short"),
    ],
)
def test_what_is_no_model_is_refused(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(content)
    with pytest.raises(ModelError, match=said):
        describe(path)


STRING, FLOAT64, ARRAY = 8, 12, 9


def entry(name: str, code: int, value: bytes) -> bytes:
    return struct.pack("<Q", len(name)) + name.encode() + struct.pack("<I", code) + value


def word(text: str) -> bytes:
    return struct.pack("<Q", len(text)) + text.encode()


def with_entry(path: Path, added: bytes) -> Path:
    """The tiny model with one more entry, which counts for more than an earlier one of its name."""
    content = bytearray(write_tiny_model(path).read_bytes())
    (count,) = struct.unpack_from("<Q", content, 16)
    struct.pack_into("<Q", content, 16, count + 1)
    reader = Reader(bytes(content))
    reader.skip(24)
    for _ in range(count):
        reader.text()
        reader.value(reader.one("I"))
    # The weights begin further on by what the entry takes, so the file is longer, too.
    path.write_bytes(content[: reader.at] + added + content[reader.at :] + b"\0" * 64)
    return path


NESTED = struct.pack("<IQ", ARRAY, 1) * 20_000 + struct.pack("<IQ", 0, 0)
LONG_NESTED = struct.pack("<IQ", ARRAY, 65) * 20_000 + struct.pack("<IQ", 0, 0)
HALVES = struct.pack("<IQ2d", FLOAT64, 2, 0.5, 2)


@pytest.mark.parametrize(
    ("name", "code", "value", "said"),
    [
        ("some.list", ARRAY, NESTED, "is damaged"),
        ("some.list", ARRAY, LONG_NESTED, "is damaged"),
        ("general.alignment", 4, struct.pack("<I", 0), "general.alignment in its header is 0"),
        ("general.alignment", STRING, word("32"), "general.alignment in its header is no count"),
        ("general.alignment", FLOAT64, struct.pack("<d", math.nan), "is no count"),
        ("general.alignment", 5, struct.pack("<i", -32), "is no count"),
        ("llama.context_length", STRING, word("2048"), "llama.context_length in its header is no"),
        ("llama.context_length", FLOAT64, struct.pack("<d", math.nan), "is no count"),
        ("llama.context_length", FLOAT64, struct.pack("<d", math.inf), "is no count"),
        ("llama.context_length", ARRAY, struct.pack("<IQI", 4, 1, 2048), "is no count"),
        ("llama.context_length", 7, b"\1", "is no count"),
        ("llama.block_count", 5, struct.pack("<i", -1), "is no count"),
        ("llama.attention.head_count", STRING, word("4"), "is no count"),
        ("llama.attention.head_count_kv", ARRAY, HALVES, "is no count"),
        ("llama.attention.head_count_kv", 5, struct.pack("<i", -4), "is no count"),
        ("llama.embedding_length", STRING, word("wide"), "is no count"),
        ("split.count", STRING, word("2"), "split.count in its header is no count"),
        ("split.count", 4, struct.pack("<I", 2), "one of several parts"),
    ],
)
def test_a_header_with_odd_values_is_refused_with_what_to_do(
    tmp_path: Path, name: str, code: int, value: bytes, said: str
) -> None:
    path = with_entry(tmp_path / "m.gguf", entry(name, code, value))
    with pytest.raises(ModelError, match=rf"m\.gguf: .*{said}.*\.") as refused:
        describe(path)
    assert any(remedy in str(refused.value) for remedy in ("again", "Merge"))


def test_heads_that_differ_by_layer_count_by_the_most(tmp_path: Path) -> None:
    heads = entry("llama.attention.head_count_kv", ARRAY, struct.pack("<IQ2I", 4, 2, 1, 2))
    model = describe(with_entry(tmp_path / "m.gguf", heads))
    assert model.kv_bytes_per_token == 2 * (EMBED // HEADS) * 2 * 2


def test_an_empty_path_is_said_plainly(tmp_path: Path) -> None:
    for text in ("", " "):
        done = CliRunner().invoke(app, ["doctor", "--model-file", text])
        assert isinstance(done.exception, ConfigError)
        assert "--model-file is empty" in str(done.exception)


def test_an_architecture_that_the_server_does_not_know_is_said_plainly(tmp_path: Path) -> None:
    pytest.importorskip("xllamacpp", reason="the extra `local` is not installed")
    path = write_tiny_model(tmp_path / "m.gguf")
    path.write_bytes(path.read_bytes().replace(b"llama", b"zorgx"))
    with (
        pytest.raises(ModelError, match=r"architecture, 'zorgx', .*--model-file") as refused,
        serve(path, context_tokens=1_024, slots=1, expected=describe(path)),
    ):
        raise AssertionError("served")
    assert "\n" not in str(refused.value)


def test_a_file_that_is_not_there_is_refused_with_what_to_do(tmp_path: Path) -> None:
    for path, said in ((tmp_path / "x.gguf", "no such file"), (tmp_path, "is a folder")):
        with pytest.raises(ModelError, match=rf"{said}\. Give the path of a GGUF file.*model pull"):
            describe(path)


def tensors(path: Path) -> dict[str, bytes]:
    """The bytes of each tensor, by the widths that the tiny model has."""
    content, reader = path.read_bytes(), Reader(path.read_bytes())
    reader.skip(8)
    count, entries = reader.one("Q"), reader.one("Q")
    for _ in range(entries):
        reader.text()
        reader.value(reader.one("I"))
    placed = []
    for _ in range(count):
        name = reader.text()
        size = 4 * math.prod(reader.one("Q") for _ in range(reader.one("I")))
        reader.skip(4)
        placed.append((name, reader.one("Q"), size))
    start = -(-reader.at // 32) * 32
    return {name: content[start + at : start + at + size] for name, at, size in placed}


def test_the_first_layers_are_a_model_of_their_own(tmp_path: Path) -> None:
    whole = write_tiny_model(tmp_path / "whole.gguf", layers=3)
    before = whole.read_bytes()
    cut = cut_layers(whole, tmp_path / "cut.gguf", 2)
    assert whole.read_bytes() == before
    header = read_header(cut)
    assert header.number("block_count") == 2
    assert header.least_bytes == cut.stat().st_size
    kept = {name: one for name, one in tensors(whole).items() if not name.startswith("blk.2.")}
    assert tensors(cut) == kept
    assert len(kept) == len(tensors(whole)) - 9
    assert {path.name for path in tmp_path.glob("*.gguf*")} == {"whole.gguf", "cut.gguf"}


def test_the_first_layers_read(tmp_path: Path) -> None:
    """The real server takes the file, and its states are others than those of the whole model."""
    pytest.importorskip("xllamacpp", reason="the extra `local` is not installed")
    whole = write_tiny_model(tmp_path / "whole.gguf", layers=2)
    command = ["model", "cut", str(tmp_path / "cut.gguf"), "--layers", "1"]
    done = CliRunner().invoke(app, [*command, "--model-file", str(whole)])
    assert done.exit_code == 0, done.output
    assert "--no-explanations" in done.output

    async def state(path: Path) -> tuple[float, ...]:
        async with EmbeddedEndpoint(path).session(1_024) as complete:
            reading = Reading(before="Why? ", answer="Because.")
            return (await complete(Messages(turns=(), reading=reading))).state

    one, both = (asyncio.run(state(tmp_path / f"{name}.gguf")) for name in ("cut", "whole"))
    assert len(one) == len(both) == EMBED
    assert one != both


@pytest.mark.parametrize("layers", [0, 3, 9])
def test_a_wrong_number_of_layers_is_refused(tmp_path: Path, layers: int) -> None:
    whole = write_tiny_model(tmp_path / "whole.gguf", layers=3)
    with pytest.raises(ConfigError, match="the model has 3; give 1 to 2"):
        cut_layers(whole, tmp_path / "cut.gguf", layers)
    assert not (tmp_path / "cut.gguf").exists()


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    whole = write_tiny_model(tmp_path / "whole.gguf", layers=3)
    with pytest.raises(ModelError, match="cannot be written"):
        cut_layers(whole, tmp_path / "nowhere" / "cut.gguf", 1)


def test_as_many_servers_as_memory_holds() -> None:
    one = memory_needed(EMBEDDED, 4_096 * SLOTS) + memory_needed(READER, READING_CONTEXT)
    assert [servers_that_fit(EMBEDDED, 4_096, n) for n in (0, one, 2 * one - 1, 2 * one)] == [
        1, 1, 1, 2,
    ]  # fmt: skip


def test_no_slot_is_longer_than_a_model_was_trained_for() -> None:
    assert slot_size(10_000, 2_048) == 2_048
    assert slot_size(10_000, 32_768) == 10_240
