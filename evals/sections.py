"""Plain tables, which text, Markdown and HTML all print."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

KIND_WORDS: Mapping[str, str] = {
    "human": "human raters",
    "model": "MODEL labels, not people",
    "mixed": "labels partly by models, not people alone",
    "unknown": "labels by raters of unknown kind",
}
WITH_INTERVAL = frozenset({"qwk", "mae", "bias", "qwk difference", "degradation"})
"""Metrics whose cell shows the interval; the figures table has all of them."""


@dataclass(frozen=True, kw_only=True)
class Section:
    """One table with its heading."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""


def number(value: float | None, places: int = 2) -> str:
    """A figure; undefined is a dash, never 0."""
    if value is None or pd.isna(value):
        return "–"
    text = f"{value:.{places}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def cell(row: pd.Series | None) -> str:
    """A figure with its interval where the metric shows one."""
    if row is None:
        return ""
    text = number(row["value"])
    if row["metric"] not in WITH_INTERVAL or pd.isna(row["low"]):
        return text
    return f"{text} [{number(row['low'])}, {number(row['high'])}]"


def interval(row: pd.Series) -> str:
    """`low to high`, or nothing where there is no interval."""
    return "" if pd.isna(row["low"]) else f"{number(row['low'])} to {number(row['high'])}"


def shortened(text: str, room: int = 60) -> str:
    """Text in one line of at most `room` characters."""
    flat = " ".join(text.split())
    return flat if len(flat) <= room else flat[: room - 1] + "…"
