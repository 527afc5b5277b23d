"""Prompt set -> messages. Only question, objective and answer of an item can enter a prompt.

Order of the parts, most stable first: rubric, graded examples, question and objective, fenced
answer, short instruction. The fence mark is an HMAC of question and answer: nobody without the
secret can write it into an answer, and the same answer always gives the same bytes.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, TypedDict

from jinja2 import DictLoader, StrictUndefined, TemplateError, TemplateSyntaxError, UndefinedError
from jinja2.sandbox import ImmutableSandboxedEnvironment
from pydantic import ValidationError

from pipeline.errors import ConfigError
from pipeline.key_points import PointsByQuestion, in_neutral_order, load_key_points, points_of
from pipeline.neutral import neutralised
from pipeline.notes import dump_notes
from pipeline.question_type import question_type
from pipeline.records import Item, Language, Message, Messages, Record, Rubric, Verdict
from pipeline.rubric import dotted, line_of, load_rubric, plain, read_yaml
from pipeline.scorer import Scorer, load_scorer
from pipeline.verdict import dump_verdict, find_verdict_fault

CALIBRATION = "calibration.json"
"""The file of a prompt set that holds its calibration."""
LANGUAGES: tuple[Language, ...] = ("zh", "en")


class Extras(TypedDict):
    """Values of a template that depend on the question alone; empty where there is nothing."""

    note: str
    key_points: Sequence[str]
    wrong_claims: Sequence[str]


class Example(Record):
    """One graded example of a prompt set."""

    question: str
    """The question."""
    objective: str | None = None
    """What the question is meant to find out."""
    answer: str
    """An answer written for the example."""
    verdict: Verdict
    """The verdict a good grader gives."""


@dataclass(frozen=True, eq=False)
class PromptSet:
    """A folder of prompts/, read and checked."""

    name: str
    version: str
    """`name-` and the first 8 hex digits of the hash of all files."""
    folder: Path
    rubric: Rubric
    examples: Mapping[str, tuple[Example, ...]]
    templates: ImmutableSandboxedEnvironment
    points: PointsByQuestion = field(default_factory=dict)
    """Key points and known wrong claims, by folded question."""
    scorer: Scorer | None = None
    """Gives the points from a model's states; without it the model says them."""


def load_prompts(folder: str | Path, *, with_scorer: bool = True) -> PromptSet:
    """Read a prompt set. Raises ConfigError that names the file, the line and the fault.

    Without its scorer a set can be read that needs another one.
    """
    folder = Path(folder)
    if not (folder / "rubric.yaml").is_file():
        raise ConfigError(f"{folder}: not a prompt set: it has no rubric.yaml.")
    rubric = load_rubric(folder / "rubric.yaml")
    prompts = PromptSet(
        name=folder.resolve().name,
        version=f"{folder.resolve().name}-{hash_of_files(folder)[:8]}",
        folder=folder,
        rubric=rubric,
        examples={},
        templates=open_templates(folder),
        points=load_key_points(folder),
        scorer=load_scorer(folder, rubric) if with_scorer else None,
    )
    prompts = replace(prompts, examples=load_examples(prompts))
    rehearse(prompts)
    return prompts


def weighing(prompts: PromptSet, profile: str | None) -> PromptSet:
    """The set with another profile of weights in use. Raises ConfigError where it has none."""
    if profile is None:
        return prompts
    if profile == "equal" and "equal" not in prompts.rubric.weights:
        raise ConfigError(f"{prompts.folder}/rubric.yaml: there are no weights `equal`.")
    return replace(prompts, rubric=prompts.rubric.model_copy(update={"profile": profile}))


def hash_of_files(folder: Path) -> str:
    """SHA-256 over names and contents of all files of the set, line ends made equal.

    A calibration is fitted for a version, so it is no part of one.
    """
    digest = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        relative = path.relative_to(folder)
        hidden = any(part.startswith(".") for part in relative.parts)
        if hidden or relative.as_posix() == CALIBRATION or path.suffix in {".pyc", ".orig", ".swp"}:
            continue
        name = relative.as_posix().encode()
        content = path.read_bytes().replace(b"\r\n", b"\n")
        digest.update(b"%d %s %d " % (len(name), name, len(content)) + content)
    return digest.hexdigest()


