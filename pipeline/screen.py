"""What the command line shows: progress while a run lasts, a table at its end."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, TaskID, TextColumn
from rich.progress import Progress as Bar
from rich.table import Table

from pipeline.answered import answered_note, other_models
from pipeline.endpoint.base import EndpointInfo
from pipeline.measured import statement
from pipeline.notes import NOT_ASKED, were_asked_for
from pipeline.plan import Plan
from pipeline.records import FAILED, Candidate, Interview
from pipeline.results import UNCERTAIN, UNMEASURED, Run
from pipeline.review import QueueEntry
from pipeline.visible import on_one_line, plain
from pipeline.weights import told
from pipeline.workers import Progress

if TYPE_CHECKING:
    from pipeline.endpoint.profile import Finding, Profile
    from pipeline.prompt import PromptSet

EVERY = 10.0
"""Seconds between plain progress lines where there is no terminal."""


class Screen:
    """Where a run's progress goes: a bar on a terminal, plain lines elsewhere.

    Quiet leaves out what goes well; warnings and inputs that are skipped are said all the same.
    """

    def __init__(self, *, quiet: bool = False) -> None:
        self.console = Console(stderr=True, highlight=False, soft_wrap=True)
        self._quiet = quiet
        self._bar: Bar | None = None
        self._task = TaskID(0)
        self._last = 0.0

    def say(self, text: str) -> None:
        """One line that a user has to know of."""
        self.console.print(escape(plain(text)))

    def note(self, text: str) -> None:
        """One line of text, unless quiet."""
        if not self._quiet:
            self.say(text)

    def update(self, progress: Progress) -> None:
        """Show how far the run is."""
        if self._quiet:
            return
        if self.console.is_terminal:
            self._draw(progress)
        elif progress.done == progress.total or time.monotonic() - self._last >= EVERY:
            self._last = time.monotonic()
            self.console.print(escape(progress_line(progress)))

    def close(self) -> None:
        """Leave the bar as it is."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def _draw(self, progress: Progress) -> None:
        if self._bar is None:
            columns = (BarColumn(30), TextColumn("{task.description}", markup=False))
            self._bar = Bar(*columns, console=self.console)
            self._task = self._bar.add_task("", total=progress.total)
            self._bar.start()
        self._bar.update(self._task, completed=progress.done, description=progress_line(progress))


def progress_line(progress: Progress) -> str:
    """Items, failures, rate, time left and tokens on one line."""
    failed = sum(progress.status[status] for status in FAILED)
    parts = [f"{progress.done}/{progress.total} items"]
    if failed:
        parts.append(f"{failed} failed")
    if progress.rate:
        parts.append(f"{60 * progress.rate:.1f} calls/min")
    if progress.eta is not None:
        parts.append(f"{duration(progress.eta)} left")
    parts.append(f"{progress.input_tokens:,} + {progress.output_tokens:,} tokens")
    if progress.cached:
        parts.append(f"{progress.cached} from cache")
    if progress.spent_usd is not None:
        parts.append(f"{progress.spent_usd:.4f} USD")
    return " · ".join(parts)


