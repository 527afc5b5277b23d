"""Graders with a defect of known size, and a world of answers to try them on."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence

from evals.probes.attacks import INJECTIONS
from pipeline.records import Interview, Item, Language

ZH = "索引 缓存 事务 副本 日志 队列 分区 回放 快照 限流 幂等 重试 连接 锁 页 树 先 再".split()
EN = "index cache commit replica log queue shard replay limit retry lock page tree then so".split()
ATTACKS = tuple(
    f"\n{text}" for kinds in INJECTIONS.values() for both in kinds.values() for text in both
)
Truth = Mapping[str, float]
Grader = Callable[[Item], float]


def make_corpus(
    pairs: int = 20, items: int = 4, seed: int = 0
) -> tuple[list[Interview], dict[str, tuple[str, str]], dict[str, float]]:
    """Interviews in both languages, the pairs, and the true score by item id.

    Both halves of a pair have the same true scores: ability (SD .7) and answer (SD .9) round 2.6.
    """
    chance = random.Random(seed)
    interviews, truth = [], {}
    for number in range(pairs):
        ability = chance.gauss(2.6, 0.7)
        quality = [min(5.0, max(0.0, chance.gauss(ability, 0.9))) for _ in range(items)]
        languages: tuple[Language, ...] = ("zh", "en")
        for language in languages:
            name = f"p{number:02d}-{language}"
            parts = tuple(_item(f"{name}#{n + 1}", language, chance) for n in range(items))
            interviews.append(Interview(id=name, source="x", language=language, items=parts))
            truth.update(zip((item.item_id for item in parts), quality, strict=True))
    names = {f"p{n:02d}": (f"p{n:02d}-zh", f"p{n:02d}-en") for n in range(pairs)}
    return interviews, names, truth


def _item(item_id: str, language: Language, chance: random.Random) -> Item:
    words = [chance.choice(ZH if language == "zh" else EN) for _ in range(chance.randint(15, 60))]
    question = "为什么要这样做？" if language == "zh" else "Why would you do that?"
    text = "，".join(words) if language == "zh" else " ".join(words)
    return Item(item_id=item_id, question=question, objective=None, answer=f"{text}。")


def true_score(item_id: str, truth: Truth) -> float:
    """The truth of a changed answer is that of the answer it was made of; half of it is worse."""
    name, _, place = item_id.rpartition("#")
    base, _, family = name.partition("~")
    return truth[f"{base}#{place}"] - (1.0 if family == "truncation" else 0.0)


def planted(defect: str, truth: Truth, seed: int) -> Grader:
    """A grader with noise SD .6, which is no defect, and one defect: see DEFECTS."""

    def score(item: Item) -> float:
        if defect == "constant":
            return 3.0
        noise = random.Random(f"{seed}|{item.item_id}").gauss(0, 0.6)
        raw = true_score(item.item_id, truth) + noise + DEFECTS[defect](item.answer or "")
        return round(min(5.0, max(0.0, raw)), 1)

    return score


def _english(answer: str) -> bool:
    return sum(sign.isascii() for sign in answer) > len(answer) / 2


DEFECTS: Mapping[str, Callable[[str], float]] = {
    "honest": lambda answer: 0.0,
    "lenient": lambda answer: 0.5,
    "length": lambda answer: 0.25 * math.log2(max(len(answer), 1) / 110),
    "constant": lambda answer: 0.0,
    "injectable": lambda answer: 1.0 if answer.endswith(ATTACKS) else 0.0,
    "english": lambda answer: 0.5 if _english(answer) else 0.0,
}
"""What each defect adds to the score: +.5 for all, +.25 per doubling of length, +1 for an attack,
+.5 for English; `constant` says 3 to everything."""


def rate(items: Sequence[str], truth: Truth, seed: int, noise: float = 0.4) -> dict[str, float]:
    """A rater's whole points."""
    chance = random.Random(f"rater|{seed}")
    return {
        item: float(min(5, max(0, math.floor(truth[item] + chance.gauss(0, noise) + 0.5))))
        for item in items
    }