def open_templates(folder: Path) -> ImmutableSandboxedEnvironment:
    """The templates by name, source included, so that a later edit cannot change a run."""
    sources = {path.name: read_template(path) for path in sorted(folder.glob("*.j2"))}
    return ImmutableSandboxedEnvironment(
        loader=DictLoader(sources),
        undefined=StrictUndefined,
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def read_template(path: Path) -> str:
    """The text of a template, without a byte order mark."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror}).") from None
    except UnicodeDecodeError:
        raise ConfigError(f"{path}: is not UTF-8. Save it as UTF-8.") from None


def load_examples(prompts: PromptSet) -> dict[str, tuple[Example, ...]]:
    """The graded examples by language, each verdict held against the rubric."""
    path = prompts.folder / "examples.yaml"
    if not path.exists():
        return {}
    tree = read_yaml(path)
    lists = isinstance(tree, Mapping) and all(isinstance(x or [], list) for x in tree.values())
    if not lists or not set(tree) <= set(LANGUAGES):
        raise ConfigError(f"{path}: examples are lists by language: {', '.join(LANGUAGES)}.")
    return {
        str(language): tuple(
            _example(path, tree, (str(language), index), entry, prompts.rubric)
            for index, entry in enumerate(entries or ())
        )
        for language, entries in tree.items()
    }


def _example(
    path: Path, tree: Any, loc: tuple[str | int, ...], entry: Any, rubric: Rubric
) -> Example:
    content = plain(entry)
    try:
        content["verdict"] = {"criteria": content["verdict"]}
        example = Example.model_validate(content)
    except ValidationError as error:
        fault = error.errors()[0]
        place = tuple(step for step in fault["loc"] if step != "criteria")
        where, what = (*loc, *place), fault["msg"]
    except (KeyError, TypeError):
        where, what = loc, "an example has question, answer and verdict"
    else:
        where, what = loc, find_verdict_fault(example.verdict, rubric)
        quotes = [criterion.quote for criterion in example.verdict.criteria.values()]
        lacking = [quote for quote in quotes if quote not in example.answer]
        if not what and lacking:
            what = f"quote not in the answer: {lacking[0]!r}"
        if not what:
            criteria = {key: example.verdict.criteria[key] for key in rubric.keys}
            return example.model_copy(update={"verdict": Verdict(criteria=criteria)})
    raise ConfigError(f"{path}, line {line_of(tree, where)}: {dotted(where)}{what}.")


def build_messages(
    prompts: PromptSet, item: Item, *, language: Language, secret: bytes, text_limit: int
) -> Messages:
    """The call for one item; `text_limit` bounds quote, problems and rationale in characters."""
    turns = (
        *_shared_prefix(prompts, language, secret, text_limit),
        Message(role="user", content=_item_text(prompts, item, language, secret, text_limit)),
    )
    return Messages(turns=turns, call_id=opaque_id(item.item_id, secret))


def build_reask(prompts: PromptSet, language: Language, fault: str) -> Message:
    """The turn that says what was wrong with an invalid reply."""
    return Message(role="user", content=render(prompts, f"reask.{language}.j2", fault=fault))


def opaque_id(name: str, secret: bytes) -> str:
    """A digest that stands for an id in logs and at the endpoint: stems hold names."""
    text = b"id\0" + name.encode("utf-8", "replace")
    return hmac.digest(secret, text, "sha256").hex()[:16]


def fence_mark(question: str, answer: str, secret: bytes) -> str:
    """12 hex digits that do not occur in the answer."""
    for counter in range(1_000):
        text = f"fence\0{counter}\0{question}\0{answer}".encode("utf-8", "replace")
        mark = hmac.digest(secret, text, "sha256").hex()[:12]
        if mark not in answer.casefold():
            return mark
    raise ConfigError("no free fence mark: the answer holds a thousand of them.")


@lru_cache(maxsize=8)
def _shared_prefix(
    prompts: PromptSet, language: Language, secret: bytes, text_limit: int
) -> tuple[Message, ...]:
    turns = [Message(role="system", content=_system_text(prompts, language))]
    dump = dump_notes if prompts.scorer else dump_verdict
    for example in prompts.examples.get(language, ()):
        item = Item(item_id="", **example.model_dump(include={"question", "objective", "answer"}))
        text = _item_text(prompts, item, language, secret, text_limit)
        turns += [
            Message(role="user", content=text),
            Message(role="assistant", content=dump(example.verdict)),
        ]
    return tuple(turns)


def _system_text(prompts: PromptSet, language: Language) -> str:
    rubric = prompts.rubric
    criteria = [
        {
            "key": criterion.key,
            "name": _in_language(criterion.names, language),
            "asks": _in_language(criterion.asks, language),
            "anchors": sorted(_in_language(criterion.anchors, language).items()),
        }
        for criterion in rubric.criteria
    ]
    return render(prompts, f"system.{language}.j2", criteria=criteria, scale=rubric.scale)


def _item_text(
    prompts: PromptSet,
    item: Item,
    language: Language,
    secret: bytes,
    text_limit: int,
    extras: Extras | None = None,
) -> str:
    question, answer = neutralised(item.question), neutralised(item.answer or "")
    return render(
        prompts,
        f"item.{language}.j2",
        question=question,
        objective=item.objective and neutralised(item.objective),
        answer=answer,
        mark=fence_mark(question, answer, secret),
        text_limit=text_limit,
        **(extras or question_extras(prompts, item, language)),
    )


def question_extras(prompts: PromptSet, item: Item, language: Language) -> Extras:
    """What the set knows about a question: a note on its type, key points, known wrong claims."""
    kind = question_type(item.question, item.objective)
    points = points_of(prompts.points, item.question)
    return {
        "note": _in_language(prompts.rubric.notes.get(kind, {}), language),
        "key_points": in_neutral_order(points.key_points, language) if points else (),
        "wrong_claims": in_neutral_order(points.wrong_claims, language) if points else (),
    }


def render(prompts: PromptSet, template: str, **values: object) -> str:
    """One template with its values. Raises ConfigError that names file, line and variable."""
    path = prompts.folder / template
    try:
        found = prompts.templates.get_template(template)
        if not isinstance(found.globals, dict):
            # Each text begins as a copy of these; of a plain dictionary that is quick.
            found.globals = dict(found.globals)
        return found.render(**values).strip()
    except TemplateSyntaxError as error:
        raise ConfigError(f"{path}, line {error.lineno}: {error.message}.") from None
    except UndefinedError as error:
        known = ", ".join(sorted(values))
        raise ConfigError(f"{path}: {error.message}. Known variables: {known}.") from None
    except TemplateError as error:
        what = f": {error.message}" if error.message and error.message != template else ""
        raise ConfigError(f"{path}: cannot be used ({type(error).__name__}{what}).") from None
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise ConfigError(f"{path}: cannot be used ({type(error).__name__}: {error}).") from None


def rehearse(prompts: PromptSet) -> None:
    """Render every language once, so that a broken template is refused before any call."""
    shown = {"question": "a question?", "objective": "an objective", "answer": "an answer!"}
    item = Item(item_id="", **shown)
    mark = fence_mark(item.question, item.answer or "", b"rehearsal")
    for language in LANGUAGES:
        text = _item_text(prompts, item, language, b"rehearsal", 40)
        for name, value in {**shown, "mark": mark}.items():
            if value not in text:
                raise ConfigError(f"{prompts.folder}/item.{language}.j2: does not show {name}.")
        _item_text(prompts, item.model_copy(update={"objective": None}), language, b"", 40)
        rehearse_extras(prompts, item, language)
        _system_text(prompts, language)
        if "a fault" not in build_reask(prompts, language, "a fault").content:
            raise ConfigError(f"{prompts.folder}/reask.{language}.j2: does not show fault.")


def rehearse_extras(prompts: PromptSet, item: Item, language: Language) -> None:
    """A template has to show what the set says about questions."""
    points = prompts.points.values()
    used = {
        "note": any(prompts.rubric.notes.values()),
        "key_points": any(any(entry.key_points.values()) for entry in points),
        "wrong_claims": any(any(entry.wrong_claims.values()) for entry in points),
    }
    extras: Extras = {
        "note": "[note]",
        "key_points": ["[key_points]"],
        "wrong_claims": ["[wrong_claims]"],
    }
    text = _item_text(prompts, item, language, b"rehearsal", 40, extras)
    for name, wanted in used.items():
        if wanted and f"[{name}]" not in text:
            raise ConfigError(f"{prompts.folder}/item.{language}.j2: does not show {name}.")


def _in_language(by_language: Mapping[str, Any], language: Language) -> Any:
    if language in by_language or not by_language:
        return by_language.get(language, "")
    return next(iter(by_language.values()))
