"""Grade interview answers with an LLM against a written rubric.

run = grade(read_interviews("answers/"), prompts=load_prompts("prompts/interview"),
            endpoint=open_endpoint(), out="runs/x")
run.grades, run.criteria, run.candidates     # pandas DataFrames
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pipeline.config import open_endpoint
    from pipeline.errors import GraderError
    from pipeline.intake import read_interviews
    from pipeline.prompt import load_prompts
    from pipeline.records import Interview, Item, Messages, Outcome, Reply
    from pipeline.results import Run
    from pipeline.run import grade

__all__ = [
    "GraderError",
    "Interview",
    "Item",
    "Messages",
    "Outcome",
    "Reply",
    "Run",
    "grade",
    "load_prompts",
    "open_endpoint",
    "read_interviews",
]

_HOMES = {
    "open_endpoint": "config",
    "GraderError": "errors",
    "read_interviews": "intake",
    "load_prompts": "prompt",
    "Run": "results",
    "grade": "run",
}
"""The module of each public name that is no record."""


def __getattr__(name: str) -> Any:
    """The public names, imported when first asked for: a command needs only some of them."""
    if name in __all__:
        return getattr(import_module(f"pipeline.{_HOMES.get(name, 'records')}"), name)
    raise AttributeError(f"module 'pipeline' has no attribute {name!r}")
