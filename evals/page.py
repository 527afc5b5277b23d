"""eval.html: the whole result in one file that opens offline and runs no script."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pandas as pd
from jinja2 import PackageLoader, StrictUndefined
from jinja2.sandbox import SandboxedEnvironment
from markupsafe import Markup

from evals.agreement_tables import agreement_sections
from evals.labels import OVERALL
from evals.measure import Agreement
from evals.metrics.arrays import Scale
from evals.plots import Mark, bar_chart, curve_chart, dot_chart, heat_map
from evals.plots.heat import confusion
from evals.printing import verdict_lines
from evals.sections import KIND_WORDS
from evals.study import GRADER, GRADERS
from pipeline.atomic import replace_text
from pipeline.table.columns import CALIBRATED
from pipeline.table.text import storable


def write_page(path: Path, result: Agreement) -> None:
    """Write the page in one step."""
    environment = SandboxedEnvironment(
        loader=PackageLoader("evals"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    html = environment.get_template("eval.html.j2").render(
        result=result,
        lines=verdict_lines(result)[1:],
        kind=KIND_WORDS[str(result.facts["kind"])],
        sections=agreement_sections(result),
        charts=list(charts(result)),
    )
    replace_text(path, storable(html))


def charts(result: Agreement) -> Iterator[tuple[str, Markup]]:
    """Heading and drawing. The drawings escape what they print."""
    low, high = (int(end) for end in str(result.facts["scale"]).split("-"))
    scale: Scale = (low, high)
    reference = str(result.facts["reference"])
    scores = _overall(result)
    counts = confusion(scores[GRADER], scores[reference], scale)
    yield "Points of the grader and the reference", Markup(heat_map(counts, scale, reference))
    yield (
        "QWK by criterion: grader with reference (filled), raters (hollow)",
        Markup(
            dot_chart(list(_kappas(result)), "QWK by criterion", (-0.2, 1), (0, 0.25, 0.5, 0.75, 1))
        ),
    )
    yield (
        "How often each point is given",
        Markup(bar_chart([(str(name), column) for name, column in scores.items()], scale)),
    )
    yield (
        "Bias by band of the reference, in points",
        Markup(dot_chart(list(_biases(result)), "Bias by band", (-2, 2), (-2, -1, 0, 1, 2))),
    )
    if len(result.risk) > 1:
        yield "Error by share of answers left to the grader", Markup(curve_chart(result.risk))


def _overall(result: Agreement) -> pd.DataFrame:
    prefix = f"{OVERALL}:"
    names = [name for name in result.items.columns if str(name).startswith(prefix)]
    return result.items[names].rename(columns=lambda name: str(name).removeprefix(prefix))


def _kappas(result: Agreement) -> Iterator[Mark]:
    frame = result.figures
    frame = frame[(frame["scope"] == "pooled") & (frame["metric"] == "qwk") & (frame["n"] > 0)]
    for _, row in frame.iterrows():
        if row["first"] not in GRADERS or row["second"] == result.facts["reference"]:
            name = str(row["criterion"]) + (", calibrated" if row["first"] == CALIBRATED else "")
            yield _mark(row, name, "a" if row["first"] in GRADERS else "b")


def _biases(result: Agreement) -> Iterator[Mark]:
    frame = result.figures
    for _, row in frame[(frame["scope"] == "band") & (frame["metric"] == "bias")].iterrows():
        yield _mark(row, f"{row['group']} (n {row['n']})", "a")


def _mark(row: pd.Series, name: str, series: str) -> Mark:
    value, low, high = (
        None if pd.isna(row[key]) else float(row[key]) for key in ("value", "low", "high")
    )
    return Mark(row=name, series=series, value=value, low=low, high=high)
