"""The first layers of the embedded model: cut once, whole, and as the scorer knows them."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from pipeline.endpoint.model_file import READER, model_path, require_model
from pipeline.endpoint.reader_file import require_reader
from pipeline.errors import ModelError

DIGEST = "5c783d32b7f735e2e7dd2ca52a22c72995fa4e2a8939d070131982b2d950400e"


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
        file.truncate(1_000)
    assert require_reader(whole) == target
    assert target.stat().st_size == READER.size
    with target.open("rb") as file:
        assert hashlib.file_digest(file, "sha256").hexdigest() == DIGEST


def test_without_the_model_the_next_step_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pipeline.endpoint.reader_file.reader_path", lambda: tmp_path / "a.gguf")
    with pytest.raises(ModelError, match="grader model pull"):
        require_reader(tmp_path / model_path().name)
    assert not (tmp_path / "a.gguf").exists()
