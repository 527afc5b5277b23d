"""WebVTT and SubRip: cues to lines with a time and a speaker, then read as a dialogue."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pipeline.errors import InputError
from pipeline.intake.decode import decode
from pipeline.intake.draft import Draft, Line, Options, Source
from pipeline.intake.sources import read_whole
from pipeline.intake.transcript import read_transcript

_CUE = re.compile(r"\s*(\d{1,3}:\d{2}(?::\d{2})?)[.,]\d{1,3}\s*-->\s*\d")
_VOICE = re.compile(r"<v(?:\.[\w.]+)?\s+([^>]{1,60})>", re.I)
_TAG = re.compile(r"</?(?:v|c|i|b|u|lang|ruby|rt|font)\b[^>]{0,80}>|<\d[\d:.]{4,12}>", re.I)


def read(source: Source, options: Options) -> Iterator[Draft]:
    """The one interview of a .vtt or .srt file."""
    text, doubts = decode(read_whole(source), source=source.name)
    lines = list(_cues(text.split("\n")))
    draft = read_transcript(lines, source=source.name) if lines else None
    if draft is None:
        raise InputError(
            "has subtitles, but no speakers: it does not show who asks and who answers.",
            source=source.name,
            remedy="Put the speaker before each cue's text: Interviewer: … Candidate: …",
        )
    yield Draft(**{**vars(draft), "warnings": (*doubts, *draft.warnings)})


def _cues(texts: list[str]) -> Iterator[Line]:
    """The text lines of all cues; a voice tag becomes `Name: text`."""
    inside = False
    for number, text in enumerate(texts, start=1):
        if _CUE.match(text):
            inside = True
        elif not text.strip():
            inside = False
        elif inside:
            voice = _VOICE.search(text)
            said = _TAG.sub("", text).strip().removeprefix("- ")
            yield Line(number, f"{voice[1].strip()}：{said}" if voice else said)
