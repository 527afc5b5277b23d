"""Charts as SVG text, drawn by hand: no script, no fonts of their own, colours from the page."""

from evals.plots.bars import bar_chart
from evals.plots.curve import curve_chart
from evals.plots.dots import Mark, dot_chart
from evals.plots.heat import heat_map

__all__ = ["Mark", "bar_chart", "curve_chart", "dot_chart", "heat_map"]
