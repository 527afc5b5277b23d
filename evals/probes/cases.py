"""The cases C01 to C20 through an endpoint: what code decides, and what the model made of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ruamel.yaml import YAML

from pipeline import grade
from pipeline.endpoint.base import Endpoint, PlainFunction
from pipeline.prompt import PromptSet
from pipeline.records import COUNTED, Interview, Item, Outcome, Record, Status
from pipeline.results import Run
from pipeline.workers import Progress

NEAR = 0.25
"""Points within which two cases count as graded alike."""


class Case(Record):
    """One case, and what must or should come of it."""

    id: str
    """C01 to C20."""
    about: str
    """What it is a case of."""
    question: str = ""
    """Empty takes the question of all cases."""
    answer: str = ""
    """The answer."""
    then: str = ""
    """Text repeated behind the answer."""
    times: int = 0
    """How often it is repeated."""
    others: tuple[dict[str, str], ...] = ()
    """Further items of the same interview."""
    comment: str | None = None
    """The comment of the source."""
    status: Status = "scored"
    """How it must end where the endpoint gives a valid verdict."""
    flags: tuple[str, ...] = ()
    """Flags that code must set."""
    without: tuple[str, ...] = ()
    """Flags that code must not set."""
    contradiction: str = ""
    """How a contradiction that must be told begins."""
    low: float | None = None
    """The lowest overall that a good model gives."""
    high: float | None = None
    """The highest."""
    near: str = ""
    """The case that it should be graded like."""
    scripted: bool = False
    """Needs replies that no model gives on demand: a test alone can hold it."""


@dataclass(frozen=True, kw_only=True)
class CaseResult:
    """What came of one case."""

    case: Case
    status: str
    """How it ended."""
    overall: float | None
    """The overall, where there is one."""
    flags: tuple[str, ...]
    """All its flags."""
    by_code: str
    """right, wrong (with what is wrong), or not run."""
    by_model: str
    """as expected, too high, too low, or why there is nothing to compare."""


def read_cases(path: Path = Path(__file__).parent / "cases.yaml") -> list[Case]:
    """The cases in order."""
    tree = YAML(typ="safe", pure=True).load(path.read_text(encoding="utf-8"))
    return [Case(**{"question": tree["question"], **entry}) for entry in tree["cases"]]


def interview_of(case: Case) -> Interview:
    """The case as an interview of its own."""
    answers = [{"question": case.question, "answer": case.answer + case.then * case.times}]
    items = tuple(
        Item(item_id=f"{case.id}#{place}", number=place, **entry)
        for place, entry in enumerate((*answers, *case.others), start=1)
    )
    return Interview(id=case.id, source="cases.yaml", items=items, comment=case.comment)


def run_cases(
    *,
    prompts: PromptSet,
    endpoint: Endpoint | PlainFunction,
    out: str | Path,
    concurrency: int | None = None,
    secret: bytes | None = None,
    on_progress: Callable[[Progress], None] = lambda progress: None,
) -> tuple[list[CaseResult], Run]:
    """Grade all cases but the scripted ones into the run folder `out`, or go on with that."""
    cases = read_cases()
    run = grade(
        [interview_of(case) for case in cases if not case.scripted],
        prompts=prompts,
        endpoint=endpoint,
        out=out,
        concurrency=concurrency,
        secret=secret,
        # As in probes: what is held against expectation is points.
        explain=prompts.scorer is None,
        on_progress=on_progress,
    )
    told = {one.interview_id: one.contradictions for one in run.ranking}
    return judge_cases(cases, run.outcomes, told), run


def judge_cases(
    cases: Iterable[Case],
    outcomes: Mapping[str, Outcome],
    contradictions: Mapping[str, tuple[str, ...]],
) -> list[CaseResult]:
    """Each case beside what must and what should have come of it."""
    overalls = {
        name.partition("#")[0]: float(one.grade.overall)
        for name, one in outcomes.items()
        if name.endswith("#1") and one.grade and one.status in COUNTED
    }
    results = []
    for case in cases:
        outcome = outcomes.get(f"{case.id}#1")
        results.append(
            CaseResult(
                case=case,
                status=outcome.status if outcome else "not_run",
                overall=overalls.get(case.id),
                flags=outcome.flags if outcome else (),
                by_code=_by_code(case, outcome, contradictions.get(case.id, ())),
                by_model=_by_model(case, overalls),
            )
        )
    return results


def _by_code(case: Case, outcome: Outcome | None, told: tuple[str, ...]) -> str:
    if outcome is None:
        return "not run"
    faults = [f"no flag {flag}" for flag in case.flags if flag not in outcome.flags]
    faults += [f"flag {flag}" for flag in case.without if flag in outcome.flags]
    # Whether the endpoint answers is not decided by code; whether a gate ends the item is.
    if case.status != outcome.status and "scored" not in (case.status, outcome.status):
        faults.append(f"not {case.status}")
    if (case.status == "scored") != (outcome.attempts > 0):
        faults.append("no call was made" if case.status == "scored" else "a call was made")
    if case.contradiction and not any(one.startswith(case.contradiction) for one in told):
        faults.append("the contradiction is not told")
    return "wrong: " + ", ".join(faults) if faults else "right"


def _by_model(case: Case, overalls: Mapping[str, float]) -> str:
    if case.scripted:
        return "scripted in the tests"
    low, high = case.low, case.high
    if case.near:
        base = overalls.get(case.near)
        low, high = (None, None) if base is None else (base - NEAR, base + NEAR)
    overall = overalls.get(case.id)
    if overall is None or low is None or high is None:
        return "no score"
    if low <= overall <= high:
        return "as expected"
    return "too low" if overall < low else "too high"
