"""What `grader bench --chaos` and `--fault-mix` print."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict

import typer

from evals.bench.chaos import ChaosRound, chaos_rounds
from evals.bench.chaos_mix import fault_mix
from evals.bench.chaos_script import GOOD

Figures = dict[str, object]


def show_chaos(rounds: int, *, seed: int, items: int, as_json: bool) -> None:
    """Run the rounds. Raises typer.Exit(1) where anything was wrong in one of them."""
    done = []
    for one in chaos_rounds(rounds, seed=seed, items=items):
        done.append(one)
        if not as_json:
            typer.echo(round_line(one))
        for fault in one.faults:
            typer.echo(f"  {fault} (kept in {one.kept})", err=as_json)
    said = chaos_figures(done)
    typer.echo(json.dumps(said) if as_json else summary(said))
    if any(one.faults for one in done):
        raise typer.Exit(1)


def show_mix(items: int, *, seed: int, concurrency: int | str, as_json: bool) -> None:
    """Grade once through the mix of faults. Raises typer.Exit(1) where anything was wrong."""
    done = fault_mix(items, seed=seed, concurrency=concurrency)
    if as_json:
        typer.echo(json.dumps(asdict(done)))
    else:
        typer.echo(f"{done.items} items, {done.requests} requests: {listed(done.met)}.")
        typer.echo(f"{listed(done.ends)}; {done.most} requests for one item at most.")
    for fault in done.faults:
        typer.echo(f"  {fault}", err=as_json)
    if done.faults:
        raise typer.Exit(1)
    if not as_json:
        typer.echo("Every item ended with the right status, scores and number of requests.")


def listed(counts: Mapping[str, int]) -> str:
    """`3 cut, 2 hung`, the largest first."""
    return ", ".join(f"{count:,} {name}" for name, count in Counter(counts).most_common())


def round_line(one: ChaosRound) -> str:
    """One round: what was done to its sessions, and how many items each left in the journal."""
    sessions = ", ".join(
        f"{session.disturbance or 'in peace'} {len(session.journalled)}" for session in one.sessions
    )
    verdict = "WRONG" if one.faults else "right"
    return f"round {one.number} (seed {one.seed}): {verdict}; {sessions}; {len(one.calls)} requests"


def chaos_figures(done: Sequence[ChaosRound]) -> Figures:
    """All rounds together."""
    sessions = [session for one in done for session in one.sessions]
    kinds = Counter(call.kind for one in done for call in one.calls)
    return {
        "rounds": len(done),
        "right": sum(not one.faults for one in done),
        "items": sum(one.items for one in done),
        "requests": kinds.total(),
        "faults": {kind: kinds[kind] for kind in sorted(kinds) if kind not in GOOD},
        "sessions": dict(Counter(session.disturbance or "in peace" for session in sessions)),
        "killed": sum(session.code == -9 for session in sessions),
        "small_file_systems": sum(one.mounted for one in done),
        "asked_again_after_an_end": sum(one.twice for one in done),
    }


def summary(said: Figures) -> str:
    """The sum in words."""
    faults = said["faults"]
    assert isinstance(faults, dict)
    return (
        f"{said['right']} of {said['rounds']} rounds ended with complete, verified tables.\n"
        f"{said['items']} items, {said['requests']} requests; faults: {listed(faults)}.\n"
        f"{said['killed']} sessions were killed; {said['asked_again_after_an_end']} items were "
        "under way when a session ended and were asked for again, no other item was."
    )
