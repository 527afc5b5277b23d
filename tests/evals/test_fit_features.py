"""Lines with plain features: fitted, written, and applied by grading as they were measured."""

from __future__ import annotations

import asyncio
import csv
import json
import shutil
from pathlib import Path
from zlib import crc32

import numpy as np
import pytest

from evals.fit import Fitted, fit_scorer, write_scorer
from evals.fit_features import gain_of_features, plain_features
from evals.ridge import fit_lines, left_out_scores
from pipeline.answer_features import FEATURES
from pipeline.endpoint.base import EndpointInfo, FunctionEndpoint
from pipeline.errors import ConfigError
from pipeline.grading import Recipe, grade_item
from pipeline.prompt import PromptSet, load_prompts
from pipeline.records import Interview, Item, Messages, Reply
from pipeline.scorer import SCORER
from tests.conftest import ROOT
from tests.scripted import KEYS

SIZE = 12
TERMS = ["apple", "bridge", "copper", "delta", "ember"]
INFO = EndpointInfo(
    kind="embedded", host="127.0.0.1", model="small", score_mode="expected", reads=True
)


@pytest.fixture
def prompts(tmp_path: Path) -> PromptSet:
    shutil.copytree(ROOT / "prompts" / "compact", tmp_path / "compact")
    (tmp_path / "compact" / SCORER).unlink()
    return load_prompts(tmp_path / "compact")


def interviews() -> list[Interview]:
    """Twenty-four of six answers each, which name none to five of the terms in the aim."""
    return [
        Interview(
            id=f"i{one}", source="x", language="zh" if one % 2 else "en",
            items=tuple(
                Item(
                    item_id=f"i{one}#{at + 1}", question=f"Which things are in box {one}?",
                    objective=f"Key points: {', '.join(TERMS)}",
                    answer=f"In {one} stand {' and '.join(TERMS[:at]) or 'no'} so we say",
                )
                for at in range(6)
            ),
        )
        for one in range(24)
    ]  # fmt: skip


def read(messages: Messages) -> Reply:
    """States that know nothing of the answer."""
    assert messages.reading is not None
    random = np.random.default_rng(crc32(messages.reading.answer.encode()))
    return Reply(text="", state=tuple(map(float, random.normal(size=SIZE))))


def fitted(prompts: PromptSet, folder: Path, *, features: bool) -> Fitted:
    with (folder / "labels.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["item_id", "criterion", "rater", "score", "note"])
        for one in range(24):
            for at in range(6):
                for key in (*KEYS, "overall"):
                    writer.writerow([f"i{one}#{at + 1}", key, "a", at, ""])
    (folder / "raters.csv").write_text("rater,kind,how\na,human,made up\n", "utf-8")
    return fit_scorer(
        interviews(), folder / "labels.csv", prompts, FunctionEndpoint(read, INFO),
        folder / "s.jsonl", features=features, draws=200,
    )  # fmt: skip


def test_grading_applies_what_was_fitted(prompts: PromptSet, tmp_path: Path) -> None:
    result = fitted(prompts, tmp_path, features=True)
    write_scorer(result, prompts)
    ready = load_prompts(prompts.folder)
    assert ready.scorer is not None
    assert ready.scorer.features == FEATURES
    recipe = Recipe(prompts=ready, secret=b"s" * 32, expected=True, explain=False)
    [interview] = interviews()[:1]
    columns = np.hstack([result.states, result.plain])[:6]
    by_line = np.clip(result.lines.scores(columns, ["en"] * 6), 0, 5)

    async def complete(messages: Messages) -> Reply:
        return read(messages)

    for item, points in zip(interview.items, by_line, strict=True):
        outcome = asyncio.run(grade_item(item, "a", "en", recipe, complete))
        assert outcome.grade is not None
        [depth] = [one for one in outcome.grade.criteria if one.key == "depth"]
        assert float(depth.score or 0) == pytest.approx(points[KEYS.index("depth")], abs=0.0051)


def test_the_gain_is_told_whether_they_are_taken_or_not(prompts: PromptSet, tmp_path: Path) -> None:
    with_them, without = (fitted(prompts, tmp_path, features=one) for one in (True, False))
    gains = [gain_of_features(one, prompts, draws=200) for one in (with_them, without)]
    assert gains[0] == gains[1]
    assert (gains[0].low or 0) > 0.2
    assert "features" not in without.about


def test_features_of_another_version_are_refused(prompts: PromptSet, tmp_path: Path) -> None:
    path = write_scorer(fitted(prompts, tmp_path, features=True), prompts)
    tree = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps(tree | {"features": ["length", "charm", "terms"]}), "utf-8")
    with pytest.raises(ConfigError, match="charm"):
        load_prompts(prompts.folder)
    path.write_text(json.dumps(tree | {"features": []}), "utf-8")
    with pytest.raises(ConfigError, match="weights of"):
        load_prompts(prompts.folder)


def test_a_feature_counts_beside_many_parts_that_say_nothing() -> None:
    random = np.random.default_rng(8)
    labels = random.integers(0, 6, size=90).astype(float)
    noise, clusters = random.normal(size=(90, 400)), np.arange(90) // 3
    feature = labels + random.normal(size=90)
    columns, spoken = np.hstack([noise, feature[:, None]]), ["en"] * 90
    drowned, heard = (
        np.corrcoef(left_out_scores(columns, spoken, labels[:, None], clusters, own)[:, 0], labels)
        for own in (0, 1)
    )
    assert heard[0, 1] > 0.7 > drowned[0, 1]


def test_a_feature_that_does_not_vary_has_no_weight() -> None:
    random = np.random.default_rng(9)
    labels = random.integers(0, 6, size=60).astype(float)
    columns = np.stack([labels + random.normal(size=60), np.full(60, 0.1)], axis=1)
    lines = fit_lines(columns, ["en"] * 60, labels[:, None], np.arange(60) // 3, 1)
    assert lines.weights[0, 1] == 0
    assert lines.weights[0, 0] > 0


def test_features_are_counted_on_what_is_read() -> None:
    import pandas as pd

    items = pd.DataFrame({"question": ["q?"], "objective": ["Copper"], "answer": ["copper " * 9]})
    assert plain_features(items, ["copper"])[0, 0] == pytest.approx(np.log1p(6))
