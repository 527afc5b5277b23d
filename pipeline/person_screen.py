"""One candidate on the terminal: the same as on the pages, as plain lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

from pipeline.records import Language, Rubric
from pipeline.report import CopyView, PersonView, Queue
from pipeline.report.chart import WIDTH, Bar
from pipeline.report.copy import CopyItem
from pipeline.report.criteria import CriterionView
from pipeline.report.highlight import Segment
from pipeline.report.items import ItemView
from pipeline.report.phrases import Say, speaker
from pipeline.report.words import MATCH_WORDS, STATUS_WORDS, word
from pipeline.reviews import Review
from pipeline.table.numbers import fixed
from pipeline.visible import on_one_line, plain

BAR = 20
"""Cells of a whole bar."""


def person_lines(
    view: PersonView,
    rubric: Rubric,
    reviews: Mapping[str, Review],
    queue: Queue,
    *,
    evidence: bool,
) -> Iterator[str]:
    """The recruiter's page, and with `evidence` what the reviewer needs beside it."""
    t = speaker(view.language)
    yield from _card(view, rubric, t)
    if not evidence:
        return
    yield from ("", t("evidence", name=plain(view.name)))
    for item in view.items:
        yield from _item(item, view, rubric, t)
        yield from _decisions(item, view, reviews, queue, t)
    for name, text in (("intro", view.interview.intro), ("comment", view.interview.comment)):
        if text:
            yield from ("", f"{t(name)}:", *_indented(text))


def _card(view: PersonView, rubric: Rubric, t: Say) -> Iterator[str]:
    card, one = view.card, view.candidate
    known = dict.fromkeys([view.name, one.interview_id, one.role])
    yield " · ".join(on_one_line(text, 80) for text in known if text)
    yield f"{card.advice} ({t('advisory')})"
    yield from _listed(card.reasons)
    overall = f"{card.overall} {t('of', x=rubric.scale[1])}" if card.overall else t("no_score_big")
    yield f"{t('overall')}: {overall}"
    yield from (f"  {line}" for line in (*card.meaning, card.coverage, card.decided) if line)
    if card.coverage:
        yield "  " + ", ".join(f"{count} {meaning}" for _, meaning, count in card.strip.legend)
    yield from ("", t("means_title"), *_bars(view.bars))
    yield from ("", t("ask_next"))
    for ask in card.asks:
        yield f"  Q{plain(ask.number)} {on_one_line(ask.question, 60)}"
        yield f"     {plain(ask.why)}"
    if not card.asks:
        yield f"  {t('ask_none')}"
    yield from ("", t("people"))
    needs = [f"Q{need.number} {'; '.join(need.reasons)}" for need in card.needs]
    people = [*card.contradictions, *card.shared, *needs]
    yield from _listed(people or [t("people_none")])
    if more := card.more_asks + card.more_needs:
        yield f"  {t('more', n=more)}"
    if card.warnings:
        yield from ("", t("doubts"), *_listed(card.warnings))


def _item(item: ItemView, view: PersonView, rubric: Rubric, t: Say) -> Iterator[str]:
    yield from _question(item, t)
    if item.overall and item.status == "scored":
        points = (item.overall, item.width, t("of", x=rubric.scale[1]), item.band)
        yield f"   {' '.join(filter(None, points))}"
    else:
        ended = word(STATUS_WORDS, item.status, view.language)
        yield f"   {item.overall or t('no_score')} – {ended} ({item.status})"
    if item.uncapped:
        caps = "; ".join(item.caps)
        yield f"   {t('capped')}: {t('capped_line', a=item.uncapped, b=item.overall)} – {caps}"
    if item.uncertain:
        yield f"   {t('uncertainty')}: {item.uncertain}"
    if item.outcome and item.outcome.reason:
        yield f"   {t('reason')}: {plain(item.outcome.reason)}"
    yield from _answer(item, t)
    if item.status == "scored":
        for part in item.criteria:
            yield from _criterion(part, view.language, t, own=False)


def _decisions(
    item: ItemView, view: PersonView, reviews: Mapping[str, Review], queue: Queue, t: Say
) -> Iterator[str]:
    """Flags, second look, the queue and what a reviewer decided."""
    name, review = item.item.item_id, reviews.get(item.item.item_id)
    cleared = review.cleared_flags if review else ()
    for flag in item.flags:
        blocks = f" {t('blocks')}" if flag.blocks and flag.name not in cleared else ""
        yield f"   ! {plain(flag.name)}: {flag.meaning}{blocks}"
    if item.second_look:
        yield f"   {t('second_look')}: {item.second_look}"
    if place := queue.get(name):
        line = t("queue_line", a=place[0], b=len(queue), c=place[1].priority)
        yield f"   {t('queue')}: {line}{plain('; '.join(view.needs[name]))}"
    if review:
        who = t("reviewed_by", who=review.reviewer, when=review.when[:10])
        changed = review.changes and review.after is not None
        after = t("review_set", a=fixed(review.after, 1)) if changed else t("review_confirmed")  # type: ignore[arg-type]
        yield f"   {t('reviewed')} {plain(who)}{after}. {plain(review.why)}".rstrip()