def duration(seconds: float) -> str:
    """`75` as `1:15`."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def announcement(info: EndpointInfo, plan: Plan, *, redacted: bool = False) -> str:
    """The line before the first call: where texts go, to which model, how many, and redaction."""
    where = {
        "embedded": f"{info.model} on this machine ({chosen_by(info)})",
        "url": f"{info.model} at {info.host}",
        "function": info.model,
    }[info.kind]
    return (
        f"Grading {len(plan.to_call)} items with {where}; {len(plan.gated)} need no call; "
        f"scores: {info.score_mode}; redaction: {'on' if redacted else 'off'}."
    )


def chosen_by(info: EndpointInfo) -> str:
    """Why the embedded endpoint was taken."""
    return "the file that was named" if info.named else "no key or base URL is set"


def why_unfitted(info: EndpointInfo, prompts: PromptSet) -> str:
    """What to know where a model file is graded with that no scorer is fitted to; else ""."""
    if not info.named or prompts.scorer is not None:
        return ""
    return (
        f"No scorer is fitted to {info.model}: it grades with the prompt set {prompts.name}, by "
        "the probabilities that it gives to each point. How far that agrees with anybody is not "
        "measured. `grader fit ANSWERS --labels labels.csv --model-file FILE` fits a scorer to 30 "
        "labelled answers or more and measures it; from then on it is taken."
    )


def summary_table(candidates: Sequence[Candidate]) -> Table:
    """One line per interview."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("interview", no_wrap=True, overflow="ellipsis")
    for name in ("asked", "answered", "graded", "coverage", "overall"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("advice", no_wrap=True)
    for one in candidates:
        table.add_row(
            escape(shortened(one.interview_id)),
            str(one.asked),
            str(one.answered),
            str(one.graded),
            "" if one.coverage is None else f"{one.coverage:.0%}",
            "" if one.overall is None else str(one.overall),
            one.recommendation,
        )
    return table


def shortened(text: str, longest: int = 60) -> str:
    """On one line, its end left out where it is long: ids come from outside."""
    return on_one_line(text, longest)


def show_lines(console: Console, lines: Iterable[str]) -> None:
    """Lines as they are."""
    for line in lines:
        console.print(line, markup=False, soft_wrap=True)


def status_line(run: Run) -> str:
    """Counts by status, in words."""
    counts = run.manifest.get("status", {})
    listed = ", ".join(f"{count} {status}" for status, count in counts.items())
    erased = run.manifest.get("erased", 0)
    gone = f" {erased} interview{'s' * (erased != 1)} erased." if erased else ""
    return f"{run.manifest.get('items', 0)} items: {listed}.{gone}"


def calibration_note(manifest: Mapping[str, Any]) -> str:
    """What the calibrated columns are worth, or why there are none though the set has a file."""
    if calibration := manifest.get("calibration"):
        return f"Calibrated columns beside the raw scores: {calibration.get('measured', '')}"
    reason = manifest.get("calibration_left_out")
    return f"No calibrated columns: {reason}." if reason else ""


def held_lines(run: Run) -> list[str]:
    """Why there is no recommendation."""
    held = [why for why in (UNMEASURED, UNCERTAIN) if any(why in r.reasons for r in run.ranking)]
    return [f"No recommendations: {why}." for why in held]


def show_run(console: Console, run: Run, shown: int = 30) -> None:
    """The small table at the end, and where everything lies."""
    console.print(summary_table(run.ranking[:shown]))
    if len(run.ranking) > shown:
        console.print(f"... and {len(run.ranking) - shown} more in candidates.csv")
    show_lines(console, held_lines(run))
    for one in run.ranking[:shown]:
        for contradiction in one.contradictions:
            console.print(escape(plain(f"{one.interview_id}: {contradiction}")), soft_wrap=True)
    if order := told(run.ranking):
        console.print(escape(order), soft_wrap=True)
    console.print(escape(status_line(run)))
    if note := answered_note(run.manifest):
        console.print(escape(plain(note)), soft_wrap=True)
    if note := calibration_note(run.manifest):
        console.print(escape(note), soft_wrap=True)
    show_lines(console, [statement(run.manifest)])
    if not were_asked_for(run.manifest):
        show_lines(console, [NOT_ASKED[0]])
    console.print(f"Report: {escape(str(run.folder / 'report.html'))}", soft_wrap=True)


def show_findings(console: Console, findings: Sequence[Finding]) -> None:
    """What the doctor found, and what follows from it."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("tried", "works", "seen", "for grading"):
        table.add_column(name, overflow="fold")
    for one in findings:
        works = {True: "yes", False: "no", None: "?"}[one.works]
        table.add_row(escape(one.name), works, escape(one.seen), escape(one.means))
    console.print(table)


def show_profile(console: Console, profile: Profile, path: Path) -> None:
    """What the doctor found at an address, what follows from it, and where it is kept."""
    form = profile.form
    console.print(f"{escape(profile.model)} at {escape(profile.host)}")
    show_findings(console, profile.findings)
    left_out = f"; without {', '.join(form.dropped)}" if form.dropped else ""
    console.print(f"`grader grade` will ask for replies as {form.reply}{left_out}.")
    console.print(f"Profile: {escape(str(path))}", soft_wrap=True)


def show_queue(console: Console, queue: Sequence[QueueEntry], *, as_json: bool = False) -> None:
    """The items that ask for a look, most urgent first."""
    if as_json:
        entries = [entry.model_dump(mode="json") for entry in queue]
        console.print_json(json.dumps({"queue": entries}), ensure_ascii=False)
        return
    for entry in queue:
        overall = "no score" if entry.overall is None else f"overall {entry.overall}"
        head = f"{entry.priority:3}  {entry.item_id}  ({overall})"
        console.print(escape(plain(head)), soft_wrap=True)
        for reason in entry.reasons:
            console.print(f"     - {escape(plain(reason))}", soft_wrap=True)
    console.print(f"{len(queue)} items ask for a look. Fill in review.csv and take it in with")
    console.print("grader review apply RUN review.csv")


def show_reading(console: Console, interviews: Sequence[Interview]) -> None:
    """What was read: a heading for each interview, a line for each item."""
    for interview in interviews:
        known = [interview.language, interview.role, interview.source]
        rest = escape(plain(" · ".join(filter(None, known))))
        console.print(f"[bold]{escape(shortened(interview.id))}[/] {rest}")
        console.print(items_table(interview))
    items = sum(len(interview.items) for interview in interviews)
    console.print(f"{len(interviews)} interviews, {items} items.")


def items_table(interview: Interview) -> Table:
    """Position, number, line, question, size of the answer and flags of each item."""
    table = Table(box=None, pad_edge=False, show_header=True, header_style="dim", expand=True)
    for name in ("#", "no.", "line"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("question", ratio=1, no_wrap=True, overflow="ellipsis")
    table.add_column("answer", justify="right", no_wrap=True)
    table.add_column("flags", no_wrap=True)
    for position, item in enumerate(interview.items, start=1):
        table.add_row(
            str(position),
            "" if item.number is None else escape(plain(str(item.number))),
            "" if item.line is None else str(item.line),
            escape(" ".join(plain(item.question).split())),
            size_of_answer(item.answer),
            ", ".join(item.flags),
        )
    return table


def size_of_answer(answer: str | None) -> str:
    """`579 chars`, or that there is nothing to grade."""
    if answer is None:
        return "missing"
    return f"{len(answer):,} chars" if answer.strip() else "blank"


def run_summary(run: Run) -> dict[str, object]:
    """The run in a form for other programs."""
    return {
        "run": str(run.folder),
        "report": str(Path(run.folder) / "report.html"),
        "manifest": dict(run.manifest),
        "candidates": [candidate.model_dump(mode="json") for candidate in run.ranking],
        "ungraded_share": run.ungraded_share,
        "other_models": other_models(run.manifest),
    }
