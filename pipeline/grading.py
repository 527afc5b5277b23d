"""One item, end to end: gate, messages, reply, verdict, grade. The endpoint is passed in."""

from __future__ import annotations

import asyncio
import re
import time
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from pipeline.errors import (
    CallError,
    ContentFiltered,
    EndpointError,
    PromptTruncated,
    Refused,
    TruncatedReply,
    Unparseable,
)
from pipeline.expected import expected_scores
from pipeline.flags import in_order
from pipeline.gates import LIMIT, Noted, check, injected_spans, look, look_at_hidden, sent_part
from pipeline.key_points import points_of
from pipeline.notes import no_notes, notes_schema, parse_notes
from pipeline.odd_replies import read_verdict
from pipeline.prompt import PromptSet, build_messages, build_reask, opaque_id
from pipeline.question_type import question_type
from pipeline.reading import build_reading, plain_features
from pipeline.records import (
    Complete,
    Grade,
    Item,
    Language,
    Message,
    Messages,
    Outcome,
    Reply,
    ScoreMode,
    Usage,
)
from pipeline.scoring import flags_of_grade, grade_verdict, zero_grade
from pipeline.uncertainty import with_uncertainty
from pipeline.verdict import InvalidVerdict, reply_schema

REASKS = 1
"""How often an invalid verdict is asked for again."""
_RUN = re.compile(r"(.)\1{3,}", re.DOTALL)
_WIDE = re.compile("[\u2e80-\U0010ffff]+")


@dataclass(frozen=True)
class Recipe:
    """All that is the same for every item of a run."""

    prompts: PromptSet
    secret: bytes
    expected: bool = False
    text_limit: int = 300
    schema_bounds_texts: bool = False
    max_tokens: int = 2048
    deadline: float = 600.0
    """Seconds an item may take in all."""
    samples: int = 1
    """Verdicts asked for; the median of each criterion counts."""
    answer_limit: int = LIMIT
    """Characters of an answer that are sent; of longer ones the ends."""
    explain: bool = True
    """Whether a scorer's points get quotes and problems."""

    @property
    def sends(self) -> bool:
        """Whether the model is sent turns to reply to, or only reads the answer."""
        return self.explain or self.prompts.scorer is None


@dataclass
class Tally:
    """What the calls for one item have used so far."""

    attempts: int = 0
    usage: Usage = field(default_factory=Usage)
    model: str | None = None
    replies: list[str] = field(default_factory=list)
    unread: int = 0
    """Tokens of the answer that the reading left out."""
    unread_frame: int = 0
    """Those of the question, its aim and key points."""

    def add(self, reply: Reply) -> None:
        """Count one reply."""
        self.attempts += reply.attempts
        self.usage += reply.usage
        self.model = reply.model or self.model
        self.replies.append(reply.text)
        self.unread = self.unread or reply.unread
        self.unread_frame = self.unread_frame or reply.unread_frame

    @property
    def noted(self) -> Noted:
        """What a reviewer should know of the reading."""
        cut = {"answer": self.unread, "question with its aim and key points": self.unread_frame}
        notes = tuple(
            f"{tokens:,} tokens from the middle of the {what} were not read for the points"
            for what, tokens in cut.items()
            if tokens
        )
        return Noted(flags=("over_length",) if notes else (), notes=notes)


def gated_outcome(item: Item, interview_id: str, recipe: Recipe) -> Outcome | None:
    """The outcome of an item that needs no call, or None."""
    gate = check(item)
    if gate is None:
        return None
    return Outcome(
        item_id=item.item_id,
        interview_id=interview_id,
        status=gate.status,
        grade=None if gate.status == "missing" else _zero_grade(item, recipe),
        reason=gate.reason,
        flags=in_order({*item.flags, *look_at_hidden(item.answer or "")}),
        prompt_version=recipe.prompts.version,
    )


def _zero_grade(item: Item, recipe: Recipe) -> Grade:
    kind = question_type(item.question, item.objective)
    return zero_grade(recipe.prompts.rubric, profile=kind)


