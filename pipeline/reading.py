"""Prompt set -> the text that a model only reads, for a scorer.

The answer stands last, so that the model reads it with question and aim in mind. Nothing is
generated from this text: an instruction in the answer has nobody to talk to.
"""

from __future__ import annotations

import re
from collections import Counter

from pipeline.answer_features import features_of
from pipeline.code_text import is_code_line
from pipeline.folding import fold
from pipeline.gates import without_codes
from pipeline.introduction import without_introduction
from pipeline.key_points import points_of
from pipeline.neutral import neutralised
from pipeline.prompt import PromptSet, render
from pipeline.records import Item, Language, Reading

TIMES = 3
"""A sentence that stands so often is read once: the rest would drown what else is said."""
LEAST = 4
"""Folded characters of it."""
_SENTENCE = re.compile(
    r"[^。！？!?；\n.]*(?:\.(?!\s)[^。！？!?；\n.]*)*(?:[。！？!?；\n]+|\.(?=\s)\s*|$)"
)


def build_reading(prompts: PromptSet, item: Item, language: Language) -> Reading:
    """The reading of one item."""
    frame = reading_frame(prompts, item, language)
    return Reading(before=frame, answer=what_is_read(item.answer or "", item.question))


def plain_features(item: Item) -> tuple[float, ...]:
    """The plain features of an item, counted on what is read of the answer."""
    answer = what_is_read(item.answer or "", item.question)
    return features_of(item.question, item.objective, answer)


def what_is_read(answer: str, question: str = "") -> str:
    """All that answers: not what is said over and over, had to be decoded, or says who speaks.

    The states at letters without meaning are much like those at a good answer. An answer that is
    nothing else is read as it stands.
    """
    shown = neutralised(answer).strip()
    rest = without_introduction(without_repeats(without_codes(shown)), question)
    return rest.strip() or shown


def without_repeats(answer: str) -> str:
    """The answer, of a sentence that stands three times or more only the first; code is kept."""
    sentences = [found[0] for found in _SENTENCE.finditer(answer)]
    keys = [fold(sentence).text for sentence in sentences]
    often = {key for key, times in Counter(keys).items() if times >= TIMES and len(key) >= LEAST}
    if not often:
        return answer
    seen: set[str] = set()
    kept = []
    for key, sentence in zip(keys, sentences, strict=True):
        if key in seen and not is_code_line(sentence):
            continue
        kept.append(sentence)
        seen |= {key} & often
    return "".join(kept).strip() if len(kept) < len(sentences) else answer


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
