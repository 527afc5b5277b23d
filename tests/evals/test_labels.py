"""Label, rater, split and pair files: what is read, and how a fault is named."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from evals.canary import find_leak
from evals.labels import by_rater, kind_of, read_labels, read_raters
from evals.ledger import count_looks, look_warning, record_look
from evals.splits import check_pairs, chosen_interviews, clusters_of, read_pairs, read_splits
from pipeline.errors import ConfigError

Write = Callable[[str, str], Path]
HEADER = "item_id,criterion,rater,score,note\n"


def test_labels_are_read_with_notes_and_not_asked_for(write: Write) -> None:
    path = write("labels.csv", HEADER + 'x#1,overall,a,3,"two\nlines, ""quoted"""\nx#1,depth,a,,\n')
    labels = read_labels(path, criteria=("depth",))
    assert list(labels["score"].isna()) == [False, True]
    assert labels["note"][0] == 'two\nlines, "quoted"'
    assert by_rater(labels, "overall")["a"]["x#1"] == 3


@pytest.mark.parametrize(
    ("row", "line", "what"),
    [
        ("x#1,overall,a,6,", 2, "score 6 is not on the scale, 0 to 5"),
        ("x#1,overall,a,nan,", 2, "'nan' is no score"),
        ("x#1,overall,a,good,", 2, "'good' is no score"),
        ("x#1,charm,a,3,", 2, "no criterion 'charm' in the rubric; it has depth, overall"),
        ("x#1,overall,,3,", 2, "rater is empty"),
        ("x#1,overall,grader,3,", 2, "name is taken"),
        ("x,overall,a,3,", 2, "an item_id is <interview id>#<position>"),
        ("x#1,overall,a,3", 2, "4 cells, but the header has 5"),
        ('x#1,overall,a,3,"a\nb"\nx#1,overall,a,4,', 4, "the same label stands in line 2"),
    ],
)
def test_wrong_labels_are_refused_with_file_and_line(
    write: Write, row: str, line: int, what: str
) -> None:
    path = write("labels.csv", HEADER + row + "\n")
    with pytest.raises(ConfigError) as caught:
        read_labels(path, criteria=("depth",))
    assert str(caught.value).startswith(f"{path}, line {line}: ")
    assert what in str(caught.value)


def test_other_columns_and_other_encodings_are_refused(tmp_path: Path, write: Write) -> None:
    with pytest.raises(ConfigError, match=r"line 1: the columns must be item_id,criterion"):
        read_labels(write("labels.csv", "item;criterion\n"))
    path = tmp_path / "gbk.csv"
    path.write_bytes((HEADER + "x#1,overall,a,3,好\n").encode("gbk"))
    with pytest.raises(ConfigError, match="not UTF-8"):
        read_labels(path)
    with pytest.raises(ConfigError, match="cannot be read"):
        read_labels(tmp_path / "none.csv")


def test_only_humans_together_are_human(write: Write) -> None:
    kinds = read_raters(
        write("raters.csv", "rater,kind,how\na,human,by hand\nb,human,by hand\nc,model,prompted\n")
    )
    assert kind_of(["a", "b"], kinds) == "human"
    assert kind_of(["c"], kinds) == "model"
    assert kind_of(["a", "c"], kinds) == "mixed"
    assert kind_of(["a", "stranger"], kinds) == "unknown"
    assert kind_of([], kinds) == "unknown"


def test_raters_must_say_how_they_rated(write: Write) -> None:
    with pytest.raises(ConfigError, match=r"line 2: say in `how`"):
        read_raters(write("raters.csv", "rater,kind,how\na,human,\n"))
    with pytest.raises(ConfigError, match=r"line 2: kind is human or model, not 'expert'"):
        read_raters(write("raters.csv", "rater,kind,how\na,expert,x\n"))


def test_test_labels_stay_locked_without_the_word(write: Write) -> None:
    splits = read_splits(write("splits.csv", "interview_id,split\nx,dev\ny,test\nz,train\n"))
    assert chosen_interviews(splits, "dev", test=False) == {"x"}
    for choice in ("test", "all"):
        with pytest.raises(ConfigError, match="--test"):
            chosen_interviews(splits, choice, test=False)  # type: ignore[arg-type]
    assert chosen_interviews(splits, "all", test=True) == {"x", "y", "z"}


def test_an_interview_stands_in_one_split(write: Write) -> None:
    with pytest.raises(ConfigError, match="line 3"):
        read_splits(write("splits.csv", "interview_id,split\nx,dev\nx,test\n"))
    with pytest.raises(ConfigError, match=r"line 2: split is one of"):
        read_splits(write("splits.csv", "interview_id,split\nx,valid\n"))


def test_parity_pair_is_one_cluster_in_one_split(write: Write) -> None:
    pairs = read_pairs(write("pairs.csv", "pair,zh_interview,en_interview\np1,x,y\n"))
    assert clusters_of(["x", "y", "z"], pairs) == {"x": "pair:p1", "y": "pair:p1", "z": "z"}
    check_pairs(pairs, {"x": "dev", "y": "dev"})
    with pytest.raises(ConfigError, match="same split"):
        check_pairs(pairs, {"x": "dev", "y": "test"})
    with pytest.raises(ConfigError, match="one pair only"):
        read_pairs(write("twice.csv", "pair,zh_interview,en_interview\np1,x,y\np2,x,z\n"))


def test_ledger_is_appended_and_warns_after_five_looks(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    look = {"prompt_version": "p-1", "metric": "qwk", "result": None, "n": 3}
    counts = [record_look(path, rubric="r-1", **look) for _ in range(6)]  # type: ignore[arg-type]
    assert counts == [1, 2, 3, 4, 5, 6]
    assert record_look(path, rubric="r-2", **look) == 1  # type: ignore[arg-type]
    assert count_looks(path, "r-1") == 6
    assert len(path.read_text(encoding="utf-8").splitlines()) == 7
    assert look_warning(5, "r-1") is None
    assert "look 6" in (look_warning(6, "r-1") or "")


def test_look_that_cannot_be_recorded_is_no_look(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no result is shown"):
        record_look(
            tmp_path / "none" / "l.jsonl", rubric="r", prompt_version="p", metric="qwk",
            result=1.0, n=1,
        )  # fmt: skip
    path = tmp_path / "ledger.jsonl"
    path.write_text("{}\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="line 1"):
        count_looks(path, "r")


def test_canaries_catch_a_grader_that_saw_the_labels() -> None:
    items = [f"x#{n}" for n in range(8)]
    true = pd.Series([4.0] * 8, index=items)
    canary = pd.DataFrame({"canary": [1.0] * 8}, index=items)
    honest = pd.Series([3.5] * 8, index=items)
    parrot = pd.Series([1.2] * 8, index=items)
    assert not find_leak(honest, true, canary).leaked
    assert find_leak(parrot, true, canary).leaked
    assert find_leak(parrot, true, canary).chance == pytest.approx(1 / 256)
    assert find_leak(honest, true, pd.DataFrame({"a": true})).chance is None
