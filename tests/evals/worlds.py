"""Whole small worlds for tests: interviews, a run by a function as endpoint, and label files."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from evals.labels import LABEL_COLUMNS
from pipeline import grade
from pipeline.prompt import PromptSet
from pipeline.records import Interview, Item, Messages
from pipeline.results import Run
from tests.conftest import SECRET
from tests.evals.raters import simulate
from tests.scripted import KEYS, verdict_tree

WORDS = "索引 缓存 事务 副本 日志 队列 分区 回放 快照 限流 幂等 重试 连接 锁 页 树".split()
EXPERIENCE = "请讲一件你亲自做过的事"
"""A question that asks for all criteria."""
CONCEPT = "什么是索引"
"""A question that does not ask for evidence."""
Grader = Callable[[str, float], Mapping[str, int] | int]
"""Text of the answer and its true score -> score by criterion, or one for all."""


def make_world(candidates: int = 24, items: int = 4, *, seed: int = 0) -> pd.DataFrame:
    """A simulated study with texts: item_id, interview_id, language, answer, true, a, b, grader."""
    world = simulate(candidates, items, seed=seed, lenient=0.0, noise=0.4, grader_noise=0.4)
    rng = np.random.default_rng(seed)
    world["interview_id"] = [f"c{number:03d}" for number in world["candidate"]]
    place = world.groupby("interview_id").cumcount() + 1
    world["item_id"] = world["interview_id"] + "#" + place.astype(str)
    world["answer"] = [
        f"{item}：" + "，".join(rng.choice(WORDS, int(rng.integers(3, 9))))
        for item in world["item_id"]
    ]
    return world.set_index("item_id", drop=False)


def interviews_of(
    world: pd.DataFrame, blank: Iterable[str] = (), asks: str = EXPERIENCE
) -> list[Interview]:
    """The interviews; every second one is in English; items in `blank` have no answer."""
    blanks = set(blank)
    return [
        Interview(
            id=str(name),
            source="made up",
            language="en" if int(str(name)[1:]) % 2 else "zh",
            items=tuple(
                Item(
                    item_id=row.item_id,
                    number=number,
                    question=f"{asks} {number}",
                    objective="考察理解",
                    answer="" if row.item_id in blanks else row.answer,
                )
                for number, row in enumerate(part.itertuples(), start=1)
            ),
        )
        for name, part in world.groupby("interview_id", sort=True)
    ]


def run_world(
    world: pd.DataFrame,
    out: Path,
    prompts: PromptSet,
    grader: Grader | None = None,
    blank: Iterable[str] = (),
    asks: str = EXPERIENCE,
) -> Run:
    """Grade with a function: by default the simulated grader's score, rounded, on all criteria."""
    by_answer = {row.answer: row for row in world.itertuples()}

    def endpoint(messages: Messages) -> str:
        text = messages[-1].content
        row = next(row for answer, row in by_answer.items() if answer in text)
        points = grader(row.answer, row.true) if grader else int(np.floor(row.grader + 0.5))
        return json.dumps(verdict_tree(points, quote=row.answer[:12]), ensure_ascii=False)

    interviews = interviews_of(world, blank, asks)
    return grade(interviews, prompts=prompts, endpoint=endpoint, out=out, secret=SECRET)


def write_labels(
    world: pd.DataFrame, folder: Path, *, raters: str = "ab", kind: str = "human"
) -> Path:
    """labels.csv with the simulated raters on all criteria, and raters.csv beside it."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = [
        (row.item_id, criterion, rater, f"{getattr(row, rater):g}", "")
        for row in world.itertuples()
        for rater in raters
        for criterion in (*KEYS, "overall")
    ]
    write_csv(folder / "labels.csv", LABEL_COLUMNS, rows)
    kinds = [(rater, kind, "simulated") for rater in raters]
    write_csv(folder / "raters.csv", ("rater", "kind", "how"), kinds)
    return folder / "labels.csv"


def write_csv(path: Path, header: Iterable[str], rows: Iterable[Iterable[str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)
