"""Read a rubric file; refuse a wrong one with file, line and what is wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError

from pipeline.errors import ConfigError
from pipeline.question_type import QUESTION_TYPES
from pipeline.records import Criterion, Rubric

FIXED_COLUMNS = frozenset(
    "interview_id item_id number question status overall score_mode flags reason model "
    "prompt_version attempts cached input_tokens output_tokens seconds overall_uncapped "
    "uncertainty abstention question_type spread calibrated overall_without_injection "
    "reviewed_overall reviewer cleared_flags key_points objective answer rater".split()
)
"""Column names of the tables: no criterion may take one."""
RECOMMENDATIONS = ("STRONG_YES", "YES", "MIXED", "NO", "STRONG_NO")
MAX_POINTS = 100
"""The highest point that a scale may have."""
Fault = tuple[tuple[str | int, ...], str]


def read_yaml(path: Path) -> Any:
    """The YAML of `path` with line numbers kept. Raises ConfigError with file and line."""
    try:
        tree = YAML(typ="rt").load(path.read_text(encoding="utf-8"))
        plain(tree)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror}).") from None
    except UnicodeDecodeError:
        raise ConfigError(f"{path}: is not UTF-8. Save it as UTF-8.") from None
    except MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise ConfigError(f"{path}, line {line}: not valid YAML: {error.problem}.") from None
    except YAMLError as error:
        raise ConfigError(f"{path}: not valid YAML: {type(error).__name__}.") from None
    except RecursionError:
        raise ConfigError(f"{path}: refers to itself, or is nested too deeply.") from None
    return tree


def load_rubric(path: Path) -> Rubric:
    """Read and check a rubric. Raises ConfigError that names file, line and fault."""
    tree = read_yaml(path)
    if not isinstance(tree, Mapping):
        raise ConfigError(f"{path}: a rubric is a mapping with name, scale, criteria and weights.")
    try:
        rubric = Rubric.model_validate(plain(tree))
    except ValidationError as error:
        faults: list[Fault] = [(fault["loc"], fault["msg"]) for fault in error.errors()]
    else:
        faults = list(find_faults(rubric))
        if not faults:
            return rubric
    lines = [f"{path}, line {line_of(tree, loc)}: {dotted(loc)}{what}" for loc, what in faults]
    raise ConfigError("\n".join(lines))


def find_faults(rubric: Rubric) -> Iterator[Fault]:
    """What a well-formed rubric can still have wrong, with the place of each fault."""
    low, high = rubric.scale
    if not 0 <= low < high <= MAX_POINTS:
        yield ("scale",), f"a scale runs upwards within 0 to {MAX_POINTS}, not {low} to {high}"
        return
    yield from _faults_of_criteria(rubric)
    yield from _faults_of_weights(rubric)
    yield from _faults_of_not_asked(rubric)
    yield from _faults_of_notes(rubric)
    yield from _faults_of_caps(rubric)
    yield from _faults_of_steps(rubric)


def _faults_of_criteria(rubric: Rubric) -> Iterator[Fault]:
    if not rubric.criteria:
        yield ("criteria",), "a rubric needs at least one criterion"
    languages = set(rubric.criteria[0].anchors) if rubric.criteria else set()
    for index, criterion in enumerate(rubric.criteria):
        place = ("criteria", index)
        if not re.fullmatch(r"[a-z][a-z0-9_]*", criterion.key):
            yield (*place, "key"), "a key is lower-case letters, digits and _, a letter first"
        if criterion.key in FIXED_COLUMNS or criterion.key.startswith("calibrated_"):
            yield (*place, "key"), f"{criterion.key!r} is a column of the tables; choose another"
        if rubric.keys.index(criterion.key) != index:
            yield (*place, "key"), f"{criterion.key!r} stands twice"
        if set(criterion.anchors) != languages or set(criterion.names) != languages:
            yield place, f"names and anchors must be in {', '.join(sorted(languages))}"
        yield from _faults_of_anchors(criterion, place, rubric.scale)


def _faults_of_anchors(
    criterion: Criterion, place: tuple[str | int, ...], scale: tuple[int, int]
) -> Iterator[Fault]:
    low, high = scale
    for language, anchors in criterion.anchors.items():
        missing = [point for point in range(max(low, 1), high + 1) if point not in anchors]
        if missing:
            yield (*place, "anchors", language), f"no anchor for {missing}"
        extra = [point for point in anchors if not low <= point <= high]
        if extra:
            yield (*place, "anchors", language), f"anchor off the scale: {extra}"


def _faults_of_weights(rubric: Rubric) -> Iterator[Fault]:
    if "default" not in rubric.weights:
        yield ("weights",), "the profile 'default' is missing"
    for profile, weights in rubric.weights.items():
        place = ("weights", profile)
        unknown = [key for key in weights if key not in rubric.keys]
        if unknown:
            yield place, f"no such criterion: {', '.join(unknown)}"
        if profile in ("default", "equal") and (lacking := set(rubric.keys) - set(weights)):
            yield place, f"no weight for {', '.join(sorted(lacking))}"
        if any(weight <= 0 for weight in weights.values()):
            yield place, "weights are above 0; leave a criterion out where it is not asked for"
        if sum(weights.values()) != 1:
            yield place, f"weights sum to {sum(weights.values())}, not 1"


def _faults_of_not_asked(rubric: Rubric) -> Iterator[Fault]:
    for kind, keys in rubric.not_asked.items():
        place = ("not_asked", kind)
        if kind not in QUESTION_TYPES:
            yield place, f"a question type is one of {', '.join(QUESTION_TYPES)}"
        if unknown := [key for key in keys if key not in rubric.keys]:
            yield place, f"no such criterion: {', '.join(unknown)}"
        if "default" in rubric.weights and not rubric.weights_for(kind):
            yield place, "leaves no criterion to be scored"


def _faults_of_notes(rubric: Rubric) -> Iterator[Fault]:
    for kind in rubric.notes:
        if kind not in QUESTION_TYPES:
            yield ("notes", kind), f"a question type is one of {', '.join(QUESTION_TYPES)}"
    if rubric.profile == "equal" and "equal" not in rubric.weights:
        yield ("profile",), "there are no weights `equal`"


def _faults_of_caps(rubric: Rubric) -> Iterator[Fault]:
    low, high = rubric.scale
    for index, cap in enumerate(rubric.caps):
        if cap.criterion not in rubric.keys:
            yield ("caps", index), f"no such criterion: {cap.criterion}"
        if not (low <= cap.at_most <= high and low <= cap.overall <= high):
            yield ("caps", index), f"at_most and overall must lie on the scale, {low} to {high}"


def _faults_of_steps(rubric: Rubric) -> Iterator[Fault]:
    for name, steps in (("bands", rubric.bands), ("cuts", rubric.cuts)):
        lowest = [step.at_least for step in steps]
        if lowest != sorted(set(lowest), reverse=True):
            yield (name,), "must run from the highest at_least to the lowest"
    for index, cut in enumerate(rubric.cuts):
        if cut.recommendation not in RECOMMENDATIONS:
            yield ("cuts", index), f"a recommendation is one of {', '.join(RECOMMENDATIONS)}"
    if not 0 <= rubric.min_coverage <= 1:
        yield ("min_coverage",), "a share between 0 and 1"


def plain(node: Any) -> Any:
    """The tree in plain Python types; decimals as printed, so that 0.20 stays exact."""
    if isinstance(node, Mapping):
        return {_plain_key(key): plain(value) for key, value in node.items()}
    if isinstance(node, Sequence) and not isinstance(node, str):
        return [plain(value) for value in node]
    if isinstance(node, float):
        return Decimal(str(float(node)))
    if isinstance(node, str):
        return str(node)
    return node


def _plain_key(key: Any) -> str | int:
    return int(key) if isinstance(key, int) else str(key)


def line_of(tree: Any, loc: Sequence[str | int]) -> int:
    """1-based line of the deepest part of `loc` that the file has."""
    node: Any = tree
    line = 1
    for step in loc:
        try:
            place = node.lc
            mark = place.key(step) if isinstance(node, Mapping) else place.item(step)
            node = node[step]
        except (AttributeError, KeyError, IndexError, TypeError):
            break
        line = mark[0] + 1
    return line


def dotted(loc: Sequence[str | int]) -> str:
    """`('criteria', 0, 'key')` as `criteria[0].key: `."""
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in loc)
    return f"{text.lstrip('.')}: " if text else ""
