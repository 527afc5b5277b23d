"""The reader in docs/adding-a-format.md works as it is printed."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

import pytest

from pipeline.errors import InputError
from pipeline.intake.draft import Options, Source

PAGE = Path(__file__).resolve().parents[2] / "docs" / "adding-a-format.md"


def source(text: str) -> Source:
    return Source(name="a.lrc", parts=("a",), suffix=".lrc", open=lambda: io.BytesIO(text.encode()))


def test_the_documented_reader_reads_and_refuses() -> None:
    code = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)[0]
    module: dict[str, Any] = {}
    exec(compile(code, str(PAGE), "exec"), module)
    [draft] = module["read"](source("Why?\n\nBecause.\n"), Options())
    assert [(pair.question, pair.answer) for pair in draft.pairs] == [("Why?", "Because.\n")]
    with pytest.raises(InputError, match="no pairs of verses"):
        list(module["read"](source("Why?\n"), Options()))


def test_every_file_that_the_page_names_exists() -> None:
    text = PAGE.read_text(encoding="utf-8")
    root = PAGE.parents[1]
    for name in set(re.findall(r"`((?:tests|pipeline)/[\w/]+\.py)`", text)):
        assert (root / name).exists(), name
    for name in set(re.findall(r"`(\w+\.py)`", text)):
        assert (root / "pipeline" / "intake" / name).exists(), name
