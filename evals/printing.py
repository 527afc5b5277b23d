"""Sections as Markdown and on a terminal; results as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import pandas as pd
from rich.console import Console
from rich.table import Table
from rich.text import Text

from evals.agreement_tables import agreement_sections
from evals.measure import Agreement
from evals.sections import KIND_WORDS, Section


def verdict_lines(result: Agreement) -> list[str]:
    """The verdict, its reasons, what was compared, and the notes, in plain words."""
    facts = result.facts
    kind = KIND_WORDS[str(facts["kind"])]
    lines = [f"{result.verdict} on {facts['n']} answers of {facts['clusters']} candidates ({kind})"]
    lines += [f"- {reason}" for reason in result.reasons]
    lines += [
        f"Run {facts['run']}: model {facts['model']}, prompts {facts['prompt_version']}. "
        f"Labels {facts['labels']}, split {facts['split']}, raters {facts['raters']}, "
        f"held against {facts['reference']}, scale {facts['scale']}.",
        "Kappa, AC2, alpha, exact and adjacent on scores rounded half up to whole points; CCC, "
        "ICC, MAE, bias and SMD on scores as they are. Intervals: 95%, bootstrap by candidate, "
        f"seed {facts['seed']}. A dash is undefined.",
    ]
    return lines + [f"Note: {note}" for note in result.notes]


def to_markdown(title: str, lines: Iterable[str], sections: Iterable[Section]) -> str:
    """A Markdown page, such as for a pull request."""
    parts = [f"# {escape(title)}", "\n".join(f"{escape(line)}  " for line in lines)]
    for section in sections:
        header = "| " + " | ".join(map(escape, section.header)) + " |"
        rule = "|" + "---|" * len(section.header)
        body = ["| " + " | ".join(map(escape, row)) + " |" for row in section.rows]
        parts.append("\n".join([f"## {escape(section.title)}", "", header, rule, *body]))
        if section.note:
            parts.append(escape(section.note))
    return "\n\n".join(parts) + "\n"


def escape(text: str) -> str:
    """Text that Markdown shows as it is and that cannot break out of its cell."""
    flat = " ".join(text.split())
    return "".join(f"\\{sign}" if sign in "\\|<>[]*_`" else sign for sign in flat)


def show(console: Console, lines: Iterable[str], sections: Iterable[Section]) -> None:
    """Print on a terminal."""
    for line in lines:
        console.print(Text(line), soft_wrap=True)
    for section in sections:
        table = Table(title=Text(section.title), title_justify="left", show_edge=False)
        for place, name in enumerate(section.header):
            table.add_column(Text(name), justify="right" if place else "left", overflow="fold")
        for row in section.rows:
            table.add_row(*(Text(text) for text in row))
        console.print()
        console.print(table)
        if section.note:
            console.print(Text(section.note), soft_wrap=True)


def agreement_markdown(result: Agreement) -> str:
    """The whole result as Markdown."""
    title = f"Agreement of {result.facts['run']}: {result.verdict}"
    return to_markdown(title, verdict_lines(result), agreement_sections(result))


def agreement_json(result: Agreement) -> str:
    """The whole result as JSON; undefined is null."""
    tree = {
        "verdict": result.verdict,
        "exit_code": result.exit_code,
        "reasons": list(result.reasons),
        "notes": list(result.notes),
        "facts": dict(result.facts),
        "checks": [asdict(check) for check in result.checks],
        "coverage": {str(status): int(count) for status, count in result.coverage.items()},
        "blanks": records(result.blanks),
        "figures": records(result.figures),
    }
    return json.dumps(tree, ensure_ascii=False, allow_nan=False)


def records(frame: pd.DataFrame) -> Sequence[Mapping[str, Any]]:
    """The rows as plain data, missing as None."""
    plain = frame.astype(object).where(frame.notna(), None)
    return [
        {
            str(name): value.item() if hasattr(value, "item") else value
            for name, value in row.items()
        }
        for row in plain.to_dict("records")
    ]
