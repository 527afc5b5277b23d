"""`grader bench`: the grader against the bare client, on this machine, now."""

from __future__ import annotations

import json
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from pipeline.cli.options import read_concurrency
from pipeline.config import prompt_set_folder
from pipeline.prompt import load_prompts

Figures = dict[str, float | int | str | None]
Share = Annotated[float, typer.Option(min=0, max=0.9, help="Share of requests.")]


def bench_command(
    items: Annotated[int, typer.Option(min=10, help="Items in each round.")] = 500,
    rounds: Annotated[int, typer.Option(min=1, help="Rounds of both arms.")] = 3,
    concurrency: Annotated[str, typer.Option(help="Calls at a time, or auto.")] = "64",
    latency: Annotated[float, typer.Option(min=0, help="Seconds for a reply.")] = 0.05,
    refused: Share = 0.0,
    malformed: Share = 0.0,
    failed: Share = 0.0,
    cache: Annotated[bool, typer.Option(help="With a reply cache, empty at first.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Figures as JSON.")] = False,
    reading: Annotated[
        bool, typer.Option("--reading", help="Measure reading tables of --items instead.")
    ] = False,
    large: Annotated[
        bool, typer.Option("--large", help="Grade a table of --items by the command instead.")
    ] = False,
    journal: Annotated[
        bool, typer.Option("--journal", help="Measure keeping --items outcomes instead.")
    ] = False,
    chaos: Annotated[
        int, typer.Option(min=0, help="So many rounds of faults, kills and full disks instead.")
    ] = 0,
    fault_mix: Annotated[
        bool,
        typer.Option("--fault-mix", help="Grade --items once through a mix of faults instead."),
    ] = False,
    seed: Annotated[int, typer.Option(help="Of the faults of --chaos and --fault-mix.")] = 1,
) -> None:
    """Measure what grading costs on top of the calls, against a server on this machine."""
    if chaos:
        from evals.bench.chaos_cli import show_chaos

        show_chaos(chaos, seed=seed, items=min(items, 120), as_json=as_json)
        return
    if fault_mix:
        from evals.bench.chaos_cli import show_mix

        calls = read_concurrency(concurrency) or "auto"
        show_mix(items, seed=seed, concurrency=calls, as_json=as_json)
        return
    if journal:
        show_keeping(items, as_json=as_json)
        return
    if reading:
        show_reading(items, as_json=as_json)
        return
    if large:
        show_large(items, latency=latency, concurrency=concurrency, as_json=as_json)
        return
    # The client of the endpoint takes half a second to import; other commands need none of it.
    from evals.bench.rounds import figures, run_rounds
    from evals.bench.server import Behaviour

    result = run_rounds(
        load_prompts(prompt_set_folder()),
        Behaviour(latency=latency, refused=refused, malformed=malformed, failed=failed),
        items=items,
        concurrency=read_concurrency(concurrency) or "auto",
        rounds=rounds,
        cached=cache,
    )
    if as_json:
        typer.echo(json.dumps(figures(result)))
    else:
        show(Console(highlight=False), figures(result))


def show(console: Console, said: Figures) -> None:
    """A small table, and what its figures are."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("", "CPU ms an item", "wall s", "items/s"):
        table.add_column(name, justify="right" if name else "left")
    if said["bare_cpu_ms"] is not None:
        rate = f"{float(said['items'] or 0) / float(said['bare_wall'] or 1):,.0f}"
        table.add_row("bare client", _two(said["bare_cpu_ms"]), _two(said["bare_wall"]), rate)
    rate = f"{float(said['items_per_second'] or 0):,.0f}"
    table.add_row("grader", _two(said["grader_cpu_ms"]), _two(said["grader_wall"]), rate)
    table.add_row("with tables and report", _two(said["whole_cpu_ms"]), "", "")
    console.print(table)
    for name, words in (
        ("cpu_ratio", "times the CPU of the bare client (median of paired rounds)"),
        ("wall_to_ideal", "times the ideal wall time, items x latency / concurrency"),
    ):
        if said[name] is not None:
            console.print(f"{_two(said[name])} {words}")
    console.print(
        f"{said['ungraded']} items without a score; peak memory {said['peak_mib']} MiB; "
        f"{said['items']} items in each of {said['rounds']} rounds, medians shown."
    )


def show_reading(items: int, *, as_json: bool) -> None:
    """Reading speed and memory, a line for each form of table."""
    from evals.bench.reading import measure_reading

    for one in measure_reading(items):
        if as_json:
            typer.echo(one.model_dump_json())
        else:
            typer.echo(
                f"{one.form}: {one.items:,} items, {one.items_per_cpu_second:,.0f} a CPU second, "
                f"memory grew by {one.growth_mib:.0f} MiB"
            )


def show_keeping(items: int, *, as_json: bool) -> None:
    """What keeping an outcome takes, a line for each way."""
    from evals.bench.journal_cost import measure_keeping

    for one in measure_keeping(items, load_prompts(prompt_set_folder())):
        typer.echo(
            one.model_dump_json()
            if as_json
            else f"{one.way}: {one.median / 1e3:.2f} ms an outcome, 10th to 90th percentile "
            f"{one.low / 1e3:.2f} to {one.high / 1e3:.2f}, longest {one.longest / 1e3:.1f} "
            f"({one.items} outcomes)"
        )


def show_large(items: int, *, latency: float, concurrency: str, as_json: bool) -> None:
    """Peak memory, speed and start of a whole command."""
    from evals.bench.large import measure_large

    one = measure_large(items, latency=latency, concurrency=concurrency)
    typer.echo(
        one.model_dump_json()
        if as_json
        else f"{one.items:,} items in {one.seconds:.1f} s with all outputs, "
        f"{1e3 * one.cpu_seconds / one.items:.2f} ms CPU an item, peak memory {one.peak_mib:.0f} "
        f"MiB; first connection {one.start:.2f} s after the start of a command (median of "
        f"{one.starts}, middle half {one.start_quartiles[0]:.2f} to {one.start_quartiles[1]:.2f})."
    )


def _two(value: float | int | str | None) -> str:
    return "" if value is None else f"{float(value):.2f}"
