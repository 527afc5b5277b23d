"""How scores come about with an endpoint: what that means, what is known of it, how to calibrate.

What an endpoint is called plays no part: its mode follows from what it does when it is asked.
"""

from __future__ import annotations

from typing import Literal

from pipeline.records import Record

ModeName = Literal["states", "expected", "verdict"]
LABELS = "ANSWERS --labels labels.csv"
UNMEASURED = (
    "nothing with this model. `grader eval RUN --labels labels.csv` measures it on answers that "
    "you labelled; a model of 1.5 billion parameters told hardly more than their length"
)
UNSEEN = "log-probabilities did NOT come when tried, so items may fail until a scorer is fitted; "


class Mode(Record):
    """One way in which scores come about."""

    name: ModeName
    what: str
    """In a few words."""
    means: str
    """What that means for the scores."""
    measured: str
    """What is known of how far they agree with labels."""
    calibrate: str
    """The command that fits them to one's own labels."""

    def lines(self) -> tuple[str, ...]:
        """For people."""
        return (
            f"Scores: {self.what}.",
            f"- what that means: {self.means}.",
            f"- measured: {self.measured}.",
            f"- to calibrate: {self.calibrate}.",
        )


def states_mode(prompts: str, measured: str, option: str = "") -> Mode:
    """Of an embedded model with a scorer fitted to it, in the prompt set `prompts`."""
    return Mode(
        name="states",
        what=f"points from hidden states, by the scorer of the prompt set {prompts}",
        means=(
            "the model reads an answer, and lines fitted to labels make points of what it makes of "
            "it; quotes and problems are written after that"
        ),
        measured=measured,
        calibrate=(
            f"`grader fit {LABELS}{option}` fits the points to your labels and ends with a "
            "verdict; `grader calibrate RUN --labels labels.csv` only bends them"
        ),
    )


def expected_mode(option: str = "", *, reads: bool = False, seen: bool = True) -> Mode:
    """Where log-probabilities come at a score; `reads`: an embedded model without a scorer.

    `seen` is whether they came when it was tried.
    """
    how = "" if reads else ", with `grader grade --score-mode expected`"
    fitted = f"`grader fit {LABELS}{option}` fits a scorer to its states, which is better"
    bent = "`grader calibrate RUN --labels labels.csv`, from about 50 labelled answers"
    return Mode(
        name="expected",
        what=f"expected value over score tokens{how}",
        means=(
            ("" if seen else UNSEEN)
            + "each score is the mean over all points, weighted by the probability that the model "
            "gives to each, so answers between two points are told apart"
            + ("" if reads else "; without the option, the whole points that it writes")
        ),
        measured=UNMEASURED,
        calibrate=f"{fitted}; or {bent}" if reads else bent,
    )


def verdict_mode() -> Mode:
    """Where no log-probabilities come."""
    return Mode(
        name="verdict",
        what="the model's own scores",
        means=(
            "the whole points that it writes; `--samples K` asks several times and shows how far "
            "they scatter"
        ),
        measured=UNMEASURED,
        calibrate="`grader calibrate RUN --labels labels.csv`, from about 50 labelled answers",
    )