async def grade_item(
    item: Item, interview_id: str, language: Language, recipe: Recipe, complete: Complete
) -> Outcome:
    """Grade one item. Never raises CallError: it becomes the outcome's status and reason."""
    if outcome := gated_outcome(item, interview_id, recipe):
        return outcome
    tally, started = Tally(), time.monotonic()
    noted = look(item, recipe.answer_limit if recipe.sends else None)
    grade: Grade | None = None
    points = points_of(recipe.prompts.points, item.question)
    flags: tuple[str, ...] = ()
    reason = ""
    try:
        async with asyncio.timeout(recipe.deadline):
            grade, flags = await _ask_for_grade(item, language, recipe, complete, tally)
        flags = (*flags, *_flags_of_grade(grade, item, noted))
        noted += tally.noted
    except TimeoutError:
        error: CallError = EndpointError(f"not finished within {recipe.deadline:g} s")
        status, reason = error.status, str(error)
    except CallError as call_error:
        status, reason = call_error.status, str(call_error)
        tally.attempts += call_error.attempts
    return Outcome(
        item_id=item.item_id,
        interview_id=interview_id,
        status="scored" if grade else status,
        grade=grade,
        reason="; ".join(filter(None, (reason, *noted.notes))),
        flags=in_order({*item.flags, *flags, *noted.flags}),
        model=tally.model,
        prompt_version=recipe.prompts.version,
        attempts=tally.attempts,
        usage=tally.usage,
        seconds=round(time.monotonic() - started, 3),
        replies=tuple(tally.replies),
        key_points=points.name if points else "",
    )


async def _ask_for_grade(
    item: Item, language: Language, recipe: Recipe, complete: Complete, tally: Tally
) -> tuple[Grade, tuple[str, ...]]:
    messages = messages_for(item, language, recipe)
    state: tuple[float, ...] = ()
    for round_ in range(REASKS + 1):
        reply, doubts = await _ask(messages, complete, tally)
        state = reply.state or state
        try:
            if reply.state != state:
                reply = reply.model_copy(update={"state": state})
            grade, repairs = grade_reply(reply, item, recipe, language)
        except InvalidVerdict as error:
            fault = str(error)
            if round_ < REASKS:
                messages = with_reask(messages, reply, fault, language, recipe)
        else:
            return grade, (*doubts, *repairs)
    raise Unparseable(f"no valid verdict after {REASKS + 1} replies: {fault}")


def _flags_of_grade(grade: Grade, item: Item, noted: Noted) -> tuple[str, ...]:
    injected = injected_spans(item.answer or "") if "injection" in noted.flags else ()
    return flags_of_grade(grade, injected)


def messages_for(item: Item, language: Language, recipe: Recipe) -> Messages:
    """The first call for an item; of a very long answer its head and tail are sent."""
    if not recipe.sends:
        return Messages(
            turns=(),
            reading=build_reading(recipe.prompts, item, language),
            max_tokens=recipe.max_tokens,
            call_id=opaque_id(item.item_id, recipe.secret),
        )
    part = sent_part(item.answer or "", recipe.answer_limit)
    messages = build_messages(
        recipe.prompts,
        item.model_copy(update={"answer": part.text}),
        language=language,
        secret=recipe.secret,
        text_limit=recipe.text_limit,
    )
    bound = recipe.text_limit if recipe.schema_bounds_texts else None
    changed: dict[str, Any] = {"max_tokens": recipe.max_tokens}
    if recipe.prompts.scorer is None:
        changed["reply_schema"] = reply_schema(recipe.prompts.rubric, bound)
    else:
        changed["reading"] = build_reading(recipe.prompts, item, language)
        changed["reply_schema"] = notes_schema(recipe.prompts.rubric, bound)
    return messages.model_copy(update=changed)


def with_reask(
    messages: Messages, reply: Reply, fault: str, language: Language, recipe: Recipe
) -> Messages:
    """The call once more, with the invalid reply and what was wrong with it.

    Some endpoints have an empty content in JSON mode, so the second try does without.
    """
    said = Message(role="assistant", content=reply.text[:4_000] or "-")
    asked = build_reask(recipe.prompts, language, fault)
    changed: dict[str, Any] = {"turns": (*messages.turns, said, asked), "reading": None}
    if not reply.text.strip():
        changed["reply_schema"] = None
    return messages.model_copy(update=changed)


