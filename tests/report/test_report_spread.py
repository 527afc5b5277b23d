"""The charts over all candidates: everybody is in them once, and blanks stand apart."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.records import STATUSES
from pipeline.report import Entry
from pipeline.report.spread import coverage_rows, histogram
from pipeline.report.strip import strip
from pipeline.report.tally import NOT_SCORED, NOTHING_ANSWERED, Tally

OVERALLS = st.integers(0, 50).map(lambda tenths: Decimal(tenths) / 10)


@given(st.lists(OVERALLS), st.integers(0, 9), st.integers(0, 9))
def test_everybody_is_in_one_column(values: list[Decimal], nothing: int, unscored: int) -> None:
    counts: Counter[Decimal | str] = Counter(values)
    counts.update({NOTHING_ANSWERED: nothing, NOT_SCORED: unscored})
    chart = histogram("t", counts, (0, 5), "en")
    assert (
        chart.n == sum(column.count for column in chart.columns) == len(values) + nothing + unscored
    )
    for column in chart.columns[:10]:
        low, _, high = column.label.partition(" to ")
        assert column.count == sum(Decimal(low) <= value <= Decimal(high) for value in values)
    apart = {column.label: column.count for column in chart.columns if column.apart}
    assert apart == {
        name: n for name, n in (("none answered", nothing), ("no score", unscored)) if n
    }


@pytest.mark.parametrize("scale", [(0, 5), (1, 5), (0, 10), (0, 100), (-2, 2), (1, 4)])
def test_any_scale_has_a_few_columns_and_its_ends(scale: tuple[int, int]) -> None:
    low, high = Decimal(scale[0]), Decimal(scale[1])
    chart = histogram("t", {low: 3, high: 4}, scale, "zh")
    assert 4 <= len(chart.columns) <= 20
    assert (chart.columns[0].count, chart.columns[-1].count) == (3, 4)
    assert all(0 <= place <= chart.scale_width for place, _ in chart.ticks)


@given(st.lists(st.fractions(0, 1), max_size=40), st.sampled_from(["0.70", "0.5", "0", "1"]))
def test_coverage_counts_everybody_once(shares: list[Any], least: str) -> None:
    coverages = Counter(Decimal(one.numerator) / Decimal(one.denominator) for one in shares)
    rows = coverage_rows(coverages, Decimal(least), "en")
    assert sum(row.count for row in rows) == len(shares)
    assert rows[0].label == "all answered"
    assert rows[0].count == coverages[Decimal(1)]


def test_who_answered_nothing_stands_apart_from_a_low_overall(run: Any) -> None:
    one = run.candidates[0]
    silent = one.model_copy(update={"answered": 0, "overall": Decimal("0.0")})
    poor = one.model_copy(update={"overall": Decimal("0.0")})
    none = one.model_copy(update={"overall": None, "overall_answered_only": None})
    tally = Tally()
    for candidate in (silent, poor, none):
        tally.add(Entry(candidate, None, {}))
    assert tally.overalls == {NOTHING_ANSWERED: 1, Decimal("0.0"): 1, NOT_SCORED: 1}


def test_no_two_kinds_of_end_differ_by_colour_alone() -> None:
    ends = [(str(place), status) for place, status in enumerate(STATUSES)]
    cells = strip(ends, "zh").cells
    looks = {(cell.kind, cell.sign) for cell in cells}
    assert len({kind for kind, _ in looks}) == 6
    filled = {cell.kind for cell in cells if cell.sign == ""}
    assert filled == {"scored", "blank"}  # one is filled, the other is dashed


def test_a_long_interview_wraps() -> None:
    made = strip([(str(place), "scored") for place in range(30)], "en")
    assert (made.width, made.height) == (312, 78)
    assert [count for _, _, count in made.legend] == [30]


@pytest.mark.parametrize(
    ("count", "shown"),
    [
        (0, ""),
        (7, "7"),
        (999, "999"),
        (1000, "1k"),
        (1151, "1.2k"),
        (9949, "9.9k"),
        (40_000, "40k"),
    ],
)
def test_a_count_over_a_column_is_short(count: int, shown: str) -> None:
    assert histogram("t", {Decimal(1): count}, (0, 5), "en").columns[2].shown == shown
