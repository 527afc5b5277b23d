"""A run folder as results: read back, summed up, and written out as tables and report."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pipeline.calibration import calibrated_scores
from pipeline.errors import ConfigError, StopRun
from pipeline.journal import Journal, read_chain
from pipeline.manifest import Manifest, finish_manifest, read_manifest, write_manifest
from pipeline.prompt import PromptSet
from pipeline.records import FAILED, Candidate, Interview, Outcome, Rubric
from pipeline.review import QueueEntry
from pipeline.review_sheet import BLIND_NAME, OPEN_NAME, pending, write_sheet
from pipeline.reviews import Review, read_reviews
from pipeline.run_reader import Ended, RunReader
from pipeline.summary import UNCERTAIN as UNCERTAIN
from pipeline.summary import UNMEASURED as UNMEASURED
from pipeline.summary import Summary, summarise

if TYPE_CHECKING:
    import pandas as pd

    from pipeline.table import Tables

PART = 2_000
"""Items that are written as one part of the tables."""


@dataclass(frozen=True)
class Run:
    """A finished or stopped run. What the files in its folder hold is read when it is asked for."""

    folder: Path
    manifest: Mapping[str, Any]
    rubric: Rubric
    ended: Iterable[Ended]
    """Its interviews by id, each with how its items ended; can be gone through again."""
    summary: Summary

    @property
    def ranking(self) -> Sequence[Candidate]:
        """The candidates by interview id."""
        return self.summary.ranking

    @property
    def reviews(self) -> Mapping[str, Review]:
        """By item id, the decision of a reviewer that counts."""
        return self.summary.reviews

    @cached_property
    def interviews(self) -> Sequence[Interview]:
        """All interviews by id."""
        return [interview for interview, _ in self.ended]

    @cached_property
    def outcomes(self) -> Mapping[str, Outcome]:
        """By item id, how it ended."""
        return {name: one for _, outcomes in self.ended for name, one in outcomes.items()}

    @cached_property
    def tables(self) -> Tables:
        """The three tables in memory, as in the files."""
        return tables_of(self, list(zip(self.ended, self.ranking, strict=True)))

    @property
    def grades(self) -> pd.DataFrame:
        """One row per item."""
        return self.tables.grades

    @property
    def criteria(self) -> pd.DataFrame:
        """One row per item and criterion."""
        return self.tables.criteria

    @property
    def candidates(self) -> pd.DataFrame:
        """One row per interview."""
        return self.tables.candidates

    @property
    def ungraded_share(self) -> float:
        """Failed items among those sent to the endpoint; 0.0 where none was sent."""
        counts = self.summary.totals.status
        failed = sum(counts[status] for status in FAILED)
        sent = failed + counts["scored"]
        return failed / sent if sent else 0.0


def read_results(folder: Path, rubric: Rubric) -> Run:
    """The results that lie in a run folder, by the weights that the run was graded with.

    Raises ConfigError where it is none.
    """
    manifest = read_manifest(folder)
    if manifest is None:
        raise ConfigError(f"{folder}: not a run folder: it has no manifest.json.")
    rubric = rubric.model_copy(update={"profile": manifest.get("weights", "type")})
    reader = RunReader(folder)
    decided = read_reviews(folder) if reader.has_reviews else {}
    ended = reader.at_hand()
    embedded = str(manifest.get("endpoint", "")).startswith("embedded")
    why = (UNCERTAIN if manifest.get("measured") else UNMEASURED) if embedded else ""
    return Run(folder, manifest, rubric, ended, summarise(ended, rubric, decided, hold_back=why))


def tables_of(run: Run, part: Sequence[tuple[Ended, Candidate]]) -> Tables:
    """The tables of some of the interviews."""
    # pandas takes longest of all to import, and parsing or planning does not need it.
    from pipeline.table import build_tables

    interviews = [interview for (interview, _), _ in part]
    outcomes = {name: one for (_, own), _ in part for name, one in own.items()}
    rubric, bent = run.rubric, run.manifest.get("calibration")
    scores = calibrated_scores(bent, interviews, outcomes, rubric, run.folder) if bent else None
    candidates = [candidate for _, candidate in part]
    return build_tables(interviews, outcomes, candidates, rubric.keys, run.reviews, scores)


def parts_of(run: Run) -> Iterator[list[tuple[Ended, Candidate]]]:
    """The run in parts of about `PART` items; one part at least."""
    part: list[tuple[Ended, Candidate]] = []
    items, given = 0, False
    for one, candidate in zip(run.ended, run.ranking, strict=True):
        part.append((one, candidate))
        items += len(one.interview.items)
        if items >= PART:
            yield part
            part, items, given = [], 0, True
    if part or not given:
        yield part


def check_rubric(folder: Path, manifest: Manifest, prompts: PromptSet) -> None:
    """Raise ConfigError where a run was graded by other criteria than outputs would be built by."""
    graded = {
        part["key"]
        for _, entry in read_chain(folder / "journal.jsonl")
        for part in (entry.get("outcome", {}).get("grade") or {}).get("criteria", ())
    }
    if not graded <= set(prompts.rubric.keys):
        raise ConfigError(
            f"{folder}: graded with the prompt set {manifest.get('prompt_version')}, which has "
            f"other criteria than {prompts.version}: name it with --prompts. Nothing was changed."
        )


def queue_of(run: Run, rubric: Rubric) -> list[QueueEntry]:
    """The items of a run that ask for a look."""
    return list(run.summary.queue)


def write_review_sheet(run: Run, rubric: Rubric, *, blind: bool = False) -> Path:
    """The review sheet of a run, in its folder; what was filled in there stays."""
    path = run.folder / (BLIND_NAME if blind else OPEN_NAME)
    named = {row.cells["item"] for row in pending(path, run.reviews)}
    if blind:
        named |= {entry.item_id for entry in run.summary.queue}
    items = {
        item.item_id: item
        for interview, _ in (run.ended if named else ())
        for item in interview.items
        if item.item_id in named
    }
    write_sheet(path, run.summary.queue, items, run.reviews, blind=blind)
    return path


def sum_up(
    folder: Path, manifest: Manifest, rubric: Rubric, journal: Journal, seconds: float = 0.0
) -> Run:
    """Sum up what the folder holds by now, and write manifest, tables and report.

    Raises StopRun where they cannot be written; the journal is whole all the same.
    """
    run = read_results(folder, rubric)
    manifest = finish_manifest(
        manifest,
        run.summary.totals,
        wall_seconds=seconds,
        journal={"lines": journal.lines, "head": journal.head},
    )
    if journal.erased or "erased" in manifest:
        manifest["erased"] = len(journal.erased)
    manifest.pop("left_out", None)
    if left_out := files_left_out(run):
        manifest["left_out"] = left_out
    run = replace(run, manifest=manifest)
    try:
        journal.sync()
        write_manifest(folder, manifest)
        write_results(run)
    except OSError as error:
        raise StopRun(
            f"{folder}: tables and report cannot be written ({error.strerror}). All grades are in "
            "the journal: mend that and give the same command again."
        ) from None
    return run


def files_left_out(run: Run) -> list[str]:
    """The files that are not written, and why, in words."""
    from pipeline.table import files

    rows = run.summary.totals.status.total() * len(run.rubric.keys)
    if rows <= files.MOST_SHEET_ROWS:
        return []
    return [
        f"{files.WORKBOOK}: a sheet would have {rows:,} rows, more than {files.MOST_SHEET_ROWS:,}; "
        "grades.csv and the Parquet files have them all."
    ]


def write_results(run: Run) -> None:
    """Write tables, report and review sheet into the run folder."""
    from pipeline.report import Entry, write_report
    from pipeline.table import open_tables

    with open_tables(run.folder, workbook="left_out" not in run.manifest) as add:
        for part in parts_of(run):
            add(tables_of(run, part))
    write_review_sheet(run, run.rubric)
    if (run.folder / BLIND_NAME).exists():
        write_review_sheet(run, run.rubric, blind=True)
    write_report(
        run.folder / "report.html",
        (
            Entry(one, interview, outcomes)
            for one, (interview, outcomes) in zip(run.ranking, run.ended, strict=True)
        ),
        rubric=run.rubric,
        manifest=run.manifest,
        reviews=run.reviews,
        queue=run.summary.queue,
    )
