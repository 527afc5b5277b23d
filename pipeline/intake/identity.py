"""Interview ids: the file's stem or the id in the file, told apart by folder where equal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from pipeline.intake.draft import Draft, Source, warned

Read = tuple[Source, Draft]


def told_apart(read: Sequence[Read]) -> Iterator[Read]:
    """The drafts; one whose id came before in the same source gets a number, and a warning."""
    seen: Counter[tuple[str, str]] = Counter()
    for source, draft in read:
        if draft.key is not None:
            place = (source.name, draft.key)
            seen[place] += 1
            if seen[place] > 1:
                draft = replace(draft, key=f"{draft.key}-{seen[place]}")
                draft = warned(draft, "its id came before in this file; a number was added to it")
        yield source, draft


def interview_ids(read: Sequence[Read]) -> list[str]:
    """One id per draft, unique, and independent of the order of reading."""
    names = [_name(source, draft, 0) for source, draft in read]
    depth = 0
    while len(set(names)) < len(names) and depth < 64:
        depth += 1
        counts = Counter(names)
        names = [
            _name(source, draft, depth) if counts[name] > 1 else name
            for name, (source, draft) in zip(names, read, strict=True)
        ]
    return names


def _name(source: Source, draft: Draft, depth: int) -> str:
    """Depth 0: stem or key; 1: with the suffix, or the file before the key; then the folders."""
    stem = source.parts[-1]
    if draft.key is not None:
        own = draft.key
        place = [stem, *reversed(source.parts[:-1])][:depth]
    else:
        own = stem + source.suffix if depth > len(source.parts) else stem
        place = list(reversed(source.parts[:-1]))[:depth]
    return "/".join([*reversed(place), own])
