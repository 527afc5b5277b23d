"""Grade interview answers with an LLM against a written rubric.

run = grade(read_interviews("answers/"), prompts=load_prompts("prompts/interview"),
            endpoint=open_endpoint(), out="runs/x")
run.grades, run.criteria, run.candidates     # pandas DataFrames
"""

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
