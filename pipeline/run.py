"""The arrow: interviews, items, gate, messages, reply, verdict, grade, journal, tables, report.

`grade` is the whole program. All that it promises to keep lies in the run folder.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable, Coroutine, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

from pipeline.cache import ReplyCache
from pipeline.calibration import choose_calibration
from pipeline.endpoint.base import Endpoint, EndpointInfo, PlainFunction, as_endpoint
from pipeline.endpoint.slots import Concurrency
from pipeline.errors import ConfigError, StopRun
from pipeline.grading import Recipe
from pipeline.journal import Held, held_items, open_journal, sole_hand
from pipeline.manifest import (
    NAME,
    Manifest,
    check_renamed,
    check_same,
    hash_inputs,
    is_unused,
    read_manifest,
    start_manifest,
    write_manifest,
)
from pipeline.plan import LanguageChoice, Plan, check_ids, make_plan
from pipeline.prices import Budget
from pipeline.prompt import PromptSet
from pipeline.records import Interview
from pipeline.redact import Redaction
from pipeline.redact_items import with_hidden_points
from pipeline.results import Run, sum_up
from pipeline.secret import user_secret
from pipeline.session import Session
from pipeline.spool import held
from pipeline.workers import Progress


def grade(
    interviews: Iterable[Interview],
    *,
    prompts: PromptSet,
    endpoint: Endpoint | PlainFunction,
    out: str | Path,
    secret: bytes | None = None,
    concurrency: Concurrency | None = None,
    limit: int | None = None,
    language: LanguageChoice = "auto",
    deadline: float = 600.0,
    samples: int = 1,
    explain: bool = True,
    second_looks: bool = True,
    retry_errors: bool = False,
    fresh: bool = False,
    cache: ReplyCache | None = None,
    budget: Budget | None = None,
    redaction: Redaction | None = None,
    calibration: str | Path | None = None,
    on_start: Callable[[Plan], None] = lambda plan: None,
    on_progress: Callable[[Progress], None] = lambda progress: None,
) -> Run:
    """Grade every item into the folder `out`, or go on with the run that lies there.

    `calibration` is a file, or "off"; without it that of the prompt set is applied where it fits.
    `second_looks`: what may steer the grader is graded once more without those passages.
    Raises ConfigError before any call; StopRun and KeyboardInterrupt with all results kept.
    """
    interviews, endpoint, folder = held(interviews), as_endpoint(endpoint), Path(out)
    check_ids(interviews)
    prompts = with_hidden_points(prompts, redaction)
    recipe = recipe_for(endpoint, prompts, secret or user_secret(), deadline, samples, explain)
    bent = choose_calibration(calibration, prompts, mode_of(recipe, endpoint), endpoint.info.model)
    if fresh:
        set_aside(folder)
    session = Session(
        recipe,
        endpoint,
        language,
        concurrency,
        cache,
        budget or Budget(),
        on_progress,
        redaction,
        second_looks,
    )
    manifest = open_manifest(folder, recipe, endpoint, interviews, redaction) | bent
    with open_journal(folder, noted=manifest.get("journal", {}).get("lines", 0)) as journal:
        with writing(folder):
            write_manifest(folder, manifest)
        for interview in interviews:
            journal.register(interview)
        plan = make_plan(
            interviews,
            recipe,
            journal=journal,
            language=language,
            limit=limit,
            retry_errors=retry_errors,
        )
        on_start(plan)
        started = time.monotonic()
        try:
            run_async(session.run(plan, journal))
        finally:
            manifest["adapted"] = sorted({*manifest.get("adapted", ()), *endpoint.steps()})
            manifest["paid_usd"] = paid_so_far(manifest, session.budget, journal.unsummed)
            seconds = time.monotonic() - started
            run = sum_up(folder, manifest, prompts.rubric, journal, seconds)
    return run


def paid_so_far(
    manifest: Manifest, budget: Budget, unsummed: Sequence[Decimal | None]
) -> float | None:
    """US dollars paid over all sessions of a run; None once there was one without a price.

    Of a session that was killed, what it kept counts; calls that were under way nobody knows.
    """
    paid = [manifest.get("paid_usd", 0.0), budget.paid, *unsummed]
    return None if None in paid else float(sum(Decimal(str(part)) for part in paid))


def recipe_for(
    endpoint: Endpoint,
    prompts: PromptSet,
    secret: bytes,
    deadline: float,
    samples: int = 1,
    explain: bool = True,
) -> Recipe:
    """What every item of a run is graded with. Raises ConfigError."""
    info = endpoint.info
    check_scorer(prompts, info, explain)
    if samples > 1 and info.score_mode == "expected":
        raise ConfigError("samples are of whole points: they do not go with expected scores.")
    return Recipe(
        prompts=prompts,
        secret=secret,
        expected=info.score_mode == "expected",
        text_limit=info.text_limit,
        schema_bounds_texts=info.schema_bounds_texts,
        max_tokens=info.max_tokens,
        answer_limit=info.answer_limit,
        deadline=deadline,
        samples=samples,
        explain=explain,
    )


def check_scorer(prompts: PromptSet, info: EndpointInfo, explain: bool) -> None:
    """Raise ConfigError where points cannot come about as the prompt set wants them."""
    scorer = prompts.scorer
    if scorer is None:
        if not explain:
            raise ConfigError(
                f"the prompt set {prompts.name} has no scorer: its points come with their "
                "explanations. Leave --no-explanations out."
            )
    elif not info.reads:
        raise ConfigError(
            f"the prompt set {prompts.name} scores by the states of {scorer.model}, and "
            f"{info.model} does not show its own: choose another set with --prompts."
        )
    elif scorer.model != info.read_by:
        raise ConfigError(
            f"the scorer of {prompts.name} was fitted to {scorer.model}, not to {info.read_by}. "
            "`grader fit ANSWERS --labels labels.csv --model-file FILE` fits one to it; without "
            "--prompts it is taken from then on, and until then `interview` is."
        )


def mode_of(recipe: Recipe, endpoint: Endpoint) -> str:
    """How the scores of a run come about, as its manifest says."""
    return "median" if recipe.samples > 1 else endpoint.info.score_mode


def open_manifest(
    folder: Path,
    recipe: Recipe,
    endpoint: Endpoint,
    interviews: Iterable[Interview],
    redaction: Redaction | None,
) -> Manifest:
    """A new manifest, or that of the run to go on with. Raises ConfigError on a difference."""
    info = endpoint.info
    sampling: dict[str, Any] = {"samples": recipe.samples} if recipe.samples > 1 else {}
    if not recipe.explain:
        sampling["explanations"] = "off"
    manifest = start_manifest(
        prompt_version=recipe.prompts.version,
        endpoint=info.identity,
        model=info.model,
        reader=info.reader if recipe.prompts.scorer else "",
        score_mode=mode_of(recipe, endpoint),
        parameters=endpoint.parameters() | sampling,
        redaction=redaction.described(recipe.secret) if redaction else "off",
        weights=recipe.prompts.rubric.profile,
    )
    old = read_manifest(folder)
    if old is not None:
        check_same(old, manifest, folder)
        manifest = old
    elif not is_unused(folder):
        raise ConfigError(f"{folder}: is not empty and no run. Choose another --out.")
    known, inputs = manifest.get("inputs", {}), hash_inputs(interviews)
    spoken = {one.id for one in interviews if any(item.answer for item in one.items)}
    check_renamed(known, inputs, spoken, folder)
    scorer = recipe.prompts.scorer
    worth = {"measured": scorer.measured, "measured_kind": scorer.rater_kind} if scorer else {}
    return {**manifest, **worth, "inputs": {**known, **inputs}}


def finished_in(
    folder: Path,
    recipe: Recipe,
    endpoint: Endpoint,
    interviews: Iterable[Interview],
    redaction: Redaction | None,
) -> Held | None:
    """What a run that would be gone on with has by now; None where there is none.

    Nothing is touched. Raises ConfigError as `grade` would.
    """
    open_manifest(folder, recipe, endpoint, interviews, redaction)
    return None if read_manifest(folder) is None else held_items(folder, interviews)


@contextmanager
def writing(folder: Path) -> Iterator[None]:
    """What is written before the first call. Raises StopRun where there is no room for it."""
    try:
        yield
    except OSError as error:
        raise StopRun(
            f"{folder}: cannot be written ({error.strerror}). Nothing was called and all results "
            "are kept: mend that and give the same command again."
        ) from None


def set_aside(folder: Path) -> None:
    """Move an existing run to the first free `<folder>.bak-N`; what is no run is left alone.

    Raises ConfigError while another process grades into it.
    """
    if not (folder / NAME).is_file():
        return
    number = 1
    while (backup := folder.with_name(f"{folder.name}.bak-{number}")).exists():
        number += 1
    with sole_hand(folder):
        if sys.platform != "win32":
            folder.rename(backup)
    # Windows moves no folder in which a file is open, so there the lock is given back first.
    if sys.platform == "win32":
        folder.rename(backup)


def run_async(work_to_do: Coroutine[Any, Any, None]) -> None:
    """Run to the end, also from a notebook whose own loop is running."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        asyncio.run(work_to_do)
        return
    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, work_to_do).result()
