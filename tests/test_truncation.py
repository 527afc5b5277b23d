"""Answers cut at their edges: what is found, what is let be, and how often on texts of our own.

`python -m tests.test_truncation` prints precision and recall.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

import pytest

from pipeline.truncation import ends_mid, starts_mid
from tests.conftest import ROOT

WHOLE = {
    language: (ROOT / "tests" / "golden" / f"whole_answers.{language}.txt")
    .read_text(encoding="utf-8")
    .splitlines()
    for language in ("zh", "en")
}
"""One answer a line; the last few lack their last stop, as people write in a hurry."""

CUT_START = [
    "，所以没有中心节点瓶颈；每步收发一块，两轮完成。",
    "……放在最前面，而不是藏在更新日志里。第一句就说清楚。",
    "...right at the top, not buried in the notes. The first line says it.",
    "的时候我们先停了写入。",
    "所以这块就不是它了。排除以后看别的。",
    "and so then you know the cause. We fixed it that day.",
    "which was then of course too late. Nobody had asked.",
]
WHOLE_START = [
    "的确如此，索引会拖慢写入。",
    "了解过一些，用得不多。",
    "着重看两点：带宽和延迟。",
    "……呃，这个我说一下，就是缓存。",
    "c, b, a. The script runs first. Then come the microtasks.",
    "nginx does that. It reads the file again. No restart.",
    "i think so. yes. we did that.",
    "def f(x):\n    return x",
    "1) 先停写。2) 再备份。",
    "HDFS（分布式文件系统）把文件切块。",
]
CUT_END = [
    "环上每个节点只和邻居通信，传输量约为2(N-1)/N，因此带宽瓶颈",
    "We saw it on Tuesday. It fell again, and then I know it was",
    "The last one was about meals. It came out that parents could still",
    "先看消费者是不是活着，再看报错。转发到一个新的、分区多一点的 topic，再然后",
    "数据没问题的话那就要拆了。我会先按新",
    "我们用了两种办法：第一，",
    "因为没有中心节点……",
]
WHOLE_END = [
    "select a\nfrom t\ngroup by 1\norder by 1;",
    "with d as (\n  select 1\n)\nselect * from d\n) t;",
    "Redis",
    "没用过",
    "写入变慢，因为要多维护一棵树",
    "先停写。再备份。谢谢",
    "就是这样吧。别的没有了",
    "- 延迟\n- 带宽\n- 成本",
    "见 https://example.org/a",
    "他说：“先停写。”",
    "占 30%。涨了 0.8%",
    "```python\nprint(1)\n```",
]


@pytest.mark.parametrize("answer", CUT_START)
def test_a_start_in_mid_sentence_is_found(answer: str) -> None:
    assert starts_mid(answer)


@pytest.mark.parametrize("answer", WHOLE_START)
def test_a_start_that_only_looks_odd_is_let_be(answer: str) -> None:
    assert not starts_mid(answer)


@pytest.mark.parametrize("answer", CUT_END)
def test_an_end_in_mid_sentence_is_found(answer: str) -> None:
    assert ends_mid(answer)


@pytest.mark.parametrize("answer", WHOLE_END)
def test_an_end_without_a_stop_is_let_be(answer: str) -> None:
    assert not ends_mid(answer)


def cut_at(answer: str, low: float, high: float, chance: random.Random) -> int:
    """A place between these shares of the answer, away from every edge of a sentence or word."""
    stops = {found.end() for found in re.finditer(r"[。！？.!?；;:：]\s*|\n", answer)}
    inner = [
        place
        for place in range(int(low * len(answer)), int(high * len(answer)))
        if min((abs(place - stop) for stop in stops), default=9) > 2
        and (answer[place] > "\u2e80" or not (answer[place - 1] + answer[place]).isalnum())
    ]
    return chance.choice(inner)


def cuts(answer: str, chance: random.Random) -> tuple[str, str]:
    """The answer without its beginning, and without its end; more than half of it is left."""
    start, end = cut_at(answer, 0.1, 0.45, chance), cut_at(answer, 0.55, 0.95, chance)
    return answer[start:].lstrip(), answer[:end].rstrip()


def rates() -> Iterator[tuple[str, str, int, int, int, int]]:
    """Edge, language, cuts found, cuts made, false alarms, whole answers."""
    for language, answers in WHOLE.items():
        chance = random.Random(7)
        made = [cuts(answer, chance) for answer in answers]
        starts = sum(starts_mid(tail) for tail, _ in made)
        ends = sum(ends_mid(head) for _, head in made)
        yield "start", language, starts, len(made), sum(map(starts_mid, answers)), len(answers)
        yield "end", language, ends, len(made), sum(map(ends_mid, answers)), len(answers)


LEAST = {("end", "zh"): 0.9, ("end", "en"): 0.85, ("start", "en"): 0.3, ("start", "zh"): 0.08}
"""Recall below which somebody broke a rule. A Chinese clause looks whole wherever it begins."""


def test_rates_on_answers_of_our_own() -> None:
    for edge, language, found, made, false, whole in rates():
        assert whole == 50
        assert found >= LEAST[edge, language] * made, f"{edge} {language}: {found} of {made}"
        # Whole answers of people in a hurry, who leave out the last stop.
        assert false <= (2 if edge == "end" else 0), f"{edge} {language}: {false} false alarms"


if __name__ == "__main__":
    for edge, language, found, made, false, whole in rates():
        precision = found / (found + false) if found + false else 0.0
        print(
            f"{edge:5} {language}: recall {found}/{made} = {found / made:.2f}, "
            f"precision {precision:.2f}, false alarms {false}/{whole}"
        )
