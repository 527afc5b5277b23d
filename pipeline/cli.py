"""The command line: a thin shell over what a script calls, and the owner of exit codes."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import traceback
from contextlib import nullcontext
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from types import FrameType
from typing import Annotated, Literal

import typer
from rich.console import Console

from pipeline.cache import default_path as cache_file
from pipeline.cache import open_cache
from pipeline.config import (
    default_prompt_set,
    open_endpoint,
    open_panel,
    open_target,
    prompt_set_folder,
)
from pipeline.dry_run import dry_run as plan_run
from pipeline.dry_run import dry_run_text
from pipeline.endpoint.slots import Concurrency
from pipeline.erase_cli import erase_command
from pipeline.errors import CallError, ConfigError, GraderError, StopRun, UnreadableInputs
from pipeline.intake import read_all
from pipeline.plan import LanguageChoice, make_plan
from pipeline.prices import Budget, load_price
from pipeline.prices import default_path as price_file
from pipeline.prompt import load_prompts, weighing
from pipeline.records import Interview
from pipeline.redact import Redaction, read_terms
from pipeline.redact_items import ShownInterviews, with_hidden_points
from pipeline.results import Run
from pipeline.review_cli import review_app
from pipeline.run import grade as grade_interviews
from pipeline.run import recipe_for
from pipeline.screen import (
    Screen,
    announcement,
    run_summary,
    show_profile,
    show_reading,
    show_run,
)
from pipeline.secret import user_secret
from pipeline.show_cli import show_command
from pipeline.spool import Spool
from pipeline.streamed import are_large_tables, read_stream

INTERRUPTED = 130
INTERNAL = 70
EXPECTED = "expected"

app = typer.Typer(
    help="Grade interview answers with an LLM against a written rubric.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
model_app = typer.Typer(help="The embedded model's file.", no_args_is_help=True)
app.add_typer(model_app, name="model")
rubric_app = typer.Typer(help="The rubric of a prompt set.", no_args_is_help=True)
app.add_typer(rubric_app, name="rubric")

Paths = Annotated[
    list[str], typer.Argument(help="Files, folders or zips of interviews; - is standard input.")
]
Columns = Annotated[
    list[str] | None,
    typer.Option(
        "--map", help="Columns of a table: question=题目,answer=3 (a name or a 1-based position)."
    ),
]
EmptyCell = Annotated[
    Literal["blank", "missing"],
    typer.Option(help="Whether an empty answer cell is a blank answer or no answer at all."),
]
Strict = Annotated[
    bool, typer.Option("--strict", help="Treat every warning about an input as an error.")
]
Prompts = Annotated[
    Path | None, typer.Option("--prompts", help="Folder of a prompt set.", show_default="interview")
]
Language = Annotated[
    Literal["auto", "zh", "en"], typer.Option(help="Language of the prompt; auto follows the text.")
]


@app.command()
def grade(
    paths: Paths,
    out: Annotated[Path, typer.Option(help="Run folder; an existing run goes on.")],
    model: Annotated[str | None, typer.Option(help="Model to ask for [env: GRADER_MODEL].")] = None,
    base_url: Annotated[
        str | None, typer.Option(help="Address up to /v1 [env: OPENAI_BASE_URL].")
    ] = None,
    prompts: Prompts = None,
    concurrency: Annotated[
        str | None,
        typer.Option(help="Calls at a time; auto finds out.", show_default="2 embedded, else auto"),
    ] = None,
    limit: Annotated[
        int | None, typer.Option(min=0, help="Attempt at most so many items now.")
    ] = None,
    timeout: Annotated[
        float | None, typer.Option(min=0.1, help="Seconds for one request.", show_default="120")
    ] = None,
    language: Language = "auto",
    max_ungraded: Annotated[
        float, typer.Option(min=0, max=1, help="Share of failed items that still exits with 0.")
    ] = 0.01,
    skip_unreadable: Annotated[
        bool,
        typer.Option("--skip-unreadable", help="Grade the rest when some inputs cannot be read."),
    ] = False,
    columns: Columns = None,
    empty_cell: EmptyCell = "blank",
    strict: Strict = False,
    retry_errors: Annotated[
        bool, typer.Option("--retry-errors", help="Try failed items of the run again.")
    ] = False,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Move an existing run aside and start anew.")
    ] = False,
    seed: Annotated[int, typer.Option(help="Sampling seed sent to the endpoint.")] = 0,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show items, calls and tokens; no call.")
    ] = False,
    samples: Annotated[
        int, typer.Option(min=1, max=25, help="Verdicts for each item; their medians count.")
    ] = 1,
    judges: Annotated[
        str | None, typer.Option(help="Models a,b,c: each gives a verdict, their medians count.")
    ] = None,
    score_mode: Annotated[
        Literal["verdict", "expected"],
        typer.Option(help="expected: from log-probabilities, where `doctor` found them."),
    ] = "verdict",
    budget_usd: Annotated[
        float | None, typer.Option(min=0, help="Stop new calls at this cost; needs a price.")
    ] = None,
    budget_tokens: Annotated[
        int | None, typer.Option(min=0, help="Stop new calls at so many tokens.")
    ] = None,
    prices: Annotated[
        Path | None, typer.Option(help="Price file.", show_default="in the config folder")
    ] = None,
    no_cache: Annotated[
        bool, typer.Option("--no-cache", help="Ask again what the cache could answer.")
    ] = False,
    redact: Annotated[
        bool,
        typer.Option(
            "--redact", help="Send no names, phone numbers, addresses or ids that are found."
        ),
    ] = False,
    redact_list: Annotated[
        Path | None, typer.Option(help="Further terms not to be sent, one a line; means --redact.")
    ] = None,
    calibration: Annotated[
        str | None,
        typer.Option(
            help="File of `grader calibrate`, or off.", show_default="the prompt set's, if it fits"
        ),
    ] = None,
    no_explanations: Annotated[
        bool,
        typer.Option(
            "--no-explanations", help="Points alone, without quotes; a set with a scorer only."
        ),
    ] = False,
    weights: Annotated[
        Literal["type", "equal"] | None,
        typer.Option(help="Weights that make the overall.", show_default="the rubric's `profile`"),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress lines.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Summary on standard output.")] = False,
) -> None:
    """Grade interviews into a run folder: journal, tables and report."""
    screen, slots = Screen(quiet=quiet), read_concurrency(concurrency)
    how = InputOptions(language, skip_unreadable, strict, columns or [], empty_cell)
    interviews = read_inputs(paths, how, screen, stream=True)
    redaction = Redaction(read_terms(redact_list) if redact_list else ())
    redacted = redact or redact_list is not None
    if judges is None:
        endpoint = open_endpoint(
            model=model,
            base_url=base_url,
            timeout=timeout,
            seed=seed,
            score_mode=score_mode,
            samples=samples,
            planning=dry_run,
        )
    else:
        names = read_judges(judges, alone=model is None and samples == 1 and score_mode != EXPECTED)
        endpoint = open_panel(names, base_url=base_url, timeout=timeout, seed=seed)
        samples = len(names)
    prompt_set = weighing(load_prompts(prompts or default_prompt_set(endpoint.info)), weights)
    budget = Budget(
        price=load_price(endpoint.info.model, prices or price_file()),
        usd=None if budget_usd is None else Decimal(str(budget_usd)),
        tokens=budget_tokens,
    )
    if dry_run:
        hidden = redaction if redacted else None
        known = with_hidden_points(prompt_set, hidden)
        shown = ShownInterviews(interviews, hidden) if hidden else interviews
        recipe = recipe_for(
            endpoint, known, user_secret(), 0.0, samples, explain=not no_explanations
        )
        plan = make_plan(shown, recipe, language=language, limit=limit)
        said = plan_run(plan, recipe, endpoint.info, language, budget.price)
        print(said.model_dump_json() if as_json else dry_run_text(said, endpoint.info.kind))
        return
    try:
        with nullcontext() if no_cache else open_cache(cache_file()) as cache:
            run = grade_interviews(
                interviews,
                prompts=prompt_set,
                endpoint=endpoint,
                out=out,
                concurrency=slots,
                limit=limit,
                language=language,
                samples=samples,
                explain=not no_explanations,
                retry_errors=retry_errors,
                fresh=fresh,
                cache=cache,
                budget=budget,
                redaction=redaction if redacted else None,
                calibration=calibration,
                on_start=lambda plan: screen.say(
                    announcement(endpoint.info, plan, redacted=redacted)
                ),
                on_progress=screen.update,
            )
    except KeyboardInterrupt:
        print("grader: interrupted; all results so far are kept.", file=sys.stderr)
        raise typer.Exit(INTERRUPTED) from None
    finally:
        screen.close()
    show(run, as_json=as_json)
    for left_out in run.manifest.get("left_out", ()):
        screen.say(f"Left out: {left_out}")
    if run.ungraded_share > max_ungraded:
        screen.say(f"{run.ungraded_share:.1%} of the items failed; see `reason` in grades.csv.")
        raise typer.Exit(1)


@app.command()
def parse(
    paths: Paths,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document.")] = False,
    as_jsonl: Annotated[bool, typer.Option("--jsonl", help="One interview a line.")] = False,
    language: Language = "auto",
    skip_unreadable: Annotated[
        bool, typer.Option("--skip-unreadable", help="Show what could be read.")
    ] = False,
    columns: Columns = None,
    empty_cell: EmptyCell = "blank",
    strict: Strict = False,
) -> None:
    """Show what would be read, without grading."""
    how = InputOptions(language, skip_unreadable, strict, columns or [], empty_cell)
    interviews = list(read_inputs(paths, how, Screen(quiet=as_json or as_jsonl)))
    documents = [interview.model_dump(mode="json") for interview in interviews]
    if as_json:
        print(json.dumps({"interviews": documents}, ensure_ascii=False, indent=2))
    elif as_jsonl:
        for document in documents:
            print(json.dumps(document, ensure_ascii=False))
    else:
        show_reading(Console(highlight=False), interviews)


@app.command()
def doctor(
    model: Annotated[str | None, typer.Option(help="Model to ask for [env: GRADER_MODEL].")] = None,
    base_url: Annotated[
        str | None, typer.Option(help="Address up to /v1 [env: OPENAI_BASE_URL].")
    ] = None,
    context: Annotated[
        int | None, typer.Option(min=500, help="Also try prompts of up to so many tokens.")
    ] = None,
    timeout: Annotated[
        float | None, typer.Option(min=0.1, help="Seconds for one request.", show_default="120")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The profile as JSON.")] = False,
) -> None:
    """Try what an endpoint can do, with about 15 small calls; `grade` goes by what is found."""
    from pipeline.endpoint.doctor import examine
    from pipeline.endpoint.profile import save_profile

    target = open_target(model=model, base_url=base_url, timeout=timeout)
    try:
        profile = asyncio.run(examine(target, context=context))
    except CallError as error:
        raise StopRun(f"The endpoint does not answer a plain call: {error}.") from None
    path = save_profile(profile, target.base_url)
    if as_json:
        print(profile.model_dump_json(indent=2))
    else:
        show_profile(Console(highlight=False), profile, path)


app.command("show")(show_command)
app.command("erase")(erase_command)
app.add_typer(review_app, name="review")


@rubric_app.command("check")
def rubric_check(prompts: Prompts = None) -> None:
    """Say what is doubtful about a rubric; exit code 1 where there is anything."""
    from pipeline.points_check import doubts_about_points
    from pipeline.rubric_check import doubts_about

    folder = prompts or prompt_set_folder()
    checked = load_prompts(folder)
    entries = {entry.id: entry for entry in checked.points.values()}.values()
    doubts = [*doubts_about(checked.rubric), *doubts_about_points(entries)]
    for doubt in doubts:
        print(doubt)
    print(
        f"{folder}: {len(checked.rubric.criteria)} criteria, key points for {len(entries)} "
        f"questions, {len(doubts)} doubts."
    )
    if doubts:
        raise typer.Exit(1)


@model_app.command("pull")
def model_pull() -> None:
    """Fetch the embedded model (1.1 GB) and check its digest."""
    from pipeline.endpoint.model_pull import pull

    screen = PullScreen()
    path = pull(screen.update)
    screen.console.print(f"The model is in place and its digest is right: {path}", soft_wrap=True)


@model_app.command("path")
def model_path_command() -> None:
    """Print where the model's file lies."""
    from pipeline.endpoint.model_file import require_model

    print(require_model())


