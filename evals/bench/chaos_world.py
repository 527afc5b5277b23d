"""The interviews that a chaos round grades, and the true scores of every answer in them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from evals.bench.chaos_script import Script, script_of
from evals.bench.server import CRITERIA

EACH = 5
"""Items of an interview."""
_CASE = re.compile(r"case (\d+) of the table")


@dataclass(frozen=True)
class World:
    """A table of so many items; everything else follows from the seed."""

    seed: int
    items: int
    script: Callable[[int, int], Script] = script_of
    """By seed and number of an item, what its requests meet."""

    def script_of(self, number: int) -> Script:
        """What the requests about an item meet, one after the other."""
        return self.script(self.seed, number)

    def item_id(self, number: int) -> str:
        """The id of an item by its number in the table."""
        return f"person{number // EACH}#{number % EACH + 1}"

    def gated(self, number: int) -> str:
        """The status of an item that needs no call, or ""."""
        return {3: "blank", 7: "missing"}.get((number + self.seed) % 17, "")

    def scores(self, number: int) -> dict[str, int]:
        """The true score of each criterion: no two neighbours are alike."""
        start = number * 7 + self.seed
        return {key: (start + place * (2 + number % 3)) % 6 for place, key in enumerate(CRITERIA)}

    def answer(self, number: int) -> str | None:
        """The answer; every one is another."""
        text = f"I looked at case {number} of the table first. Then I measured it {number} times."
        return {"blank": "", "missing": None}.get(self.gated(number), text)

    def write(self, path: Path) -> None:
        """The table as JSON lines."""
        with path.open("w", encoding="utf-8") as file:
            for number in range(self.items):
                row = {
                    "interview_id": f"person{number // EACH}",
                    "number": number % EACH + 1,
                    "question": f"How did you find the cause of incident {number}?",
                    "answer": self.answer(number),
                }
                file.write(json.dumps(row) + "\n")

    def verdict(self, number: int) -> str:
        """The true verdict as a reply."""
        said = {"quote": f"I looked at case {number} of the table first.", "problems": ""}
        scores = self.scores(number).items()
        return json.dumps({key: {**said, "rationale": "so", "score": n} for key, n in scores})


def number_in(prompt: str) -> int:
    """The number of the item that a request is about."""
    found = _CASE.search(prompt)
    if found is None:
        raise ValueError("a request about no item of the table")
    return int(found[1])
