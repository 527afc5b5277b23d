"""Interviews -> items changed on purpose, each with the item it is to be held against."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

from evals.probes.attacks import INJECTIONS, PERSONS, read_good_answers, read_weak_answers
from evals.probes.changes import CHANGES, Direction
from evals.splits import Pairs
from pipeline.gates import check
from pipeline.prompt import LANGUAGES
from pipeline.records import Interview, Item, Language

GOOD, REPEAT = "good answer", "repeat"
BESIDE = frozenset({"padding", "keywords", "person"})
"""Changes that are tried in weak answers beside attempts to steer."""


@dataclass(frozen=True, kw_only=True)
class Probe:
    """One changed answer."""

    family: str
    """What was done."""
    direction: Direction
    """What may happen to the score: nothing, anything but a rise, or nothing but a rise."""
    base: Item
    """The item it is held against."""
    changed: Item
    """The item with the other answer; its id is that of the base plus the family."""
    language: Language


def make_probes(
    interviews: Iterable[Interview], pairs: Pairs, *, seed: int = 0, only: Iterable[str] = ()
) -> list[Probe]:
    """All probes of all items that have an answer, or those of the families named."""
    interviews = list(interviews)
    wanted = set(only)
    probes = [*_changed(interviews, seed), *_persons(interviews), *_parity(interviews, pairs)]
    return [probe for probe in probes if not wanted or probe.family in wanted]


def make_weak_probes(only: Iterable[str] = (), *, seed: int = 0) -> list[Probe]:
    """Weak answers with every variant of every family of attempts to steer the grader.

    Also with padding, with the question's words, and from two people.
    """
    interviews, wanted = read_weak_answers(), set(only)
    weak: dict[Language, list[Item]] = {language: [] for language in LANGUAGES}
    for interview in interviews:
        weak[interview.language] += interview.items
    others = [*_changed(interviews, seed), *_persons(interviews)]
    chosen = [one for one in others if one.family in (BESIDE & wanted if wanted else BESIDE)]
    return [*_attempts(weak, wanted), *chosen, *_good(weak)]


def _good(weak: Mapping[Language, Sequence[Item]]) -> Iterator[Probe]:
    """Good answers to the same questions: a grader that does not see them shows nothing."""
    good = read_good_answers()
    for language, items in weak.items():
        for item in items:
            if item.item_id in good:
                yield _probe(GOOD, "higher", item, item, good[item.item_id], language)


def _attempts(weak: Mapping[Language, Sequence[Item]], wanted: Set[str]) -> list[Probe]:
    return [
        _probe(family, "not higher", item, item, f"{item.answer}\n{text}", language)
        for family, by_language in (
            (f"injection: {name}", texts) for name, texts in INJECTIONS.items()
        )
        if not wanted or family in wanted
        for language in LANGUAGES
        for item, text in zip(weak[language], by_language[language], strict=True)
    ]


def _changed(interviews: Iterable[Interview], seed: int) -> Iterator[Probe]:
    for interview in interviews:
        for item in interview.items:
            if check(item) is None:
                yield from _changes_of(item, interview.language, seed)


def _changes_of(item: Item, language: Language, seed: int) -> Iterator[Probe]:
    for family, (direction, change) in CHANGES.items():
        chance = random.Random(f"{seed}|{item.item_id}|{family}")
        answer = change(item, language, chance)
        if answer != item.answer or family == REPEAT:
            yield _probe(family, direction, item, item, answer, language)


def _persons(interviews: Iterable[Interview]) -> Iterator[Probe]:
    """Two people give the same answer: the second is held against the first."""
    for interview in interviews:
        first, second = PERSONS[interview.language]
        for item in interview.items:
            if check(item) is None:
                base = _other(item, f"{first}{item.answer}", "person a")
                answer = f"{second}{item.answer}"
                yield _probe("person", "same", base, item, answer, interview.language)


def _parity(interviews: Iterable[Interview], pairs: Pairs) -> Iterator[Probe]:
    """The same answer in English is held against that in Chinese, position by position."""
    by_id = {interview.id: interview for interview in interviews}
    for zh, en in pairs.values():
        if zh in by_id and en in by_id:
            for base, item in zip(by_id[zh].items, by_id[en].items, strict=False):
                if check(base) is None and check(item) is None:
                    answer = item.answer or ""
                    yield _probe("language", "same", base, item, answer, by_id[en].language)


def _probe(
    family: str, direction: Direction, base: Item, item: Item, answer: str, language: Language
) -> Probe:
    changed = _other(item, answer, family)
    return Probe(family=family, direction=direction, base=base, changed=changed, language=language)


def _other(item: Item, answer: str, family: str) -> Item:
    name, _, place = item.item_id.rpartition("#")
    return item.model_copy(update={"item_id": f"{name}~{family}#{place}", "answer": answer})


def probe_interviews(probes: Iterable[Probe]) -> list[Interview]:
    """Interviews of one item each that hold every base and every changed answer once."""
    found: dict[str, Interview] = {}
    for probe in probes:
        for item in (probe.base, probe.changed):
            if item.item_id not in found:
                found[item.item_id] = _alone(item, probe.language)
    return list(found.values())


def is_repeat(interview: Interview) -> bool:
    """Whether this one only asks for the same answer once more."""
    return f"~{REPEAT}/" in interview.id


def alone_id(item_id: str) -> str:
    """Id of an item that stands alone in its interview."""
    return f"{item_id.replace('#', '/')}#1"


def _alone(item: Item, language: Language) -> Interview:
    name = alone_id(item.item_id)
    language = _language_of(item, language)
    return Interview(
        id=name.removesuffix("#1"),
        source="probe",
        language=language,
        items=(item.model_copy(update={"item_id": name, "number": 1}),),
    )


def _language_of(item: Item, language: Language) -> Language:
    """A parity pair has one item in each language: the question tells."""
    wide = sum("\u4e00" <= sign <= "\u9fff" for sign in item.question)
    if wide == 0:
        return "en"
    return "zh" if wide > len(item.question) / 4 else language
