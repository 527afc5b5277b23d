"""The first layers of the embedded model: cut once, whole, and as the scorer knows them."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from pipeline.endpoint import proof
from pipeline.endpoint.embedded import EmbeddedEndpoint
from pipeline.endpoint.gguf_cut import cut_layers
from pipeline.endpoint.model_file import (
    EMBEDDED,
    READER,
    LocalModel,
    check_digest,
    model_path,
    require_model,
    stamp_path,
)
from pipeline.endpoint.proof import is_proved, require_proved
from pipeline.endpoint.reader_file import make_reader, require_reader
from pipeline.errors import ModelError
from tests.tiny_model import write_tiny_model


@pytest.mark.model
def test_the_reader_is_cut_again_where_it_is_damaged_and_is_always_the_same_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    try:
        whole = require_model()
    except ModelError as error:
        pytest.skip(str(error))
    target = tmp_path / "models" / "first.gguf"
    monkeypatch.setattr("pipeline.endpoint.reader_file.reader_path", lambda: target)
    assert require_reader(whole) == target
    with target.open("r+b") as file:
        file.seek(READER.size // 2)
        file.write(b"damage")
    assert require_reader(whole) == target
    with target.open("rb") as file:
        assert hashlib.file_digest(file, "sha256").hexdigest() == READER.sha256


@pytest.fixture
def whole(tmp_path: Path) -> Path:
    return write_tiny_model(tmp_path / "whole.gguf", layers=2)


@pytest.fixture
def small(whole: Path) -> LocalModel:
    """What the first of two layers must be."""
    content = cut_layers(whole, whole.with_name("known.gguf"), 1).read_bytes()
    return replace(READER, size=len(content), sha256=hashlib.sha256(content).hexdigest())


@pytest.fixture
def digests(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The files that were read through."""
    seen: list[Path] = []

    def noted(path: Path, model: LocalModel, on_progress: Callable[[int, int, str], None]) -> None:
        seen.append(path)
        check_digest(path, model, on_progress)

    monkeypatch.setattr(proof, "check_digest", noted)
    return seen


def damage(path: Path) -> None:
    """Another byte in the middle; the size stays."""
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def cut(whole: Path, small: LocalModel) -> Path:
    path = whole.with_name("first.gguf")
    make_reader(whole, path, small, 1)
    return path


def test_a_cut_of_the_right_size_with_a_wrong_byte_is_cut_again(
    whole: Path, small: LocalModel
) -> None:
    right = cut(whole, small).read_bytes()
    damage(whole.with_name("first.gguf"))
    assert cut(whole, small).read_bytes() == right


def test_the_digest_is_proved_once_and_again_when_the_file_is_another(
    whole: Path, small: LocalModel, digests: list[Path]
) -> None:
    path = cut(whole, small)
    assert len(digests) == 1
    assert is_proved(path, small)
    assert len(digests) == 1
    os.utime(path, ns=(1, 1))
    assert is_proved(path, small)
    assert len(digests) == 2
    copy = path.with_name("copy.gguf")
    copy.write_bytes(path.read_bytes())
    copy.replace(path)
    assert is_proved(path, small)
    assert len(digests) == 3


@pytest.mark.parametrize("stamp", ["", "[", "[" * 100_000, "null", "{}", "\0"])
def test_a_stamp_that_says_nothing_proves_nothing(
    whole: Path, small: LocalModel, stamp: str
) -> None:
    path = cut(whole, small)
    damage(path)
    stamp_path(path).write_text(stamp, "utf-8")
    assert not is_proved(path, small)


def test_a_damaged_whole_gives_no_cut_and_the_next_step_is_said(
    whole: Path, small: LocalModel
) -> None:
    # A byte that the cut keeps, so not one of the last layer.
    content = bytearray(whole.read_bytes())
    content[content.index(b"tiny 0")] ^= 1
    whole.write_bytes(content)
    with pytest.raises(ModelError, match="grader model pull"):
        cut(whole, small)
    assert not whole.with_name("first.gguf").exists()


def test_two_that_cut_at_a_time_get_one_whole_file(whole: Path, small: LocalModel) -> None:
    with ThreadPoolExecutor(4) as threads:
        paths = list(threads.map(lambda _: cut(whole, small), range(8)))
    assert {hashlib.sha256(path.read_bytes()).hexdigest() for path in paths} == {small.sha256}


def test_a_whole_model_with_a_wrong_byte_is_refused_at_the_start(
    whole: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = whole.read_bytes()
    model = replace(EMBEDDED, size=len(content), sha256=hashlib.sha256(content).hexdigest())
    assert require_proved(whole, model) == whole
    monkeypatch.setattr("pipeline.endpoint.embedded.EMBEDDED", model)
    monkeypatch.setattr("pipeline.endpoint.embedded.model_path", lambda: whole)
    EmbeddedEndpoint()
    damage(whole)
    with pytest.raises(ModelError, match=r"is damaged.*grader model pull"):
        EmbeddedEndpoint()
    EmbeddedEndpoint(planning=True)


def test_without_the_model_the_next_step_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pipeline.endpoint.reader_file.reader_path", lambda: tmp_path / "a.gguf")
    with pytest.raises(ModelError, match="grader model pull"):
        require_reader(tmp_path / model_path().name)
    assert not (tmp_path / "a.gguf").exists()
