"""A run folder as results: read back, summed up, and written out as tables and report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pipeline.errors import ConfigError, StopRun
from pipeline.journal import Journal, read_run
from pipeline.manifest import Manifest, finish_manifest, read_manifest, write_manifest
from pipeline.records import FAILED, Candidate, Interview, Outcome, Rubric
from pipeline.scoring import grade_candidate

if TYPE_CHECKING:
    import pandas as pd

    from pipeline.table import Tables


@dataclass(frozen=True)
class Run:
    """A finished or stopped run. The frames are those of the files in its folder."""

    folder: Path
    manifest: Mapping[str, Any]
    interviews: Sequence[Interview]
    outcomes: Mapping[str, Outcome]
    ranking: Sequence[Candidate]
    tables: Tables

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
        statuses = [outcome.status for outcome in self.outcomes.values()]
        failed = sum(status in FAILED for status in statuses)
        sent = failed + statuses.count("scored")
        return failed / sent if sent else 0.0


def read_results(folder: Path, rubric: Rubric) -> Run:
    """The results that lie in a run folder. Raises ConfigError where it is none."""
    # pandas takes longest of all to import, and parsing or planning does not need it.
    from pipeline.table import build_tables

    manifest = read_manifest(folder)
    if manifest is None:
        raise ConfigError(f"{folder}: not a run folder: it has no manifest.json.")
    interviews, outcomes = read_run(folder)
    ranking = [grade_candidate(interview, outcomes, rubric) for interview in interviews]
    tables = build_tables(interviews, outcomes, ranking, rubric.keys)
    return Run(folder, manifest, interviews, outcomes, ranking, tables)


def sum_up(
    folder: Path, manifest: Manifest, rubric: Rubric, journal: Journal, seconds: float = 0.0
) -> Run:
    """Sum up what the folder holds by now, and write manifest, tables and report.

    Raises StopRun where they cannot be written; the journal is whole all the same.
    """
    run = read_results(folder, rubric)
    manifest = finish_manifest(
        manifest,
        run.interviews,
        run.outcomes,
        wall_seconds=seconds,
        journal={"lines": journal.lines, "head": journal.head},
    )
    if journal.erased or "erased" in manifest:
        manifest["erased"] = len(journal.erased)
    try:
        write_manifest(folder, manifest)
        write_results(run, rubric, manifest)
    except OSError as error:
        raise StopRun(
            f"{folder}: tables and report cannot be written ({error.strerror}). All grades are in "
            "the journal: mend that and give the same command again."
        ) from None
    return replace(run, manifest=manifest)


def write_results(run: Run, rubric: Rubric, manifest: Manifest) -> None:
    """Write the tables and the report into the run folder."""
    from pipeline.report import write_report
    from pipeline.table import write_tables

    write_tables(run.tables, run.folder)
    write_report(
        run.folder / "report.html",
        interviews=run.interviews,
        outcomes=run.outcomes,
        candidates=run.ranking,
        rubric=rubric,
        manifest=manifest,
    )