@model_app.command("remove")
def model_remove() -> None:
    """Delete the model's file and what an interrupted pull left."""
    from pipeline.endpoint.model_file import model_path, remove

    print(f"Deleted {model_path()}." if remove() else "There is no model to delete.")


class PullScreen:
    """Progress of a pull: a line that moves on a terminal, one line per tenth elsewhere."""

    def __init__(self) -> None:
        self.console = Console(stderr=True, highlight=False)
        self._said = ""

    def update(self, done: int, total: int, what: str) -> None:
        """Called with bytes done, bytes in all, and what is going on."""
        share = 100 * done // total if total else 0
        step = share if self.console.is_terminal else share // 10 * 10
        text = f"{what}: {step}% of {total / 1e6:,.0f} MB"
        if text != self._said:
            self._said = text
            end = "\r" if self.console.is_terminal and done < total else "\n"
            self.console.print(text, end=end, soft_wrap=True)


def read_judges(text: str, *, alone: bool) -> list[str]:
    """The names of a panel. Raises ConfigError."""
    if not alone:
        raise ConfigError("--judges stands in for --model and --samples, and sums up whole points.")
    return [name.strip() for name in text.split(",") if name.strip()]


def read_concurrency(text: str | None) -> Concurrency | None:
    """`auto` or a number. Raises ConfigError."""
    if text is None or text == "auto":
        return "auto" if text else None
    if text.isascii() and text.isdigit() and 1 <= int(text) <= 1024:
        return int(text)
    raise ConfigError("--concurrency is a number from 1 to 1024, or auto.")


