"""A fitted scorer: scores from what a model's hidden states say about an answer.

A small model that is asked for a score says the same of everything, yet its states tell good from
bad. The scorer is a line through them for each criterion, fitted on labelled answers by ridge
regression and put on the labels' mean and spread (linear equating). It is a data file of the
prompt set and holds for one model.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal
from functools import cached_property
from operator import mul
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pipeline.answer_features import FEATURES
from pipeline.errors import ConfigError, EndpointError
from pipeline.records import Language, Rubric
from pipeline.support import Support
from pipeline.uncertainty import OVERALL, Uncertainty
from pipeline.vectors import LARGEST, Number, Vector, unpack_fitted

SCORER = "scorer.json"
"""The file of a prompt set that holds its scorer."""
HUNDREDTH = Decimal("0.01")


class Line(BaseModel):
    """The line of one criterion."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    weights: Vector
    """One for each part of a state."""
    intercept: dict[str, Number]
    """Points that a state of zeros would have, by language of the answer."""
    error: Number
    """Standard deviation of label - score over answers that were left out of the fit, in points."""


class Scorer(BaseModel):
    """What is applied of the file; what else it holds says how it came about."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    format: Literal[1]
    kind: Literal["states"]
    model: str = Field(min_length=1)
    """The model whose states it was fitted to."""
    scale: tuple[int, int]
    size: int
    """Parts of a state."""
    features: tuple[str, ...] = ()
    """Plain features of an answer whose weights stand after those of the state."""
    reading_sha256: str
    """Of the templates that it was fitted with: other words before an answer make other states."""
    rater_kind: Literal["human", "model", "mixed", "unknown"]
    """Whose labels."""
    n: int = Field(ge=1)
    """Labelled answers that it was fitted on."""
    labels_sha256: str
    fitted_on: tuple[str, ...] | None = None
    """A digest of each of these answers; None in a file that was fitted before they were kept."""
    measured: str = Field(min_length=1)
    """One line: agreement on answers that were left out of the fit, with n and interval."""
    lines: dict[str, Line]
    """By criterion."""
    uncertainty: Uncertainty | None = None
    """How far off its points may be; None in a file that was fitted before that was measured."""
    support: Support | None = None
    """Where that holds; None likewise."""

    @cached_property
    def weights(self) -> Mapping[str, tuple[float, ...]]:
        """The weights by criterion, unpacked."""
        return {key: unpack_fitted(line.weights) for key, line in self.lines.items()}

    def scores(
        self, state: Sequence[float], language: Language, plain: Sequence[float] = ()
    ) -> dict[str, Decimal]:
        """Points per criterion, two decimals, within the scale. Raises EndpointError.

        `plain` holds the answer's features, as many as `features` names.
        """
        if len(state) != self.size:
            raise EndpointError(f"a state of {len(state)} parts came; the scorer has {self.size}")
        if len(plain) != len(self.features):
            raise ValueError(f"{len(plain)} plain features for a scorer with {len(self.features)}")
        parts = (*state, *plain)
        return {
            key: self._points(sum(map(mul, self.weights[key], parts)) + line.intercept[language])
            for key, line in self.lines.items()
        }

    def _points(self, value: float) -> Decimal:
        low, high = self.scale
        # The ninth decimal is above the noise of floats: a tie goes up on every machine.
        bounded = round(min(max(value, low), high), 9)
        return Decimal(str(bounded)).quantize(HUNDREDTH, ROUND_HALF_UP)


def load_scorer(folder: Path, rubric: Rubric) -> Scorer | None:
    """The scorer of a prompt set, or None where it has none. Raises ConfigError."""
    path = folder / SCORER
    tree = _tree(path)
    if tree is None:
        return None
    try:
        scorer = Scorer.model_validate(tree)
        sizes = {len(weights) for weights in scorer.weights.values()}
        region = scorer.support.sizes() if scorer.support else {scorer.size}
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise _unfit(path, f"is no scorer: {place}: {first['msg']}") from None
    except ValueError as error:
        raise _unfit(path, f"is no scorer: {error}") from None
    faults = list(_faults(scorer, rubric, sizes, region))
    if scorer.reading_sha256 != hash_of_readings(folder):
        faults.append("fitted with other reading templates than lie beside it")
    if not faults and not _is_plausible(scorer):
        faults.append(f"its points go beyond {LARGEST:,.0f} before they are put on the scale")
    if faults:
        raise _unfit(path, faults[0])
    return scorer


def scorer_model(folder: Path) -> str | None:
    """The model that the scorer in a folder says it was fitted to; None where there is none.

    Raises ConfigError for a file that cannot be read: another scorer in its place would go unseen.
    """
    tree = _tree(folder / SCORER)
    return str(tree.get("model")) if isinstance(tree, dict) else None


def _tree(path: Path) -> Any:
    """What the file holds, or None where there is none."""
    # A link that leads nowhere is a scorer that got lost, not one that never was.
    if not path.exists() and not path.is_symlink():
        return None
    try:
        tree = json.loads(path.read_text(encoding="utf-8"), parse_constant=_refuse)
    except RecursionError:
        raise _unfit(path, "is no scorer: nested too deeply") from None
    except OSError as error:
        raise _unfit(path, f"cannot be read ({error.strerror})") from None
    except ValueError as error:
        raise _unfit(path, f"is no scorer: {error}") from None
    if not isinstance(tree, dict):
        raise _unfit(path, "is no scorer: it holds no object")
    return tree


def _refuse(constant: str) -> float:
    raise ValueError(f"it holds {constant}")


def _unfit(path: Path, what: str) -> ConfigError:
    return ConfigError(
        f"{path}: {what}. Fit it anew with `grader fit`, or put back the file that was there."
    )


def _is_plausible(scorer: Scorer) -> bool:
    """Whether the points of usual states are numbers that a fit may give."""
    usual = scorer.support.usual() if scorer.support else (1.0,) * scorer.size
    return all(
        sum(map(mul, map(abs, scorer.weights[key]), usual)) + max(map(abs, line.intercept.values()))
        <= LARGEST
        for key, line in scorer.lines.items()
    )


def _faults(scorer: Scorer, rubric: Rubric, sizes: set[int], region: set[int]) -> Any:
    if tuple(scorer.lines) != rubric.keys:
        yield f"fitted for the criteria {', '.join(scorer.lines)}, not for those of the rubric"
    if scorer.scale != rubric.scale:
        yield f"fitted for a scale of {scorer.scale[0]} to {scorer.scale[1]}, not the rubric's"
    if scorer.features not in ((), FEATURES):
        yield f"plain features {', '.join(scorer.features)}, which are not those of this version"
    if sizes != {scorer.size + len(scorer.features)}:
        more = f" and {len(scorer.features)} plain features" if scorer.features else ""
        yield f"weights of {sorted(sizes)} parts for states of {scorer.size}{more}"
    if any(set(line.intercept) != {"zh", "en"} for line in scorer.lines.values()):
        yield "an intercept is wanted for zh and for en"
    if scorer.uncertainty and set(scorer.uncertainty.widths) != {*rubric.keys, OVERALL}:
        yield "a width is wanted for each criterion and for the overall"
    if region != {scorer.size}:
        yield f"the region it was fitted on is not one of states of {scorer.size} parts"


def digest_of(question: str, answer: str) -> str:
    """First 12 hex digits of SHA-256 over both texts, runs of spaces made one."""
    text = json.dumps([" ".join(part.split()) for part in (question, answer)], ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def hash_of_readings(folder: Path) -> str:
    """SHA-256 over the templates of what is read, line ends made equal."""
    digest = hashlib.sha256()
    for path in sorted(folder.glob("reading.*.j2")):
        content = path.read_bytes().replace(b"\r\n", b"\n")
        digest.update(b"%s %d " % (path.name.encode(), len(content)) + content)
    return digest.hexdigest()
