"""What a session is going to do: which items are open, and how large their prompts are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Literal, Protocol

from pipeline.errors import ConfigError
from pipeline.gates import sent_part
from pipeline.grading import Recipe, count_characters, gated_outcome, messages_for
from pipeline.prompt import question_extras
from pipeline.records import FAILED, Interview, Item, Language, Messages

Task = tuple[Interview, Item]
LanguageChoice = Literal["auto", "zh", "en"]
LANGUAGES: tuple[Language, ...] = ("zh", "en")
"""In the order in which they are graded."""
SHORTEST = Item(item_id="", question="?", objective="?", answer="!")


class Finished(Protocol):
    """What earlier sessions of a run have done."""

    @property
    def statuses(self) -> Mapping[str, str]:
        """The last status of each item."""

    def holds(self, item: Item, interview: Interview) -> bool:
        """Whether this very item was attempted, with this very text."""


@dataclass(frozen=True)
class Tasks:
    """Items of interviews that may lie on disk: their places, and nothing of their texts."""

    interviews: Iterable[Interview]
    places: Mapping[int, tuple[int, ...]]
    """By place of an interview, the places of its items."""
    language: LanguageChoice | None = None
    """Where given, one language comes after the other, so that prefixes are shared."""

    def __len__(self) -> int:
        return sum(map(len, self.places.values()))

    def __iter__(self) -> Iterator[Task]:
        if not self.places:
            return
        for spoken in LANGUAGES if self.language == "auto" else (None,):
            for index, interview in enumerate(self.interviews):
                if spoken in (None, interview.language):
                    for place in self.places.get(index, ()):
                        yield interview, interview.items[place]


@dataclass(frozen=True)
class Plan:
    """The items of one session."""

    to_call: Tasks | tuple[Task, ...]
    """Items that need the endpoint; one language after the other, so that prefixes are shared."""
    gated: Tasks | tuple[Task, ...]
    """Items that end at a gate."""
    context_tokens: int
    """Upper estimate of the longest prompt and reply together; 0 without calls."""
    calls: int
    """Calls at least: one for each sample of these items."""
    prompt_tokens: tuple[int, int]
    """Lower and upper estimate of all prompts together."""


def make_plan(
    interviews: Iterable[Interview],
    recipe: Recipe,
    *,
    journal: Finished | None = None,
    language: LanguageChoice = "auto",
    limit: int | None = None,
    retry_errors: bool = False,
) -> Plan:
    """What is still to be done; `limit` bounds the items attempted in this session.

    The interviews are gone through once here, and again when the plan's items are.
    """
    gated, called = Places(), Places()
    todo = islice(_open_items(interviews, journal, retry_errors), limit)

    def to_be_called() -> Iterator[Task]:
        for index, interview, place in todo:
            item = interview.items[place]
            if gated_outcome(item, interview.id, recipe):
                gated.add(index, place)
            else:
                called.add(index, place)
                yield interview, item

    least = most = longest = 0
    for low, high in estimate_sizes(to_be_called(), language, recipe):
        least, most, longest = least + low, most + high, max(longest, high)
    to_call = Tasks(interviews, called.by_index, language)
    return Plan(
        to_call=to_call,
        gated=Tasks(interviews, gated.by_index),
        context_tokens=longest + 2 * recipe.max_tokens if len(to_call) else 0,
        prompt_tokens=(recipe.samples * least, recipe.samples * most),
        calls=recipe.samples * len(to_call),
    )


class Places:
    """Places of items by place of their interview; equal rows of places are kept once."""

    def __init__(self) -> None:
        self.by_index: dict[int, tuple[int, ...]] = {}
        self._rows: dict[tuple[int, ...], tuple[int, ...]] = {}

    def add(self, index: int, place: int) -> None:
        """One more item."""
        row = (*self.by_index.get(index, ()), place)
        self.by_index[index] = self._rows.setdefault(row, row)


def _open_items(
    interviews: Iterable[Interview], journal: Finished | None, retry_errors: bool
) -> Iterator[tuple[int, Interview, int]]:
    for index, interview in enumerate(interviews):
        for place, item in enumerate(interview.items):
            if journal is None or is_open(interview, item, journal, retry_errors):
                yield index, interview, place


def is_open(interview: Interview, item: Item, journal: Finished, retry_errors: bool) -> bool:
    """Whether an item has still to be attempted."""
    if not journal.holds(item, interview):
        return True
    return retry_errors and journal.statuses[item.item_id] in FAILED


def estimate_sizes(
    tasks: Iterable[Task], language: LanguageChoice, recipe: Recipe
) -> Iterator[tuple[int, int]]:
    """Lower and upper estimate of each prompt's tokens: a short item's, and what is longer here."""
    frames: dict[Language, tuple[int, int]] = {}
    for interview, item in tasks:
        spoken = language_of(interview, language)
        if spoken not in frames:
            frames[spoken] = estimate_tokens(messages_for(SHORTEST, spoken, recipe))
        told = question_extras(recipe.prompts, item, spoken)
        known = "".join((told["note"], *told["key_points"], *told["wrong_claims"]))
        part = sent_part(item.answer or "", recipe.answer_limit)
        sent = item.question + (item.objective or "") + known + part.text
        least, most = zip(frames[spoken], tokens_of(sent), strict=True)
        yield sum(least), sum(most)


def estimate_tokens(messages: Messages) -> tuple[int, int]:
    """Lower and upper estimate of a prompt's tokens over the tokenizers in use."""
    least, most = tokens_of("".join(turn.content for turn in messages))
    return least + 8 * len(messages), most + 8 * len(messages)


def tokens_of(text: str) -> tuple[int, int]:
    """Lower and upper estimate of a text's tokens."""
    wide, other = count_characters(text)
    return int(wide * 0.55 + other * 0.22), int(wide * 1.0 + other * 0.45)


def language_of(interview: Interview, language: LanguageChoice) -> Language:
    """The prompt's language for an interview."""
    return interview.language if language == "auto" else language


def check_ids(interviews: Iterable[Interview]) -> None:
    """Raise ConfigError where an interview or item id stands twice."""
    _check_unique("interview", (interview.id for interview in interviews))
    _check_unique("item", (item.item_id for one in interviews for item in one.items))


def _check_unique(kind: str, ids: Iterable[str]) -> None:
    seen: set[str] = set()
    for name in ids:
        if name in seen:
            raise ConfigError(f"the {kind} id {name!r} stands twice; ids must be unique in a run.")
        seen.add(name)
