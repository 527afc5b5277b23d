"""WebVTT and SubRip: cues to lines with a time and a speaker, then read as a dialogue."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pipeline.errors import InputError
from pipeline.intake.decode import decode
from pipeline.intake.draft import Draft, Line, Options, Source, warned
from pipeline.intake.sources import read_whole
from pipeline.intake.speakers import spoken
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
    yield warned(draft, *doubts)


def _cues(texts: list[str]) -> Iterator[Line]:
    """The text lines of all cues, with the cue's time where a speaker starts."""
    time: str | None = None
    for number, text in enumerate(texts, start=1):
        cue = _CUE.match(text)
        if cue:
            time = cue[1]
        elif not text.strip():
            time = None
        elif time is not None:
            yield Line(number, _line(text, time))


def _line(text: str, time: str) -> str:
    """A voice tag becomes `[time] Name：text`, as a plain `Name: text` gets the time."""
    voice = _VOICE.search(text)
    said = _TAG.sub("", text).strip().removeprefix("- ")
    if voice:
        return f"[{time}] {voice[1].strip()}：{said}"
    return f"[{time}] {said}" if spoken(0, said) else said
