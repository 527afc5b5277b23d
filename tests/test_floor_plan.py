"""The floor plan: who may import whom. Read from the imports, held here."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FLOORS: tuple[tuple[str, ...], ...] = (
    ("records", "errors", "collecting", "atomic", "appending", "syncing", "file_lock"),
    (
        "flags",
        "secret",
        "folding",
        "quotes",
        "neutral",
        "introduction",
        "visible",
        "question_type",
        "code_text",
        "truncation",
        "terms",
        "answer_features",
        "claims",
        "json_reading",
    ),
    ("redact_names", "redact_patterns", "redact"),
    ("intake", "gates", "rubric", "rubric_check", "key_points", "points_check"),
    ("verdict", "notes", "scorer", "uncertainty", "support", "vectors"),
    ("contradictions", "prompt", "reading", "expected", "scoring", "odd_replies", "calibration"),
    ("endpoint",),
    ("grading", "texts", "spool"),
    ("journal", "manifest", "measured", "answered", "cache", "prices"),
    ("plan", "tokens", "verify", "redaction_map", "run_reader", "reviews"),
    ("samples", "regrade"),
    ("workers", "table", "reviewed", "review", "weights"),
    ("session", "redact_items", "dry_run"),
    ("report", "review_sheet", "review_rows"),
    ("summary",),
    ("results",),
    ("run", "streamed", "erase", "review_apply"),
    ("config", "screen", "person_screen"),
    ("erase_cli", "review_cli", "show_cli"),
    ("cli",),
    ("__init__", "__main__"),
)
"""Ground first. A module may import its own floor and every floor below, nothing above."""
ONLY_IN: dict[str, tuple[str, ...]] = {
    "openai": ("endpoint",),
    "tenacity": ("endpoint",),
    "aiohttp": ("endpoint",),
    "httpx2": ("endpoint",),
    "pandas": ("table", "report"),
    "xllamacpp": ("endpoint",),
    "huggingface_hub": ("endpoint",),
    "typer": ("cli", "erase_cli", "review_cli", "show_cli"),
    "rich": ("cli", "screen", "show_cli"),
    "jinja2": ("prompt", "report"),
    "markupsafe": ("report",),
}
"""Which of our modules may know a library."""


def modules(package: str) -> list[Path]:
    return sorted((ROOT / package).rglob("*.py"))


def part_of(path: Path) -> str:
    """`pipeline/intake/text.py` -> `intake`, `pipeline/run.py` -> `run`."""
    return path.relative_to(ROOT).with_suffix("").parts[1]


def imports(path: Path) -> Iterator[str]:
    """Every module that a file imports when it runs, at any depth; for type checks is let be."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    skipped = {
        id(node)
        for block in ast.walk(tree)
        if isinstance(block, ast.If) and "TYPE_CHECKING" in ast.dump(block.test)
        for node in ast.walk(block)
    }
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def floor_of(part: str) -> int:
    [floor] = [number for number, parts in enumerate(FLOORS) if part in parts]
    return floor


def test_every_module_has_a_floor() -> None:
    parts = {part_of(path) for path in modules("pipeline")}
    planned = {part for floor in FLOORS for part in floor}
    assert parts == planned


@pytest.mark.parametrize("path", modules("pipeline"), ids=lambda p: str(p.relative_to(ROOT)))
def test_module_imports_only_from_its_floor_and_below(path: Path) -> None:
    here = part_of(path)
    for name in imports(path):
        if name.startswith("pipeline."):
            part = name.split(".")[1]
            if part in {p for floor in FLOORS for p in floor}:
                assert floor_of(part) <= floor_of(here), f"{here} imports {part} from above"
        assert not name.startswith(("evals", "tests")), f"{here} imports {name}"


@pytest.mark.parametrize("path", modules("evals"), ids=lambda p: str(p.relative_to(ROOT)))
def test_evals_import_no_tests(path: Path) -> None:
    assert not [name for name in imports(path) if name.startswith("tests")]


@pytest.mark.parametrize("library", ONLY_IN)
def test_library_is_known_only_where_planned(library: str) -> None:
    knowing = {
        part_of(path)
        for path in modules("pipeline")
        if any(name.split(".")[0] == library for name in imports(path))
    }
    assert knowing <= set(ONLY_IN[library])


@pytest.mark.parametrize("path", modules("pipeline"), ids=lambda p: str(p.relative_to(ROOT)))
def test_environment_is_read_only_by_config(path: Path) -> None:
    # The server's process sets a variable for the library that it is about to load.
    if part_of(path) != "config" and path.stem != "llama_child":
        assert "os.environ" not in path.read_text(encoding="utf-8")
        assert "getenv" not in path.read_text(encoding="utf-8")


def test_no_module_is_a_grab_bag() -> None:
    assert not [path for path in modules("pipeline") if path.stem in {"utils", "helpers", "misc"}]


@pytest.mark.parametrize("name", ["requirements.lock", "pyproject.toml", "Makefile"])
def test_no_index_address_in_any_file(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    assert "index-url" not in text.replace("--no-emit-index-url", "")
    assert "http://" not in text
    assert "https://" not in text
