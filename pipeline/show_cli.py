"""The command `grader show`: a run again, its queue, or one candidate for one kind of reader."""

from __future__ import annotations

import json
from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.console import Console

from pipeline.config import prompt_set_folder
from pipeline.errors import ConfigError
from pipeline.person_screen import copy_lines, person_lines
from pipeline.prompt import load_prompts
from pipeline.records import Rubric
from pipeline.results import Run, check_rubric, queue_of, read_results
from pipeline.screen import run_summary, show_lines, show_queue, show_run

if TYPE_CHECKING:
    from pipeline.report import Entry

ForReader = Annotated[
    Literal["recruiter", "reviewer", "candidate"] | None,
    typer.Option("--for", help="Who reads it.", show_default="recruiter; candidate with --html"),
]


def show_command(
    run: Annotated[Path, typer.Argument(help="Run folder.")],
    verify: Annotated[bool, typer.Option("--verify", help="Check the journal's chain.")] = False,
    queue: Annotated[
        bool, typer.Option("--queue", help="What a person should look at first.")
    ] = False,
    candidate: Annotated[
        str | None, typer.Option(help="One candidate: the interview's id, or the name.")
    ] = None,
    reader: ForReader = None,
    html: Annotated[
        Path | None, typer.Option(help="Write the candidate's page to this file.")
    ] = None,
    copies: Annotated[
        bool, typer.Option("--copies", help="Write every candidate's own copy into the run folder.")
    ] = False,
    prompts: Annotated[
        Path | None,
        typer.Option("--prompts", help="Folder of a prompt set.", show_default="interview"),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Summary on standard output.")] = False,
) -> None:
    """Show a run again, its review queue, or one candidate.

    With --candidate: the recruiter's page, the reviewer's evidence (--for reviewer), or what the
    candidate may be given (--for candidate); --html FILE writes it as a page. --verify checks
    that nothing in the run's journal was changed.
    """
    if verify:
        verify_run(run)
        return
    if candidate is None and (reader or html):
        raise ConfigError("--for and --html are about one candidate: name it with --candidate.")
    if candidate is not None and as_json:
        raise ConfigError("--json goes with the run or its queue; grades.csv has the rest.")
    prompt_set = load_prompts(prompts or prompt_set_folder())
    results = read_results(run, prompt_set.rubric)
    rubric = results.rubric
    if candidate is None and not copies:
        show_all(results, rubric, queue=queue, as_json=as_json)
        return
    check_rubric(run, dict(results.manifest), prompt_set)
    if candidate is not None:
        show_person(results, rubric, entry_named(results, candidate), reader, html)
    else:
        typer.echo(f"{write_copies(results, rubric)} copies in {run / 'candidates'}")


def show_all(run: Run, rubric: Rubric, *, queue: bool, as_json: bool) -> None:
    """The run's summary, or its review queue."""
    if queue:
        show_queue(Console(highlight=False), queue_of(run, rubric), as_json=as_json)
    elif as_json:
        typer.echo(json.dumps(run_summary(run), ensure_ascii=False))
    else:
        show_run(Console(highlight=False), run)


def show_person(
    run: Run,
    rubric: Rubric,
    entry: Entry,
    reader: Literal["recruiter", "reviewer", "candidate"] | None,
    html: Path | None,
) -> None:
    """One candidate on the terminal, or as a page."""
    from pipeline.report import copy_view, person_view, places_of, write_page

    queue = places_of(queue_of(run, rubric))
    reader = reader or ("recruiter" if html is None else "candidate")
    if html is not None:
        write_page(
            html,
            reader,
            entry,
            rubric=rubric,
            manifest=run.manifest,
            reviews=run.reviews,
            queue=queue,
        )
        typer.echo(f"Page for the {reader}: {html}")
    elif reader == "candidate":
        copy = copy_view(entry, rubric, run.manifest, run.reviews)
        show_lines(Console(highlight=False), copy_lines(copy, rubric))
    else:
        view = person_view(entry, 1, rubric, {}, queue, run.reviews)
        evidence = reader == "reviewer"
        lines = person_lines(view, rubric, run.reviews, queue, evidence=evidence)
        show_lines(Console(highlight=False), lines)


def write_copies(run: Run, rubric: Rubric) -> int:
    """Write every candidate's own copy into the run folder; how many there are."""
    from pipeline.report import copy_path, write_page

    for entry in entries_of(run):
        write_page(
            copy_path(run.folder, entry.candidate.interview_id),
            "candidate",
            entry,
            rubric=rubric,
            manifest=run.manifest,
            reviews=run.reviews,
            queue={},
        )
    return len(run.ranking)


def entries_of(run: Run) -> Iterator[Entry]:
    """The candidates of a run with their texts, one at a time."""
    from pipeline.report import Entry

    for one, (interview, outcomes) in zip(run.ranking, run.ended, strict=True):
        yield Entry(one, interview, outcomes)


def entry_named(run: Run, wanted: str) -> Entry:
    """The one candidate with that interview id, or else that name. Raises ConfigError."""
    found, named = None, []
    for entry in entries_of(run):
        if entry.candidate.interview_id == wanted:
            return entry
        if entry.interview is not None and entry.interview.candidate == wanted:
            found = entry
            named.append(entry.candidate.interview_id)
    if found is not None and len(named) == 1:
        return found
    if named:
        raise ConfigError(f"{len(named)} interviews have that name: {', '.join(named)}.")
    ids = [one.interview_id for one in run.ranking]
    near = get_close_matches(wanted, ids, n=5, cutoff=0.5)
    hint = f"Near: {', '.join(near)}. " if near else ""
    raise ConfigError(f"the run has no candidate {wanted!r}. {hint}All ids are in candidates.csv.")


def verify_run(folder: Path) -> None:
    """Print whether the chain is whole. Raises typer.Exit(1) where it is not."""
    from pipeline.verify import verify, words_gone

    faults, lines = verify(folder)
    for fault in faults:
        typer.echo(fault)
    if faults:
        raise typer.Exit(1)
    if gone := words_gone(folder):
        typer.echo(gone)
    typer.echo(f"{folder}: {lines} journal lines, the chain is whole.")
