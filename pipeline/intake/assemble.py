"""Drafts to interviews: ids, settled answers, language, doubts in plain words."""

from __future__ import annotations

from pipeline.intake.blank import settle
from pipeline.intake.compose import chinese
from pipeline.intake.doubts import answer_flags, doubts
from pipeline.intake.draft import Draft, Options, Pair, Source
from pipeline.intake.numerals import years
from pipeline.records import Interview, Item, Language


def assemble(draft: Draft, source: Source, interview_id: str, options: Options) -> Interview:
    """The interview of a draft under the id it was given."""
    items = tuple(
        _item(pair, f"{interview_id}#{position}")
        for position, pair in enumerate(draft.pairs, start=1)
    )
    fields = draft.fields
    return Interview(
        id=interview_id,
        source=source.name,
        language=_language(items, options),
        candidate=fields.get("candidate"),
        role=fields.get("role"),
        years_experience=years(fields.get("years_experience", "")),
        profile=fields.get("profile"),
        intro=fields.get("intro"),
        items=items,
        comment=fields.get("comment"),
        warnings=(*draft.warnings, *doubts(items)),
    )


def _item(pair: Pair, item_id: str) -> Item:
    answer, reason = None, pair.missing_reason
    if pair.answer is not None:
        settled = settle(pair.answer, pair.question)
        answer, reason = settled.answer, settled.missing_reason
    return Item(
        item_id=item_id,
        number=pair.number,
        question=pair.question,
        objective=pair.objective,
        answer=answer,
        line=pair.line,
        page=pair.page,
        flags=answer_flags(answer),
        missing_reason=reason,
        turns=pair.turns,
        comment=pair.comment,
        source_scores=dict(pair.scores),
    )


def _language(items: tuple[Item, ...], options: Options) -> Language:
    if options.language != "auto":
        return options.language
    sample = " ".join(item.question for item in items[:50])[:2_000]
    return "zh" if chinese(sample) else "en"