def grade_reply(
    reply: Reply, item: Item, recipe: Recipe, language: Language
) -> tuple[Grade, tuple[str, ...]]:
    """The grade that a whole reply stands for, with flags about how it was read.

    Raises InvalidVerdict or EndpointError.
    """
    rubric, answer = recipe.prompts.rubric, item.answer or ""
    kind = question_type(item.question, item.objective)
    if scorer := recipe.prompts.scorer:
        plain = plain_features(item) if scorer.features else ()
        scores = scorer.scores(reply.state, language, plain)
        written = reply.text if recipe.explain else no_notes(rubric)
        verdict = parse_notes(written, rubric, scores)
        mode: ScoreMode = "expected"
        grade = grade_verdict(verdict, answer, rubric, mode=mode, scores=scores, profile=kind)
        grade = grade.model_copy(update={"explained": recipe.explain})
        inside = scorer.support is None or scorer.support.holds(reply.state, language)
        grade = with_uncertainty(grade, scorer.uncertainty, kind, rubric.scale, inside=inside)
        return grade, ("low_confidence",) if grade.abstention else ()
    verdict, repaired = read_verdict(reply.text, rubric, answer)
    if not recipe.expected:
        grade = grade_verdict(verdict, answer, rubric, mode="verdict", profile=kind)
        return grade, ("repaired",) if repaired else ()
    if repaired:
        raise InvalidVerdict("the JSON object must stand alone and be plain JSON")
    scores = expected_scores(reply, rubric)
    grade = grade_verdict(verdict, answer, rubric, mode="expected", scores=scores, profile=kind)
    return grade, ()


async def _ask(
    messages: Messages, complete: Complete, tally: Tally
) -> tuple[Reply, tuple[str, ...]]:
    """A whole reply: why the model stopped is looked at before what it said."""
    for allowance in (1, 2):
        asked = messages
        if allowance > 1:
            asked = messages.model_copy(update={"max_tokens": messages.max_tokens * allowance})
        reply = await complete(asked)
        tally.add(reply)
        if reply.finish_reason == "content_filter":
            raise ContentFiltered("the provider's content filter stopped the reply")
        if reply.refusal:
            raise Refused("the model declined to grade this answer")
        doubts = doubts_about_prompt(messages, reply)
        if reply.finish_reason != "length":
            return reply, doubts
    raise TruncatedReply(f"cut at {asked.max_tokens} tokens, twice the first allowance")


def doubts_about_prompt(messages: Messages, reply: Reply) -> tuple[str, ...]:
    """Flags where the reported prompt tokens look too few. Raises PromptTruncated below half."""
    reported = reply.usage.input_tokens
    # Three characters to a token is more than any prompt has at least, and quick to tell.
    if not reported or 3 * reported >= sum(len(turn.content) for turn in messages):
        return ()
    least = fewest_tokens(messages)
    if reported >= least:
        return ()
    # Some servers count only the tokens that they did not take from their cache.
    if reported + (reply.usage.cached_tokens or 0) >= least:
        return ()
    if reported < least / 2:
        raise PromptTruncated(f"the endpoint saw {reported} prompt tokens of at least {least}")
    return ("prompt_doubt",)


def fewest_tokens(messages: Messages) -> int:
    """A lower bound of the prompt's tokens: 3 CJK characters or 10 others to a token.

    A run of one character, such as an indent or a ruled line, can be a single token.
    """
    counts = [_counts_without_runs(turn.content) for turn in messages]
    return sum(wide for wide, _ in counts) // 3 + sum(other for _, other in counts) // 10


@lru_cache(maxsize=64)
def _counts_without_runs(text: str) -> tuple[int, int]:
    """Of most calls all turns but one are the same."""
    return count_characters(_RUN.sub(r"\1", text))


def count_characters(text: str) -> tuple[int, int]:
    """CJK characters, and others."""
    other = len(_WIDE.sub("", text))
    return len(text) - other, other
