"""A filled-in review sheet -> decisions in the journal. All rows are right, or none is taken in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path

from pipeline.errors import ConfigError
from pipeline.flags import blocking
from pipeline.journal import open_journal
from pipeline.manifest import now, read_manifest
from pipeline.prompt import PromptSet
from pipeline.records import COUNTED, Outcome
from pipeline.results import check_rubric, read_results, sum_up
from pipeline.review_rows import SheetRow, flag_names, read_sheet, taken_in
from pipeline.reviews import Review, add_review, outcome_lines
from pipeline.table.numbers import fixed

SCORELESS = frozenset({"missing", "not_run"})


@dataclass(frozen=True)
class Applied:
    """What became of a sheet."""

    changed: int
    """Decisions with another overall than the grader's."""
    confirmed: int
    """Decisions with the same overall."""
    known: int
    """Rows that had been taken in before."""


class RowFault(Exception):
    """What is wrong with one row, in plain words."""


def apply_sheet(folder: Path, sheet: Path, prompts: PromptSet) -> Applied:
    """Take the decisions of a sheet into a run, and write its outputs anew. Raises ConfigError."""
    manifest = read_manifest(folder)
    if manifest is None:
        raise ConfigError(f"{folder}: not a run folder: it has no manifest.json.")
    filled = [row for row in read_sheet(sheet) if row.is_filled]
    # A journal that lost lines must not be noted as whole.
    with open_journal(folder, noted=manifest.get("journal", {}).get("lines", 0)) as journal:
        check_rubric(folder, manifest, prompts)
        run = read_results(folder, prompts.rubric)
        rows = [row for row in filled if not taken_in(row, run.reviews.get(row.cells["item"]))]
        lines = outcome_lines(folder)
        reviews = decisions(sheet, rows, run.outcomes, lines, prompts.rubric.scale)
        for review in reviews:
            add_review(journal, review)
        sum_up(folder, manifest, prompts.rubric, journal)
    changed = sum(review.changes for review in reviews)
    return Applied(changed, len(reviews) - changed, len(filled) - len(rows))


def decisions(
    sheet: Path,
    rows: list[SheetRow],
    outcomes: Mapping[str, Outcome],
    lines: Mapping[str, int],
    scale: tuple[int, int],
) -> list[Review]:
    """The decisions of the rows. Raises ConfigError that lists every fault by line."""
    reviews, faults = [], []
    counts, when = Counter(row.cells["item"] for row in rows), now()
    for row in rows:
        name = row.cells["item"]
        try:
            if counts[name] > 1:
                raise RowFault("the item stands twice")
            if name not in outcomes:
                raise RowFault(f"the run has no graded item {name!r}")
            reviews.append(_review(row, outcomes[name], lines[name], scale, when))
        except RowFault as fault:
            faults.append(f"{sheet}, line {row.line}: {fault}.")
    if faults:
        raise ConfigError("\n".join((*faults, "No decision was taken in.")))
    return reviews


def _review(
    row: SheetRow, outcome: Outcome, line: int, scale: tuple[int, int], when: str
) -> Review:
    before = outcome.grade.overall if outcome.grade and outcome.status in COUNTED else None
    if outcome.status in SCORELESS:
        raise RowFault(f"the item has no answer to decide on ({outcome.status})")
    if not row.cells["reviewer"]:
        raise RowFault("reviewer is empty: who decided?")
    if not row.blind and row.cells["overall"] != ("" if before is None else fixed(before, 1)):
        raise RowFault("the item was graded anew after this sheet was written; write a new one")
    after = _decided(row, before, scale)
    cleared = _cleared(row.cells["clear_flags"], outcome)
    if not row.cells["why"] and (after != before or cleared or row.blind):
        raise RowFault("why is empty: a change, a cleared flag or a blind decision needs a reason")
    return Review(
        item_id=outcome.item_id,
        interview_id=outcome.interview_id,
        of_line=line,
        reviewer=row.cells["reviewer"],
        when=when,
        before=before,
        after=after,
        cleared_flags=cleared,
        blind=row.blind,
        why=row.cells["why"],
    )


def _decided(row: SheetRow, before: Decimal | None, scale: tuple[int, int]) -> Decimal:
    text, (least, most) = row.cells["decision_overall"], scale
    if not text and before is not None and not row.blind:
        return before
    try:
        decided = Decimal(text)
    except InvalidOperation:
        raise RowFault("decision_overall is no number") from None
    if not decided.is_finite() or not least <= decided <= most or decided != round(decided, 1):
        raise RowFault(f"decision_overall is from {least} to {most}, with one decimal at most")
    return decided if decided != before else before


def _cleared(text: str, outcome: Outcome) -> tuple[str, ...]:
    """`all`, or names of flags of this outcome."""
    names = flag_names(text)
    if names == ("all",):
        return blocking(outcome.flags)
    if strange := [name for name in names if name not in outcome.flags]:
        raise RowFault(f"clear_flags names what the item does not carry: {', '.join(strange)}")
    return names
