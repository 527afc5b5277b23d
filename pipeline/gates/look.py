"""What a reviewer should look at in one item, found before any call. Nothing lowers a score."""

from __future__ import annotations

from pipeline.claims import contradicts_itself
from pipeline.flags import in_order
from pipeline.gates.echo import echoes_question
from pipeline.gates.injection import injected_spans
from pipeline.gates.language import is_code_only, is_other_language
from pipeline.gates.length import LIMIT, sent_part
from pipeline.gates.repeats import is_padded, repeats_a_pattern
from pipeline.neutral import hides_something
from pipeline.records import Item, Record
from pipeline.truncation import truncation_flags


class Noted(Record):
    """Flags of an item, and what they are about."""

    flags: tuple[str, ...] = ()
    """Names from the table of flags."""
    notes: tuple[str, ...] = ()
    """In plain words, without any text of the candidate."""

    def __add__(self, other: Noted) -> Noted:
        return Noted(
            flags=in_order({*self.flags, *other.flags}),
            notes=tuple(dict.fromkeys((*self.notes, *other.notes))),
        )


def look(item: Item, limit: int | None = LIMIT) -> Noted:
    """The flags that an item's own text gives rise to.

    Of it `limit` characters are sent; None where nothing is sent.
    """
    answer = item.answer or ""
    found = {
        "injection": bool(injected_spans(answer)),
        "question_echo": echoes_question(item),
        "repetition": repeats_a_pattern(answer),
        "padding": is_padded(answer),
        "other_language": is_other_language(item),
        "code_only": is_code_only(answer),
        "hidden_characters": hides_something(answer),
        "self_contradiction": contradicts_itself(answer),
    }
    flags = {*truncation_flags(answer), *(name for name, yes in found.items() if yes)}
    if limit is not None and (note := sent_part(answer, limit).note):
        return Noted(flags=in_order({*flags, "over_length"}), notes=(note,))
    return Noted(flags=in_order(flags))


def look_at_hidden(answer: str) -> tuple[str, ...]:
    """The flags of an item that ends at a gate: only a message that it hides matters there."""
    return ("injection", "hidden_characters") if injected_spans(answer) else ()