@dataclass(frozen=True)
class InputOptions:
    """How inputs are to be read."""

    language: LanguageChoice
    skip_unreadable: bool
    strict: bool
    columns: list[str]
    empty_cell: Literal["blank", "missing"]


def read_inputs(
    paths: list[str], how: InputOptions, screen: Screen, *, stream: bool = False
) -> list[Interview] | Spool:
    """The interviews; every input that cannot be read is listed before any call.

    With `stream` large tables are read by way of the disk.
    """
    if stream and are_large_tables(paths):
        return read_large_tables(paths, how, screen)
    reading = read_all(
        paths,
        language=how.language,
        mapping=column_mapping(how.columns),
        empty_cell=how.empty_cell,
    )
    warnings = [
        f"{interview.source}: {warning}"
        for interview in reading.interviews
        for warning in interview.warnings
    ]
    for warning in warnings:
        screen.say(f"warning: {warning}")
    if reading.errors and not (how.skip_unreadable and reading.interviews):
        raise UnreadableInputs(reading.errors)
    if warnings and how.strict:
        raise ConfigError(f"{len(warnings)} warnings, and --strict makes each an error.")
    for error in reading.errors:
        screen.say(f"skipped: {error}")
    if not reading.interviews:
        raise ConfigError("nothing to read: the paths hold no files.")
    return list(reading.interviews)


