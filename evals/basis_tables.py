"""What the figures of `grader eval` rest on, as tables."""

from __future__ import annotations

from evals.measure import Agreement
from evals.risk import area_under, choose_doubt
from evals.sections import KIND_WORDS, Section, number
from evals.thresholds import Thresholds


def titled(result: Agreement, title: str) -> str:
    """The title with the kind of raters, which every heading names."""
    return f"{title} ({KIND_WORDS[str(result.facts['kind'])]})"


def risk_section(result: Agreement) -> Section:
    """Which share could be left to the grader, by doubt."""
    rows = [
        (number(row["doubt"], 1), f"{row['coverage']:.0%}", f"{row['n']:.0f}",
         number(row["mae"]), number(row["adjacent"]), number(row["qwk"]))
        for _, row in result.risk.iterrows()
    ]  # fmt: skip
    return Section(
        title=titled(result, "Risk and coverage"),
        header=("doubt up to", "share of answers", "n", "MAE", "adjacent", "QWK"),
        rows=tuple(rows),
        note=f"Error averaged over coverage (AURC): {number(area_under(result.risk))}. "
        f"{chosen_doubt(result)} Doubt is the priority in `grader show RUN --queue`: a person "
        "reads what is above. Choose it on dev, then hold test to it with --max-doubt.",
    )


def chosen_doubt(result: Agreement) -> str:
    """Up to which doubt the grader may be left alone here, by the rule on adjacent."""
    limits = result.limits
    required = limits.adjacent or Thresholds().adjacent or 0.95
    doubt = choose_doubt(result.risk, adjacent=required, min_items=limits.min_items)
    if doubt is None:
        return f"No doubt leaves {required:.0%} within a point on {limits.min_items} answers."
    share = result.risk.loc[result.risk["doubt"] == doubt, "coverage"].iloc[0]
    return f"Up to doubt {doubt:g} ({share:.0%} of the answers) {required:.0%} are within a point."


def coverage_section(result: Agreement) -> Section:
    """How the labelled answers ended in the run."""
    rows = [(str(status), str(count)) for status, count in result.coverage.items()]
    return Section(
        title="Labelled answers by status in the run",
        header=("status", "answers"),
        rows=tuple(rows),
        note="Figures of agreement are about `scored` answers only.",
    )


def blanks_section(result: Agreement) -> Section:
    """What was scored 0 without a call, kept out of all figures."""
    rows = [
        (row["status"], str(row["items"]), str(row["labelled"]), number(row["mean_label"]),
         str(row["labels_above_0"]))
        for _, row in result.blanks.iterrows()
        if row["items"]
    ]  # fmt: skip
    header = ("status", "items", "labelled", "mean label", "labels above the lowest point")
    return Section(title="Blank and copied answers, apart", header=header, rows=tuple(rows))


def reasons_section(result: Agreement) -> Section:
    """Every reason why a figure is undefined or has no interval, with how often it applies."""
    frame = result.figures
    missing = frame[(frame["why"] != "") & (frame["metric"] != "alpha")]
    counts = missing.groupby("why", sort=True).agg(
        figures=("metric", "size"), undefined=("value", lambda values: int(values.isna().sum()))
    )
    rows = [
        (str(why), str(row["figures"]), str(row["undefined"])) for why, row in counts.iterrows()
    ]
    header = ("reason", "figures", "of these undefined")
    return Section(title="Undefined, or without an interval", header=header, rows=tuple(rows))
