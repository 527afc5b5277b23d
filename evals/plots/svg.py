"""SVG elements as text; every word is escaped."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape


def drawing(width: int, height: int, title: str, parts: Iterable[str]) -> str:
    """A whole drawing with a title for those who do not see it."""
    return (
        f'<svg viewBox="0 0 {width} {height}" role="img" xmlns="http://www.w3.org/2000/svg">'
        f"<title>{escape(title)}</title>{''.join(parts)}</svg>"
    )


def text(x: float, y: float, words: str, style: str = "", anchor: str = "start") -> str:
    """Words whose base line starts, is centred or ends at x, y."""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" class="{style}">'
        f"{escape(words)}</text>"
    )


def line(x1: float, y1: float, x2: float, y2: float, style: str) -> str:
    """A straight line."""
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{style}"/>'


def box(x: float, y: float, width: float, height: float, style: str, shade: float = 1.0) -> str:
    """A filled rectangle; `shade` is its opacity."""
    size = f'width="{max(width, 0):.1f}" height="{max(height, 0):.1f}"'
    return f'<rect x="{x:.1f}" y="{y:.1f}" {size} class="{style}" fill-opacity="{shade:.2f}"/>'


def dot(x: float, y: float, style: str, radius: float = 5) -> str:
    """A round mark."""
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" class="{style}"/>'


def path(points: Iterable[tuple[float, float]], style: str) -> str:
    """A line through points."""
    steps = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polyline points="{steps}" class="{style}"/>'
