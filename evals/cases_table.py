"""The cases C01 to C20 as a table on the screen, or as JSON."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path

import typer
from rich.console import Console

from evals.printing import show
from evals.probes.cases import CaseResult, run_cases
from evals.sections import Section, number
from pipeline.endpoint.base import Endpoint
from pipeline.prompt import PromptSet
from pipeline.workers import Progress


def show_cases(
    prompts: PromptSet,
    endpoint: Endpoint,
    out: Path,
    concurrency: int | None,
    on_progress: Callable[[Progress], None],
    *,
    as_json: bool,
) -> int:
    """Grade and print the cases; 1 where code decided wrongly, else 0."""
    results, _ = run_cases(
        prompts=prompts,
        endpoint=endpoint,
        out=out,
        concurrency=concurrency,
        on_progress=on_progress,
    )
    if as_json:
        typer.echo(json.dumps({"cases": [_as_tree(one) for one in results]}, ensure_ascii=False))
    else:
        model = [one.by_model for one in results]
        note = (
            f"Of {len(results)} cases {model.count('as expected')} are graded as expected, "
            f"{model.count('too high')} too high, {model.count('too low')} too low."
        )
        show(Console(highlight=False), [note], [_section(results)])
    return int(any(one.by_code.startswith("wrong") for one in results))


def _as_tree(result: CaseResult) -> dict[str, object]:
    tree = {field.name: getattr(result, field.name) for field in dataclasses.fields(result)}
    return {**tree, "case": result.case.id, "about": result.case.about, "expected": _range(result)}


def _range(result: CaseResult) -> str:
    case = result.case
    if case.near:
        return f"as {case.near}"
    return "" if case.low is None else f"{case.low:g} to {case.high:g}"


def _section(results: list[CaseResult]) -> Section:
    rows = [
        (one.case.id, one.case.about, one.case.status, " ".join(one.case.flags), one.status,
         " ".join(one.flags), one.by_code, _range(one), number(one.overall, 1), one.by_model)
        for one in results
    ]  # fmt: skip
    header = ("case", "about", "must end", "must flag", "ended", "flags", "by code", "should get",
              "got", "by model")  # fmt: skip
    return Section(title="Cases", header=header, rows=tuple(rows))
