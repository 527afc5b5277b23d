"""A run folder as results: read back, summed up, and written out as tables and report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pipeline.calibration import calibrated_scores
from pipeline.errors import ConfigError, StopRun
from pipeline.journal import Journal, read_chain, read_run
from pipeline.manifest import Manifest, finish_manifest, read_manifest, write_manifest
from pipeline.prompt import PromptSet
from pipeline.records import FAILED, Candidate, Interview, Outcome, Rubric
from pipeline.review import QueueEntry, review_queue
from pipeline.review_sheet import BLIND_NAME, OPEN_NAME, write_sheet
from pipeline.reviewed import review_candidate
from pipeline.reviews import Review, read_reviews
from pipeline.weights import with_both_orders

if TYPE_CHECKING:
    import pandas as pd

    from pipeline.table import Tables

UNMEASURED = "the embedded model's agreement with people is not measured"


@dataclass(frozen=True)
class Run:
    """A finished or stopped run. The frames are those of the files in its folder."""

    folder: Path
    manifest: Mapping[str, Any]
    interviews: Sequence[Interview]
    outcomes: Mapping[str, Outcome]
    ranking: Sequence[Candidate]
    tables: Tables
    reviews: Mapping[str, Review] = field(default_factory=dict)
    """By item id, the decision of a reviewer that counts."""

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
    decided = read_reviews(folder)
    reviews = {name: review for name, review in decided.items() if name in outcomes}
    found = [review_candidate(one, outcomes, reviews, rubric) for one in interviews]
    ranking = with_both_orders(found, interviews, outcomes, rubric)
    if str(manifest.get("endpoint", "")).startswith("embedded"):
        open_items = {o.interview_id for o in outcomes.values() if is_unreviewed(o, reviews)}
        ranking = [held_back(one) if one.interview_id in open_items else one for one in ranking]
    bent = manifest.get("calibration")
    calibrated = calibrated_scores(bent, interviews, outcomes, rubric, folder) if bent else None
    tables = build_tables(interviews, outcomes, ranking, rubric.keys, reviews, calibrated)
    return Run(folder, manifest, interviews, outcomes, ranking, tables, reviews)


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
    return review_queue(run.interviews, run.outcomes, run.ranking, rubric, run.reviews)


def write_review_sheet(run: Run, rubric: Rubric, *, blind: bool = False) -> Path:
    """The review sheet of a run, in its folder; what was filled in there stays."""
    path = run.folder / (BLIND_NAME if blind else OPEN_NAME)
    items = {item.item_id: item for interview in run.interviews for item in interview.items}
    write_sheet(path, queue_of(run, rubric), items, run.reviews, blind=blind)
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
    """Write tables, report and review sheet into the run folder."""
    from pipeline.report import Entry, write_report
    from pipeline.table import write_tables

    write_tables(run.tables, run.folder)
    write_review_sheet(run, rubric)
    if (run.folder / BLIND_NAME).exists():
        write_review_sheet(run, rubric, blind=True)
    texts = {interview.id: interview for interview in run.interviews}
    write_report(
        run.folder / "report.html",
        (Entry(one, texts.get(one.interview_id), run.outcomes) for one in run.ranking),
        rubric=rubric,
        manifest=manifest,
        reviews=run.reviews,
        queue=queue_of(run, rubric),
    )


def is_unreviewed(outcome: Outcome, reviews: Mapping[str, Review]) -> bool:
    """Whether a score stands on the model alone."""
    return outcome.status == "scored" and outcome.item_id not in reviews


def held_back(candidate: Candidate) -> Candidate:
    """The candidate without a recommendation: nobody knows what this model's scores are worth."""
    reasons = (UNMEASURED, *candidate.reasons)
    return candidate.model_copy(update={"recommendation": "NO_DECISION", "reasons": reasons})
