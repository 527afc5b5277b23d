"""`grader grade`: a thin shell over `pipeline.run.grade`."""

from __future__ import annotations

import json
import sys
from contextlib import nullcontext
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.console import Console

from pipeline.cache import default_path as cache_file
from pipeline.cache import open_cache
from pipeline.cli.inputs import InputOptions, read_inputs
from pipeline.cli.options import (
    Columns,
    EmptyCell,
    Language,
    ModelFile,
    Paths,
    Prompts,
    Strict,
    read_concurrency,
)
from pipeline.cli.speed import speed_line
from pipeline.config import default_prompt_set, open_endpoint, open_panel
from pipeline.endpoint.base import Endpoint
from pipeline.errors import ConfigError
from pipeline.plan import make_plan
from pipeline.prices import Budget, Price, load_price
from pipeline.prices import default_path as price_file
from pipeline.prompt import load_prompts, weighing
from pipeline.redact import Redaction, read_terms
from pipeline.redact_items import ShownInterviews, with_hidden_points
from pipeline.results import Run
from pipeline.run import finished_in, recipe_for
from pipeline.run import grade as grade_interviews
from pipeline.screen import Screen, announcement, run_summary, show_run, why_unfitted
from pipeline.secret import user_secret

INTERRUPTED = 130
EXPECTED = "expected"


def grade_command(
    paths: Paths,
    out: Annotated[Path, typer.Option(help="Run folder; an existing run goes on.")],
    model: Annotated[str | None, typer.Option(help="Model to ask for [env: GRADER_MODEL].")] = None,
    base_url: Annotated[
        str | None, typer.Option(help="Address up to /v1 [env: OPENAI_BASE_URL].")
    ] = None,
    model_file: ModelFile = None,
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
        str | None,
        typer.Option(
            help="Models a,b@https://host/v1,...: each gives a verdict, their medians count."
        ),
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
    price_list = prices or price_file()
    judged: tuple[Price | None, ...] = ()
    if judges is None:
        endpoint: Endpoint = open_endpoint(
            model=model,
            base_url=base_url,
            timeout=timeout,
            seed=seed,
            score_mode=score_mode,
            samples=samples,
            planning=dry_run,
            model_file=model_file,
        )
    else:
        alone = not (model or model_file) and samples == 1 and score_mode != EXPECTED
        names = read_judges(judges, alone=alone)
        endpoint = panel = open_panel(names, base_url=base_url, timeout=timeout, seed=seed)
        judged = tuple(load_price(name, price_list) for name in panel.models)
        samples = len(names)
    prompt_set = weighing(load_prompts(prompts or default_prompt_set(endpoint.info)), weights)
    if unfitted := why_unfitted(endpoint.info, prompt_set):
        screen.say(unfitted)
    budget = Budget(
        price=load_price(endpoint.info.model, price_list),
        judges=judged,
        usd=None if budget_usd is None else Decimal(str(budget_usd)),
        tokens=budget_tokens,
    )
    if dry_run:
        from pipeline.dry_run import dry_run as plan_run
        from pipeline.dry_run import dry_run_text

        hidden = redaction if redacted else None
        known = with_hidden_points(prompt_set, hidden)
        shown = ShownInterviews(interviews, hidden) if hidden else interviews
        recipe = recipe_for(
            endpoint, known, user_secret(), 0.0, samples, explain=not no_explanations
        )
        finished = None if fresh else finished_in(out, recipe, endpoint, interviews, hidden)
        plan = make_plan(
            shown,
            recipe,
            journal=finished,
            language=language,
            limit=limit,
            retry_errors=retry_errors,
        )
        said = plan_run(plan, recipe, endpoint.info, language, budget)
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
    if not as_json and (speed := speed_line(run.manifest)):
        screen.note(speed)
    for left_out in run.manifest.get("left_out", ()):
        screen.say(f"Left out: {left_out}")
    if run.ungraded_share > max_ungraded:
        screen.say(f"{run.ungraded_share:.1%} of the items failed; see `reason` in grades.csv.")
        raise typer.Exit(1)


def read_judges(text: str, *, alone: bool) -> list[str]:
    """The names of a panel. Raises ConfigError."""
    if not alone:
        raise ConfigError("--judges stands in for --model and --samples, and sums up whole points.")
    return [name.strip() for name in text.split(",") if name.strip()]


def show(run: Run, *, as_json: bool) -> None:
    """The run's summary on standard output."""
    if as_json:
        print(json.dumps(run_summary(run), ensure_ascii=False))
    else:
        show_run(Console(highlight=False), run)
