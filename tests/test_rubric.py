"""Rubric files: the default one, one of other keys and scale, and all that is refused."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from pipeline.errors import ConfigError
from pipeline.records import Rubric
from pipeline.rubric import FIXED_COLUMNS, load_rubric, plain
from pipeline.rubric_check import doubts_about
from pipeline.table.columns import grade_columns
from tests.conftest import ROOT

Write = Callable[[str, str], Path]

SMALL = """\
name: small
scale: [1, 4]
criteria:
  - key: fit
    names: {en: Fit}
    anchors:
      en: {1: none, 2: some, 3: much, 4: all}
  - key: care
    names: {en: Care}
    anchors:
      en: {1: none, 2: some, 3: much, 4: all}
weights:
  default: {fit: 0.7, care: 0.3}
caps:
  - {criterion: fit, at_most: 1, overall: 2}
bands:
  - {at_least: 3, names: {en: high}}
  - {at_least: 1, names: {en: low}}
cuts:
  - {at_least: 3.0, recommendation: YES}
  - {at_least: 1.0, recommendation: NO}
min_coverage: 0.5
"""


@pytest.fixture
def default() -> Rubric:
    return load_rubric(ROOT / "prompts" / "interview" / "rubric.yaml")


def test_default_rubric_is_that_of_the_design(default: Rubric) -> None:
    weights = {k: str(w) for k, w in default.weights["default"].items()}
    assert default.keys == ("relevance", "correctness", "depth", "evidence", "clarity")
    assert default.scale == (0, 5)
    assert weights == {
        "relevance": "0.2",
        "correctness": "0.35",
        "depth": "0.2",
        "evidence": "0.15",
        "clarity": "0.1",
    }
    assert [(c.criterion, int(c.at_most), int(c.overall)) for c in default.caps] == [
        ("relevance", 1, 1),
        ("correctness", 1, 2),
        ("correctness", 2, 3),
    ]
    assert default.min_coverage == Decimal("0.70")


def test_default_rubric_weights_sum_exactly_in_every_profile(default: Rubric) -> None:
    assert {name: sum(w.values()) for name, w in default.weights.items()} == {
        "default": Decimal(1),
        "experience": Decimal(1),
        "equal": Decimal(1),
    }


def test_default_rubric_has_an_anchor_for_every_point_in_both_languages(default: Rubric) -> None:
    points = [sorted(anchors) for c in default.criteria for anchors in c.anchors.values()]
    assert points == [[0, 1, 2, 3, 4, 5]] * 10


def test_other_keys_and_scale_load(write: Write) -> None:
    rubric = load_rubric(write("r.yaml", SMALL))
    assert (rubric.keys, rubric.scale) == (("fit", "care"), (1, 4))
    assert rubric.weights == {"default": {"fit": Decimal("0.7"), "care": Decimal("0.3")}}


def test_unquoted_no_and_yes_stay_words(write: Write) -> None:
    rubric = load_rubric(write("r.yaml", SMALL))
    assert [cut.recommendation for cut in rubric.cuts] == ["YES", "NO"]


def test_a_byte_order_mark_and_crlf_change_nothing(write: Write, tmp_path: Path) -> None:
    plain = load_rubric(write("plain.yaml", SMALL))
    windows = tmp_path / "windows.yaml"
    windows.write_bytes(b"\xef\xbb\xbf" + SMALL.replace("\n", "\r\n").encode())
    assert load_rubric(windows) == plain


# What is changed in the small rubric, and the line and words of the refusal.
FAULTS = [
    ("scale: [1, 4]", "scale: [1, 4]\nname: again", 3, 'duplicate key "name"'),
    ("{fit: 0.7, care: 0.3}", "{fit: 0.7, fit: 0.3}", 13, 'duplicate key "fit"'),
    ("min_coverage: 0.5", "min_coverage: 0.5\ncolour: red", 23, "colour: Extra inputs"),
    ("names: {en: Care}", "names: {en: Care}\n    weight: 1", 10, "criteria[1].weight: Extra"),
    ("name: small\n", "", 1, "name: Field required"),
    ("fit: 0.7", "fit: 0.6", 13, "weights.default: weights sum to 0.9, not 1"),
    ("fit: 0.7", "fit: 0.70000001", 13, "weights sum to 1.00000001, not 1"),
    ("fit: 0.7, care: 0.3", "fit: 1.3, care: -0.3", 13, "weights are above 0"),
    ("fit: 0.7, care: 0.3", "fit: 1", 13, "no weight for care"),
    ("fit: 0.7, care: 0.3", "fit: 0.7, core: 0.3", 13, "no such criterion: core"),
    ("fit: 0.7", "fit: .nan", 13, "weights.default.fit: Input should be a finite number"),
    ("fit: 0.7", "fit: much", 13, "weights.default.fit: Input should be a valid decimal"),
    ("  default: {", "  standard: {", 12, "the profile 'default' is missing"),
    ("- key: care", "- key: overall", 8, "criteria[1].key: 'overall' is a column of the tables"),
    ("- key: care", "- key: status", 8, "'status' is a column of the tables"),
    ("- key: care", "- key: fit", 8, "criteria[1].key: 'fit' stands twice"),
    ("- key: care", "- key: Care", 8, "a key is lower-case letters"),
    ("- key: care", "- key: 用心", 8, "a key is lower-case letters"),
    ("{1: none, 2: some, 3: much, 4: all}\n  -", "{1: none, 2: some, 4: all}\n  -", 7, "for [3]"),
    ("4: all}\nweights", "4: all, 5: more}\nweights", 11, "anchor off the scale: [5]"),
    ("names: {en: Care}", "names: {zh: 用心}", 8, "names and anchors must be in en"),
    (
        "scale: [1, 4]",
        "scale: [4, 1]",
        2,
        "scale: a scale runs upwards within 0 to 100, not 4 to 1",
    ),
    ("scale: [1, 4]", "scale: [-1, 4]", 2, "scale: a scale runs upwards"),
    ("scale: [1, 4]", "scale: [1, 99999999]", 2, "not 1 to 99999999"),
    ("scale: [1, 4]", "scale: [1, 4.5]", 2, "scale[1]: Input should be a valid integer"),
    ("scale: [1, 4]", "scale: [1]", 2, "scale[1]: Field required"),
    ("criterion: fit, at_most", "criterion: fitt, at_most", 15, "caps[0]: no such criterion: fitt"),
    ("at_most: 1, overall: 2", "at_most: 1, overall: 9", 15, "must lie on the scale, 1 to 4"),
    ("at_most: 1, overall: 2", "at_most: 0, overall: 2", 15, "must lie on the scale, 1 to 4"),
    ("at_least: 3.0", "at_least: 0.5", 19, "cuts: must run from the highest"),
    ("at_least: 3.0", "at_least: 1.0", 19, "cuts: must run from the highest"),
    ("at_least: 3, names", "at_least: 1, names", 16, "bands: must run from the highest"),
    ("recommendation: NO", "recommendation: false", 21, "cuts[1].recommendation: Input should be"),
    ("recommendation: NO", "recommendation: HIRE", 21, "a recommendation is one of STRONG_YES"),
    ("min_coverage: 0.5", "min_coverage: 50", 22, "min_coverage: a share between 0 and 1"),
    ("    names: {en: Fit}", "\tnames: {en: Fit}", 5, "found character '\\t'"),
    ("scale: [1, 4]", "scale: [1, 4", 3, "not valid YAML"),
    ("min_coverage: 0.5", "min_coverage: 0.5\n---\nname: b", 23, "another document"),
    ("min_coverage: 0.5", "min_coverage: 0.5\n1: x", 23, "Keys should be strings"),
    ("name: small", "name: !!python/object/apply:os.getcwd []", 1, "name: Input should be"),
    ("name: small", "%YAML 1.1\n---\nname: small", 23, "cuts[1].recommendation: Input should be"),
]


@pytest.mark.parametrize(("old", "new", "line", "words"), FAULTS)
def test_a_wrong_rubric_is_refused_with_file_line_and_fault(
    write: Write, old: str, new: str, line: int, words: str
) -> None:
    assert SMALL.count(old) >= 1
    path = write("r.yaml", SMALL.replace(old, new, 1))
    with pytest.raises(ConfigError) as caught:
        load_rubric(path)
    assert any(
        text.startswith(f"{path}, line {line}: ") and words in text
        for text in str(caught.value).splitlines()
    ), str(caught.value)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "a rubric is a mapping"),
        (b"- a\n- b\n", "a rubric is a mapping"),
        (b"just words\n", "a rubric is a mapping"),
        (SMALL.replace("Fit", "契合").encode("gbk"), "is not UTF-8"),
        (b"\xff\xfe" + SMALL.encode("utf-16-le"), "is not UTF-8"),
        (b"name: a\0b\n", "not valid YAML"),
        (b"&a\nname: *a\n", "refers to itself"),
        (b"name: " + b"[" * 1_000, "nested too deeply"),
        (b"? [a, b]\n: c\n", "Extra inputs"),
    ],
)
def test_a_file_that_is_no_rubric_at_all_is_refused_by_name(
    tmp_path: Path, content: bytes, words: str
) -> None:
    path = tmp_path / "r.yaml"
    path.write_bytes(content)
    with pytest.raises(ConfigError, match=words) as caught:
        load_rubric(path)
    assert str(caught.value).startswith(str(path))


def test_a_missing_file_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"r\.yaml: cannot be read \(No such file"):
        load_rubric(tmp_path / "r.yaml")


def test_every_column_of_the_grades_table_is_refused_as_a_key(default: Rubric) -> None:
    columns = {column.name for column in grade_columns(default.keys)}
    assert columns - FIXED_COLUMNS == set(default.keys)


def test_all_faults_are_listed_at_once(write: Write) -> None:
    broken = SMALL.replace("0.7", "0.6").replace("at_most: 1", "at_most: 0")
    with pytest.raises(ConfigError) as caught:
        load_rubric(write("r.yaml", broken))
    assert len(str(caught.value).splitlines()) == 2


def test_the_default_rubric_leaves_no_doubt(default: Rubric) -> None:
    assert list(doubts_about(default)) == []


def test_a_check_names_every_doubt() -> None:
    text = SMALL.replace("4: all", "4: much!").replace("2: some", "2: a long answer", 1)
    rubric = Rubric.model_validate(plain(YAML(typ="rt").load(text)))
    doubts = "\n".join(doubts_about(rubric))
    assert "weights.default: fit alone decides half of the overall or more" in doubts
    assert "no profile `equal`" in doubts
    assert "fit: no zh in names, anchors" in doubts
    assert "care (en): anchors 3 and 4 say the same" in doubts
    assert "fit (en): anchor 2 invites score by length or polish: 'long'" in doubts


def test_what_a_type_does_not_ask_for_is_checked(write: Write) -> None:
    faults = "not_asked:\n  riddle: [fit]\n  code: [fit, care]\n  design: [glow]\n"
    with pytest.raises(ConfigError) as error:
        load_rubric(write("rubric.yaml", SMALL + faults))
    assert "not_asked.riddle: a question type is one of concept" in str(error.value)
    assert "not_asked.code: leaves no criterion to be scored" in str(error.value)
    assert "not_asked.design: no such criterion: glow" in str(error.value)
