"""Shared files lie beside the checkout; where they do not, the tests on them are skipped."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pipeline.intake import read_interviews
from pipeline.records import Interview

SHARED = Path(__file__).resolve().parents[2].parent / "shared"


@pytest.fixture
def shared() -> Callable[[str], Path]:
    """A path in the shared folder, by its name."""

    def find(name: str) -> Path:
        path = SHARED / name
        if not path.exists():
            pytest.skip("the shared folder is not beside this checkout")
        return path

    return find


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., Interview]:
    """Write one file and read the one interview in it."""

    def write_and_read(content: str | bytes, name: str = "one.txt", **options: object) -> Interview:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        [interview] = read_interviews(path, **options)  # type: ignore[arg-type]
        return interview

    return write_and_read
