"""What a session is going to do: which items are open, and how large their prompts are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from pipeline.errors import ConfigError
from pipeline.gates import sent_part
from pipeline.grading import Recipe, count_characters, gated_outcome, messages_for
from pipeline.journal import Journal
from pipeline.records import FAILED, Interview, Item, Language, Messages

Task = tuple[Interview, Item]
LanguageChoice = Literal["auto", "zh", "en"]
SHORTEST = Item(item_id="", question="?", objective="?", answer="!")


@dataclass(frozen=True)
class Plan:
    """The items of one session."""

    to_call: tuple[Task, ...]
    """Items that need the endpoint; one language after the other, so that prefixes are shared."""
    gated: tuple[Task, ...]
    """Items that end at a gate."""
    context_tokens: int
    """Upper estimate of the longest prompt and reply together; 0 without calls."""
    calls: int
    """Calls at least: one for each sample of these items."""
    prompt_tokens: tuple[int, int]
    """Lower and upper estimate of all prompts together."""


def make_plan(
    interviews: Sequence[Interview],
    recipe: Recipe,
    *,
    journal: Journal | None = None,
    language: LanguageChoice = "auto",
    limit: int | None = None,
    retry_errors: bool = False,
) -> Plan:
    """What is still to be done; `limit` bounds the items attempted in this session."""
    todo = [
        (interview, item)
        for interview in interviews
        for item in interview.items
        if journal is None or is_open(interview, item, journal, retry_errors)
    ][:limit]
    gated = [task for task in todo if gated_outcome(task[1], task[0].id, recipe)]
    ended = {item.item_id for _, item in gated}
    to_call = [task for task in todo if task[1].item_id not in ended]
    to_call.sort(key=lambda task: language_of(task[0], language), reverse=True)
    sizes = list(estimate_sizes(to_call, language, recipe))
    longest = max((most for _, most in sizes), default=0)
    return Plan(
        to_call=tuple(to_call),
        gated=tuple(gated),
        context_tokens=longest + 2 * recipe.max_tokens if sizes else 0,
        prompt_tokens=(
            recipe.samples * sum(least for least, _ in sizes),
            recipe.samples * sum(most for _, most in sizes),
        ),
        calls=recipe.samples * len(to_call),
    )


def is_open(interview: Interview, item: Item, journal: Journal, retry_errors: bool) -> bool:
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
        sent = item.question + (item.objective or "") + sent_part(item.answer or "").text
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


def check_ids(interviews: Sequence[Interview]) -> None:
    """Raise ConfigError where an interview or item id stands twice."""
    _check_unique("interview", (interview.id for interview in interviews))
    _check_unique("item", (item.item_id for one in interviews for item in one.items))


def _check_unique(kind: str, ids: Iterable[str]) -> None:
    seen: set[str] = set()
    for name in ids:
        if name in seen:
            raise ConfigError(f"the {kind} id {name!r} stands twice; ids must be unique in a run.")
        seen.add(name)
