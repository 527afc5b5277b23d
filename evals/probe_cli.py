"""`grader probe`: changes whose effect is known in advance, against a real grader."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from pipeline.cache import open_cache
from pipeline.cli.grade import INTERRUPTED
from pipeline.cli.options import ModelFile
from pipeline.config import default_prompt_set, open_endpoint
from pipeline.intake import read_interviews
from pipeline.prompt import load_prompts
from pipeline.screen import Screen

if TYPE_CHECKING:
    from evals.probes.run import ProbeResult
    from evals.sections import Section


def probe_command(
    out: Annotated[Path, typer.Option(help="Run folder; an existing one goes on.")],
    seeds: Annotated[
        list[str] | None,
        typer.Argument(
            help="Files or folders of interviews; without any, 300 attempts to steer the grader, "
            "padding and persons in 20 weak answers."
        ),
    ] = None,
    cases: Annotated[
        bool, typer.Option("--cases", help="Grade the cases C01 to C20 instead of probing.")
    ] = False,
    pairs: Annotated[
        Path | None, typer.Option(help="pairs.csv: interviews in two languages.")
    ] = None,
    family: Annotated[
        list[str] | None, typer.Option(help="Only this family; may be given several times.")
    ] = None,
    sample: Annotated[int, typer.Option(min=1, help="So many answers by chance.")] = 40,
    model: Annotated[str | None, typer.Option(help="Model to ask for.")] = None,
    base_url: Annotated[str | None, typer.Option(help="Address up to /v1.")] = None,
    model_file: ModelFile = None,
    concurrency: Annotated[int | None, typer.Option(min=1, help="Calls at a time.")] = None,
    prompts: Annotated[
        Path | None, typer.Option(help="Prompt set.", show_default="as for grade")
    ] = None,
    kept: Annotated[
        Path | None,
        typer.Option(
            help="File that keeps replies for later probes, such as with another scorer or with "
            "more families; of no use once the prompts change. It holds what was said of the "
            "answers: delete it with them."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Decides answers and changes.")] = 0,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress lines.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="All figures as JSON.")] = False,
) -> None:
    """Change answers where the effect is known: attacks, padding, noise, persons, language.

    Exit code: 0 every family passes, 1 one fails, 3 the grader is too flat to tell. With --cases
    it is 1 where code decided wrongly; what the model gave is only reported.
    """
    from evals.printing import show
    from evals.probes.run import probe
    from evals.splits import read_pairs

    endpoint = open_endpoint(model=model, base_url=base_url, seed=seed, model_file=model_file)
    prompt_set = load_prompts(prompts or default_prompt_set(endpoint.info))
    screen = Screen(quiet=quiet)
    try:
        if cases:
            from evals.cases_table import show_cases

            told = (prompt_set, endpoint, out, concurrency, screen.update)
            raise typer.Exit(show_cases(*told, as_json=as_json))
        with open_cache(kept) if kept else nullcontext() as cache:
            result = probe(
                read_interviews(*seeds) if seeds else None,
                prompts=prompt_set,
                endpoint=endpoint,
                out=out,
                pairs=read_pairs(pairs) if pairs else {},
                families=family or (),
                sample=sample,
                concurrency=concurrency,
                cache=cache,
                seed=seed,
                on_progress=screen.update,
            )
    except KeyboardInterrupt:
        screen.say("Interrupted; the same command goes on.")
        raise typer.Exit(INTERRUPTED) from None
    finally:
        screen.close()
    result.probes.to_csv(out / "probes.csv", index=False)
    if as_json:
        typer.echo(_as_json(result))
    else:
        note = f"{result.ungraded} probes are left out: one side has no grade."
        show(Console(highlight=False), [note] if result.ungraded else [], [_section(result)])
    raise typer.Exit(result.exit_code)


def _as_json(result: ProbeResult) -> str:
    import json

    from evals.printing import records

    tree = {
        "exit_code": result.exit_code,
        "ungraded": result.ungraded,
        "families": records(result.families),
    }
    return json.dumps(tree, ensure_ascii=False, allow_nan=False)


def _section(result: ProbeResult) -> Section:
    from evals.sections import Section, interval, number

    rows = [
        (row["family"], row["direction"], str(row["n"]), number(row["mean_shift"]), interval(row),
         number(row["mean_zh"]), number(row["mean_en"]),
         number(row["worst"], 1), f"{row['over_tolerance']:.0%}", f"{row['over']:.0%}",
         number(row["shift_sd"]), f"{row['flagged']:.0%}", row["result"], row["why"])
        for _, row in result.families.iterrows()
    ]  # fmt: skip
    header = ("family", "may be", "n", "mean shift", "95% interval", "in zh", "in en", "worst",
              "over .25", "a point or more", "shift in SD", "flagged", "result", "why")  # fmt: skip
    return Section(title="Probes", header=header, rows=tuple(rows))
