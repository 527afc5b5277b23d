"""Prompt set -> the text that a model only reads, for a scorer.

The answer stands last, so that the model reads it with question and aim in mind. Nothing is
generated from this text: an instruction in the answer has nobody to talk to.
"""

from __future__ import annotations

from pipeline.key_points import points_of
from pipeline.neutral import neutralised
from pipeline.prompt import PromptSet, render
from pipeline.records import Item, Language, Reading


def build_reading(prompts: PromptSet, item: Item, language: Language) -> Reading:
    """The reading of one item."""
    frame = reading_frame(prompts, item, language)
    return Reading(before=frame, answer=neutralised(item.answer or "").strip())


def reading_frame(prompts: PromptSet, item: Item, language: Language) -> str:
    """All that stands before the answer, a line break at its end."""
    points = points_of(prompts.points, item.question)
    text = render(
        prompts,
        f"reading.{language}.j2",
        question=neutralised(item.question),
        objective=item.objective and neutralised(item.objective),
        key_points="；".join(points.key_points.get(language, ())) if points else "",
    )
    return f"{text}\n"