def read_large_tables(paths: list[str], how: InputOptions, screen: Screen) -> Spool:
    """The interviews of tables as a stream."""
    warnings = 0

    def warn(text: str) -> None:
        nonlocal warnings
        warnings += 1
        screen.say(f"warning: {text}")

    interviews = read_stream(
        paths,
        language=how.language,
        mapping=column_mapping(how.columns),
        empty_cell=how.empty_cell,
        warn=warn,
    )
    if warnings and how.strict:
        raise ConfigError(f"{warnings} warnings, and --strict makes each an error.")
    return interviews


def column_mapping(entries: list[str]) -> dict[str, str]:
    """`["question=题目,answer=3"]` as a mapping. Raises ConfigError for any other form."""
    mapping = {}
    for entry in ",".join(entries).split(","):
        name, equals, column = entry.partition("=")
        if entry and not (name.strip() and equals and column.strip()):
            raise ConfigError(f"--map {entry!r}: write it as question=NAME,answer=NAME.")
        if entry:
            mapping[name.strip()] = column.strip()
    return mapping


def show(run: Run, *, as_json: bool) -> None:
    """The run's summary on standard output."""
    if as_json:
        print(json.dumps(run_summary(run), ensure_ascii=False))
    else:
        show_run(Console(highlight=False), run)


def run_app(command: typer.Typer = app) -> None:
    """Run the command line; every way out has its exit code, and no traceback for users' faults."""
    signal.signal(signal.SIGTERM, _interrupt)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="replace")
    try:
        command()
    except GraderError as error:
        print(f"grader: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except Exception as error:  # noqa: BLE001 - every way out has its exit code
        print(internal_error(error), file=sys.stderr)
        sys.exit(INTERNAL)


def internal_error(error: Exception) -> str:
    """Where the program failed, without the error's own message: it may quote a candidate."""
    places = "".join(traceback.format_tb(error.__traceback__))
    return (
        f"{places}grader: internal error ({type(error).__name__}). This is a fault of the program: "
        "please report the lines above. All results so far are kept; the same command goes on."
    )


def _interrupt(number: int, frame: FrameType | None) -> None:
    """End as Ctrl-C does, so that results are kept and the model's server is stopped."""
    # A shell starts what runs in its background with Ctrl-C ignored; a `kill` still means it.
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.raise_signal(signal.SIGINT)
