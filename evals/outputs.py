"""The files of `grader eval --out`."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pandas as pd

from evals.measure import Agreement
from evals.page import write_page
from evals.printing import agreement_json, agreement_markdown
from pipeline.atomic import replace_file, replace_text
from pipeline.table.text import formula_safe


def write_outputs(folder: Path, result: Agreement) -> None:
    """Write eval.html, agreement.md, agreement.json, figures.csv and .parquet, items.parquet."""
    folder.mkdir(parents=True, exist_ok=True)
    write_page(folder / "eval.html", result)
    _write_text(folder / "agreement.md", agreement_markdown(result))
    _write_text(folder / "agreement.json", agreement_json(result) + "\n")
    replace_file(folder / "figures.csv", partial(_write_csv, result.figures))
    replace_file(folder / "figures.parquet", partial(_write_parquet, result.figures))
    replace_file(folder / "items.parquet", partial(_write_parquet, result.items.reset_index()))


def _write_text(path: Path, text: str) -> None:
    replace_text(path, text)


def _write_csv(frame: pd.DataFrame, path: Path) -> None:
    safe = frame.map(lambda cell: formula_safe(cell) if isinstance(cell, str) else cell)
    safe.to_csv(path, index=False, encoding="utf-8-sig", lineterminator="\r\n")


def _write_parquet(frame: pd.DataFrame, path: Path) -> None:
    frame.to_parquet(path, engine="pyarrow", index=False)
