"""Probes through a real grader: one run over all changed answers, then the verdict per family."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from evals.probes.judge import judge_probes
from evals.probes.variants import (
    GOOD,
    Probe,
    alone_id,
    is_repeat,
    make_probes,
    make_weak_probes,
    probe_interviews,
)
from evals.splits import Pairs
from pipeline import grade
from pipeline.cache import ReplyCache
from pipeline.endpoint.base import Endpoint, PlainFunction
from pipeline.errors import ConfigError
from pipeline.prompt import LANGUAGES, PromptSet
from pipeline.records import Interview
from pipeline.results import Run
from pipeline.workers import Progress


@dataclass(frozen=True, kw_only=True)
class ProbeResult:
    """The result of `probe`."""

    families: pd.DataFrame
    """One row per family, as `judge_probes` gives it, with `flagged`, `mean_zh` and `mean_en`."""
    probes: pd.DataFrame
    """One row per probe: family, language, base and changed item in the run, scores, shift."""
    run: Run
    """The run that graded base and changed answers; each stands alone in its interview."""
    ungraded: int
    """Probes left out because one side has no grade."""

    @property
    def exit_code(self) -> int:
        """1 where a family fails, 3 where one is invalid or nothing was graded, else 0."""
        results = set(self.families["result"])
        if "fail" in results:
            return 1
        return 3 if "invalid" in results or not results else 0


def probe(
    interviews: Iterable[Interview] | None,
    *,
    prompts: PromptSet,
    endpoint: Endpoint | PlainFunction,
    out: str | Path,
    pairs: Pairs | None = None,
    families: Sequence[str] = (),
    sample: int | None = None,
    concurrency: int | None = None,
    secret: bytes | None = None,
    cache: ReplyCache | None = None,
    seed: int = 0,
    on_progress: Callable[[Progress], None] = lambda progress: None,
) -> ProbeResult:
    """Grade changed answers into the run folder `out` and hold them against their bases.

    Without interviews, attempts to steer the grader, padding and persons go into the weak answers
    that come with the project. `sample` takes so many answers by chance, parity pairs apart, which
    are all kept. `cache` keeps replies for the next probe; `repeat` asks again all the same.
    Raises ConfigError where nothing can be probed; StopRun and KeyboardInterrupt with all that is
    done kept in `out`.
    """
    if interviews is None:
        found = make_weak_probes(families, seed=seed)
    else:
        found = make_probes(interviews, pairs or {}, seed=seed, only=families)
    probes = _sampled(found, sample, seed)
    if not probes:
        raise ConfigError("nothing to probe: no answers, or no such family.")
    for kept, part in _parts(probe_interviews(probes), cache):
        run = grade(
            part,
            prompts=prompts,
            endpoint=endpoint,
            out=out,
            concurrency=concurrency,
            secret=secret,
            # Shifts are of points: where a scorer gives them, nothing has to be written.
            explain=prompts.scorer is None,
            second_looks=False,
            cache=kept,
            on_progress=on_progress,
        )
    scores = _scores(run, probes)
    table = _table(probes, scores)
    judged = with_flagged(judge_probes(probes, scores, seed=seed), table, run)
    return ProbeResult(
        families=_by_language(judged, table),
        probes=table,
        run=run,
        ungraded=int(table["shift"].isna().sum()),
    )


def _parts(
    interviews: list[Interview], cache: ReplyCache | None
) -> list[tuple[ReplyCache | None, list[Interview]]]:
    """What is graded in turn: through the cache first all but repeats, which then ask again."""
    first = [one for one in interviews if not is_repeat(one)]
    if cache is None or len(first) == len(interviews):
        return [(cache, interviews)]
    return [(cache, first), (None, interviews)]


def with_flagged(families: pd.DataFrame, table: pd.DataFrame, run: Run) -> pd.DataFrame:
    """The families with the share of changed answers that code flagged as attempts to steer."""
    flags = run.grades.set_index("item_id")["flags"].fillna("")
    flagged = table["changed"].map(lambda name: "injection" in flags.get(name, "").split("|"))
    return families.assign(flagged=families["family"].map(flagged.groupby(table["family"]).mean()))


def _by_language(families: pd.DataFrame, table: pd.DataFrame) -> pd.DataFrame:
    """The families with the mean shift in each language."""
    means = table.pivot_table(index="family", columns="language", values="shift", aggfunc="mean")
    found = {f"mean_{name}": families["family"].map(means.get(name, {})) for name in LANGUAGES}
    return families.assign(**found)


def _sampled(probes: list[Probe], sample: int | None, seed: int) -> list[Probe]:
    bases = sorted({_origin(p) for p in probes if p.family != "language"})
    if sample is None or sample >= len(bases):
        return probes
    chosen = set(random.Random(seed).sample(bases, sample))
    return [p for p in probes if p.family in ("language", GOOD) or _origin(p) in chosen]


def _origin(probe: Probe) -> str:
    """The untouched item that a probe comes from."""
    name, _, place = probe.base.item_id.rpartition("#")
    return f"{name.partition('~')[0]}#{place}"


def _scores(run: Run, probes: Sequence[Probe]) -> dict[str, float]:
    """Overall by item id of the probes, of answers that the LLM graded."""
    graded = run.grades[run.grades["status"] == "scored"].set_index("item_id")["overall"]
    names = {item.item_id for probe in probes for item in (probe.base, probe.changed)}
    return {name: float(graded[alone_id(name)]) for name in names if alone_id(name) in graded.index}


def _table(probes: Sequence[Probe], scores: dict[str, float]) -> pd.DataFrame:
    rows = [
        {
            "family": probe.family,
            "language": probe.language,
            "base": alone_id(probe.base.item_id),
            "changed": alone_id(probe.changed.item_id),
            "base_score": scores.get(probe.base.item_id),
            "changed_score": scores.get(probe.changed.item_id),
        }
        for probe in probes
    ]
    table = pd.DataFrame(rows).astype({"base_score": "float64", "changed_score": "float64"})
    table["shift"] = table["changed_score"] - table["base_score"]
    return table
