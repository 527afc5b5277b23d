"""Release rules on agreement, and the verdict they give. Undefined never passes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, ValidationError

from pipeline.errors import ConfigError
from pipeline.records import Record
from pipeline.rubric import dotted, line_of, plain, read_yaml

Result = Literal["pass", "fail", "undefined"]
Kappa = Annotated[float, Field(ge=-1, le=1)]
Share = Annotated[float, Field(ge=0, le=1)]
Distance = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Verdict = Literal["PASS", "FAIL", "INCONCLUSIVE"]
EXIT_CODES: Mapping[Verdict, int] = {"PASS": 0, "FAIL": 1, "INCONCLUSIVE": 3}


class Thresholds(Record):
    """What agreement must reach; None switches a rule off."""

    min_items: Annotated[int, Field(ge=1)] = 50
    """Fewer labelled answers than this settle nothing."""
    qwk: Kappa | None = 0.70
    """Least quadratic weighted kappa of the overall with the reference."""
    qwk_low: Kappa | None = 0.60
    """Least lower end of its interval; needs 20 candidates."""
    criterion_qwk: Kappa | None = 0.60
    """Least kappa of every criterion."""
    degradation: Kappa | None = 0.10
    """Most by which raters may agree better with each other than the grader with them."""
    smd: Distance | None = 0.15
    """Most by which the means may differ, in standard deviations of the reference, either way."""
    bias: Distance | None = 0.25
    """Most by which they may differ in points, either way."""
    adjacent: Share | None = 0.95
    """Least share of answers at most one point apart."""
    subgroup_dsm: Distance | None = 0.10
    """Most by which a language's standardised mean may differ, either way, from 100 answers on."""
    ungraded: Share | None = 0.01
    """Greatest share of labelled answers for which the run has no grade."""
    beats_baselines: bool = True
    """Whether kappa must be at least that of answer length, of word overlap, and of both."""


@dataclass(frozen=True, kw_only=True)
class Check:
    """One rule applied."""

    name: str
    """What is held against the limit."""
    rule: str
    """The rule in signs, such as `>= 0.70`."""
    value: float | None
    """The figure."""
    n: int
    """Answers it rests on."""
    result: Result
    """pass, fail, or undefined where there is no figure."""
    why: str = ""
    """Why it is undefined."""


def read_thresholds(path: Path) -> Thresholds:
    """The rules of a YAML file; what it leaves out is the default. Raises ConfigError."""
    tree = read_yaml(path)
    try:
        return Thresholds.model_validate(plain(tree) if tree is not None else {})
    except ValidationError as error:
        lines = [
            f"{path}, line {line_of(tree, fault['loc'])}: {dotted(fault['loc'])}{fault['msg']}"
            for fault in error.errors()
        ]
        raise ConfigError("\n".join(lines)) from None


def at_least(name: str, value: float | None, limit: float, n: int, why: str = "") -> Check:
    """The rule value >= limit."""
    return _check(name, f">= {limit:.2f}", value, n, why, value is not None and value >= limit)


def at_most(name: str, value: float | None, limit: float, n: int, why: str = "") -> Check:
    """The rule value <= limit."""
    return _check(name, f"<= {limit:.2f}", value, n, why, value is not None and value <= limit)


def within(name: str, value: float | None, limit: float, n: int, why: str = "") -> Check:
    """The rule -limit <= value <= limit."""
    holds = value is not None and abs(value) <= limit
    return _check(name, f"within +-{limit:.2f}", value, n, why, holds)


def _check(name: str, rule: str, value: float | None, n: int, why: str, holds: bool) -> Check:
    result: Result = "undefined" if value is None else "pass" if holds else "fail"
    return Check(name=name, rule=rule, value=value, n=n, result=result, why=why)


def verdict(
    checks: Sequence[Check], *, n: int, min_items: int, human: bool, accept_model_labels: bool
) -> tuple[Verdict, list[str]]:
    """The verdict and the reasons for it.

    Too few answers are inconclusive whatever the figures say; then one failed rule fails; then an
    undefined one is inconclusive. Labels that are not all by humans pass only where accepted.
    """
    if n < min_items:
        return "INCONCLUSIVE", [f"{n} labelled answers; at least {min_items} are needed"]
    if failed := [check for check in checks if check.result == "fail"]:
        return "FAIL", [f"{c.name} is {c.value:.3f}, the rule is {c.rule}" for c in failed]
    if undefined := [check for check in checks if check.result == "undefined"]:
        return "INCONCLUSIVE", [f"{c.name} is undefined: {c.why}" for c in undefined]
    if human:
        return "PASS", []
    if not accept_model_labels:
        why = "the labels are not all by human raters; --accept-model-labels would let them pass"
        return "INCONCLUSIVE", [why]
    return "PASS", ["accepted on labels that are not all by human raters (--accept-model-labels)"]