def copy_lines(copy: CopyView, rubric: Rubric) -> Iterator[str]:
    """What a candidate may be given."""
    t, (low, high) = speaker(copy.language), rubric.scale
    yield t("copy_title")
    yield " · ".join(on_one_line(x, 80) for x in (copy.name, copy.interview_id, copy.role) if x)
    yield from ("", plain(t("copy_intro", model=copy.model, date=copy.date)), t("copy_saw"))
    if copy.redacted:
        yield t("copy_redacted")
    yield t(copy.how, low=low, high=high)
    if copy.unmeasured:
        yield t("copy_unmeasured")
    overall = f"{copy.overall} {t('of', x=high)}" if copy.overall else t("no_score_big")
    yield from ("", f"{t('copy_overall')}: {overall} {copy.band}".rstrip())
    yield f"  {t('copy_answered', asked=copy.asked, answered=copy.answered)}"
    yield f"  {t('copy_overall_line', graded=copy.graded, asked=copy.asked, low=low)}"
    yield from _bars(copy.bars)
    yield from chain.from_iterable(_own_item(item, copy, rubric, t) for item in copy.items)
    yield from ("", t("copy_contest"), t("copy_contest_line"))


def _own_item(one: CopyItem, copy: CopyView, rubric: Rubric, t: Say) -> Iterator[str]:
    yield from _question(one.view, t)
    got = f"{one.overall} {t('of', x=rubric.scale[1])}" if one.overall else t("no_score")
    yield f"   {got} {one.band}".rstrip()
    yield from (f"   {line}" for line in (one.state, one.person) if line)
    yield from (f"   {t('copy_noticed')}: {text}" for text in one.noticed)
    yield from _answer(one.view, t)
    if one.view.status == "scored":
        for part in one.view.criteria:
            yield from _criterion(part, copy.language, t, own=True)


def _question(item: ItemView, t: Say) -> Iterator[str]:
    yield ""
    yield f"Q{plain(item.number)} {' '.join(plain(item.item.question).split())}"
    if item.item.objective:
        yield f"   {t('objective')}: {' '.join(plain(item.item.objective).split())}"
    yield f"   {t('type')}: {item.question_type}. {item.note}".rstrip(". ")


def _answer(item: ItemView, t: Say) -> Iterator[str]:
    answer = item.item.answer
    if answer is None:
        yield f"   {t('no_answer')}"
    elif not answer.strip():
        yield f"   {t('empty_answer')}"
    else:
        yield from _indented("".join(_with_marks(item.segments)))


def _with_marks(segments: Sequence[Segment]) -> Iterator[str]:
    """The answer with [A> where a quote begins and <A] where it ends."""
    for segment in segments:
        yield "".join(f"[{label}>" for label in segment.opens)
        yield segment.text
        yield "".join(f"<{label}]" for label in segment.closes)


def _criterion(part: CriterionView, language: Language, t: Say, *, own: bool) -> Iterator[str]:
    width = "" if own else part.width
    yield f"   {part.label} {part.name}: {part.score or t('not_asked')} {width}".rstrip()
    if not part.score:
        return
    if part.anchor:
        yield f"     {part.anchor}"
    found = part.match in ("exact", "approximate")
    if part.quote and (found or not own):
        how = "" if own else f" ({word(MATCH_WORDS, part.match, language)})"
        yield f"     “{plain(part.quote)}”{how}"
    elif part.explained:
        yield f"     {t('copy_no_quote') if own else word(MATCH_WORDS, 'none', language)}"
    for name, text in (("problems", part.problems), ("rationale", part.rationale)):
        if text:
            yield f"     {t(name)}: {plain(text)}"


def _bars(bars: Iterable[Bar]) -> Iterator[str]:
    for bar in bars:
        share = float(bar.length or 0) / WIDTH
        filled = round(share * BAR)
        yield f"  {'█' * filled}{'·' * (BAR - filled)} {bar.value:>4}  {bar.full_name}"


def _listed(lines: Iterable[str]) -> Iterator[str]:
    return (f"  - {plain(line)}" for line in lines)


def _indented(text: str) -> Iterator[str]:
    return (f"   | {line}" for line in plain(text).split("\n"))
