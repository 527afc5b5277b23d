"""Files to interviews: every format, layout and encoding that people really have.

`read_interviews` is for scripts, `read_all` also lists what could not be read, and
`iter_interviews` streams a large table at a flat memory.
"""

from pipeline.intake.draft import Draft, EmptyCell, Options, Pair, Source
from pipeline.intake.formats import SUFFIXES
from pipeline.intake.reading import Reading, iter_interviews, read_all, read_interviews

__all__ = [
    "SUFFIXES",
    "Draft",
    "EmptyCell",
    "Options",
    "Pair",
    "Reading",
    "Source",
    "iter_interviews",
    "read_all",
    "read_interviews",
]
