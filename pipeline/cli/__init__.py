"""The command line: a thin shell over what a script calls, one module for each command."""

from __future__ import annotations

from pipeline.cli.ending import run_app
from pipeline.cli.lazy import lazy_app

HELP = "Grade interview answers with an LLM against a written rubric."
COMMANDS = {
    "grade": "pipeline.cli.grade:grade_command",
    "parse": "pipeline.cli.parse:parse_command",
    "doctor": "pipeline.cli.doctor:doctor_command",
    "show": "pipeline.show_cli:show_command",
    "erase": "pipeline.erase_cli:erase_command",
    "review": "pipeline.review_cli:review_app",
    "rubric": "pipeline.cli.rubric:rubric_app",
    "model": "pipeline.cli.model:model_app",
}
"""Where each command is written."""

app = lazy_app(COMMANDS, HELP)

__all__ = ["COMMANDS", "HELP", "app", "run_app"]
