"""The templates, with all that they may call. Everything that is filled in is escaped."""

from __future__ import annotations

from jinja2 import PackageLoader, StrictUndefined
from jinja2.sandbox import SandboxedEnvironment
from markupsafe import Markup, escape

from pipeline.records import Language
from pipeline.report.chart import ROW_HEIGHT, WIDTH
from pipeline.report.phrases import speaker
from pipeline.report.words import MATCH_WORDS, MODE_WORDS, RECOMMENDATION_WORDS, STATUS_WORDS, word
from pipeline.table.numbers import at_most, fixed
from pipeline.visible import named, odd_runs, on_one_line, plain


def environment() -> SandboxedEnvironment:
    """A new environment."""
    made = SandboxedEnvironment(
        loader=PackageLoader("pipeline.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(
        fixed=fixed, at_most=at_most, visible=visible, plain=plain, line=on_one_line
    )
    made.globals.update(
        status_words=STATUS_WORDS,
        mode_words=MODE_WORDS,
        match_words=MATCH_WORDS,
        recommendation_words=RECOMMENDATION_WORDS,
        chart_row=ROW_HEIGHT,
        chart_width=WIDTH,
        speaker=speaker,
        tag=language_tag,
        word=word,
    )
    return made


def language_tag(language: Language) -> str:
    """The tag that picks fonts and voices: Chinese here is in simplified characters."""
    return "zh-CN" if language == "zh" else language


def visible(text: object) -> Markup:
    """Escaped text in which characters that cannot be seen are marked and turn nothing round.

    They stay where they are, so that the text of the element is still what was graded.
    """
    if isinstance(text, Markup):
        return text
    whole = str(text)
    runs = odd_runs(whole)
    if not runs:
        return escape(whole)
    parts, done = [], 0
    for start, end in runs:
        run = whole[start:end]
        parts.append(escape(whole[done:start]))
        parts.append(Markup('<bdi class="odd" data-code="{}">{}</bdi>').format(named(run), run))
        done = end
    return Markup("").join((*parts, escape(whole[done:])))
