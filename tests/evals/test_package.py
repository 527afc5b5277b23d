"""The package from outside: its names, and what a start of the program costs."""

from __future__ import annotations

import importlib
import subprocess
import sys

import pytest

import evals


def test_public_names_are_functions_whatever_was_imported_before() -> None:
    for name in ("measure", "contrast", "cli", "page"):
        importlib.import_module(f"evals.{name}")
    from evals import agreement, compare

    assert callable(agreement)
    assert callable(compare)
    assert all(hasattr(evals, name) for name in evals.__all__)
    with pytest.raises(AttributeError, match="nothing"):
        evals.nothing  # noqa: B018


@pytest.mark.parametrize("module", ["evals.cli", "evals.pytest_plugin"])
def test_starting_the_program_imports_nothing_that_measures(module: str) -> None:
    heavy = "{'evals.measure', 'evals.labels'}"
    code = f"import sys, {module}; sys.exit(bool({heavy} & {{*sys.modules}}))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
