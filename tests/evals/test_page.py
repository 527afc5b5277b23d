"""eval.html and the other files of `grader eval --out`."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from evals.cli import app
from evals.plots import Mark, bar_chart, curve_chart, dot_chart, heat_map
from evals.plots.heat import confusion
from evals.printing import escape
from pipeline.prompt import PromptSet
from tests.evals.worlds import make_world, run_world, write_labels

EVIL = '<script>alert("x")</script>'


@pytest.fixture(scope="module")
def folder(prompts: PromptSet, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The outputs of an evaluation whose rater has an evil name."""
    base = tmp_path_factory.mktemp("page")
    world = make_world(24, 3, seed=1)
    run = run_world(world, base / "run", prompts)
    labels = write_labels(world, base / "seeds", kind="model")
    quoted = '"' + EVIL.replace('"', '""') + '"'
    text = labels.read_text(encoding="utf-8").replace(",b,", f",{quoted},")
    labels.write_text(text, encoding="utf-8")
    arguments = ["eval", str(run.folder), "--labels", str(labels), "--out", str(base / "out")]
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code in (1, 3), (done.output, done.exception)
    return base / "out"


def test_page_loads_nothing_and_runs_nothing(folder: Path) -> None:
    page = (folder / "eval.html").read_text(encoding="utf-8")
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert "default-src 'none'" in page
    addresses = set(re.findall(r"https?://[^\s\"'<]+", page))
    assert addresses <= {"http://www.w3.org/2000/svg"}
    assert not re.search(r"\s(src|href|on\w+)=", page)


def test_page_names_the_kind_of_raters_in_every_heading(folder: Path) -> None:
    page = (folder / "eval.html").read_text(encoding="utf-8")
    headings = re.findall(r"<(?:h2|figcaption)>(.*?)</(?:h2|figcaption)>", page)
    plain = {"Labelled answers by status in the run", "Undefined, or without an interval"}
    assert len(headings) > 8
    for heading in headings:
        assert "raters of unknown kind" in heading or heading in plain


def test_tables_hold_what_was_printed(folder: Path) -> None:
    figures = pd.read_parquet(folder / "figures.parquet")
    tree = json.loads((folder / "agreement.json").read_text(encoding="utf-8"))
    assert len(figures) == len(tree["figures"]) == len(pd.read_csv(folder / "figures.csv"))
    items = pd.read_parquet(folder / "items.parquet")
    assert {"item_id", "cluster", "overall:grader", "overall:a"} <= set(items.columns)
    assert (folder / "agreement.md").read_text(encoding="utf-8").startswith("# Agreement of run")


def test_markdown_cells_cannot_break_out() -> None:
    assert escape("a|b\n# c <i> [x](y) `z`") == r"a\|b # c \<i\> \[x\](y) \`z\`"


def test_drawings_are_well_formed_and_say_undefined() -> None:
    scores = pd.Series([0.0, 2.4, 5.0, np.nan])
    counts = confusion(scores, pd.Series([0, 2, 4, 4]), (0, 5))
    assert counts.sum() == 3
    assert counts[4, 5] == 1
    curve = pd.DataFrame({"coverage": [0.5, 1.0], "mae": [0.2, 0.4]})
    marks = [Mark(row=EVIL, series="a", value=None), Mark(row="x", series="b", value=0.5)]
    drawings = [
        heat_map(counts, (0, 5), EVIL),
        bar_chart([(EVIL, scores)], (0, 5)),
        dot_chart(marks, "t", (0, 1), (0, 1)),
        curve_chart(curve),
        curve_chart(curve.iloc[:0]),
    ]
    for drawing in drawings:
        ElementTree.fromstring(drawing)
    assert "undefined" in drawings[2]
