"""Tables: columns, missing values, odd text, and files that a spreadsheet cannot run."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import openpyxl  # type: ignore[import-untyped]
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.atomic import replace_file
from pipeline.errors import ConfigError
from pipeline.records import Candidate, CriterionGrade, Grade, Interview, Item, Outcome, Usage
from pipeline.table import Tables, build_tables, write_tables
from pipeline.table.numbers import at_most, fixed
from pipeline.table.sheets import Memory
from pipeline.table.text import CELL_LIMIT, CUT_MARK, formula_safe, sheet_text

KEYS = ("relevance", "correctness", "depth", "evidence", "clarity")
HEADER = (
    "interview_id,item_id,number,question,status,overall,relevance,correctness,depth,evidence,"
    "clarity,score_mode,flags,reason,model,prompt_version,attempts,cached,input_tokens,"
    "output_tokens,seconds,overall_uncapped,question_type,spread,"
    "reviewed_overall,reviewer,cleared_flags,overall_without_injection,key_points,"
    "uncertainty,abstention"
).split(",")
CANDIDATE_HEADER = (
    "interview_id,role,years_experience,asked,answered,graded,coverage,overall,"
    "overall_answered_only,recommendation,reasons,contradictions,"
    "overall_by_type,overall_by_equal,rank_by_type,rank_by_equal"
).split(",")
DANGEROUS = ["=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"]


def make_grade(*scores: str | None, overall: str = "3.4", uncapped: str = "3.4049") -> Grade:
    return Grade(
        criteria=tuple(
            CriterionGrade(
                key=key,
                score=None if score is None else Decimal(score),
                quote="块",
                match="exact",
                span=(0, 1),
                problems="no limits named",
                rationale="says how, not why",
            )
            for key, score in zip(KEYS, scores, strict=True)
        ),
        overall=Decimal(overall),
        overall_capped=Decimal(uncapped),
        overall_uncapped=Decimal(uncapped),
        score_mode="expected",
    )


def make_interview(questions: Sequence[str], id: str = "a", **fields: Any) -> Interview:
    items = tuple(
        Item(item_id=f"{id}#{place}", number=place, question=question, answer="块")
        for place, question in enumerate(questions, start=1)
    )
    return Interview(id=id, source=f"{id}.txt", items=items, **fields)


def make_outcome(item_id: str = "a#1", **fields: Any) -> Outcome:
    return Outcome(item_id=item_id, interview_id=item_id.split("#")[0], **fields)


def make_candidate(**fields: Any) -> Candidate:
    base: dict[str, Any] = {
        "interview_id": "a",
        "role": "数据库内核",
        "years_experience": 10.0,
        "asked": 3,
        "answered": 2,
        "graded": 2,
        "coverage": Decimal(2) / Decimal(3),
        "overall": Decimal("3.0"),
        "overall_answered_only": None,
        "recommendation": "NO_DECISION",
        "reasons": ("coverage 0.67 is below 0.70", "flag: spread"),
    }
    return Candidate(**(base | fields))


def read_csv(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file, strict=True))


def read_sheet(path: Path, name: str) -> list[Mapping[str, Any]]:
    book = openpyxl.load_workbook(path)
    header, *rows = book[name].iter_rows()
    names = [cell.value for cell in header]
    return [dict(zip(names, row, strict=True)) for row in rows]


@pytest.fixture
def tables() -> Tables:
    outcomes = {
        "a#1": make_outcome(
            status="scored",
            grade=make_grade("3", "3.4186", "2.5", None, "4"),
            flags=("spread", "padding"),
            model="m-1",
            prompt_version="interview-1a2b",
            attempts=1,
            cached=True,
            usage=Usage(input_tokens=900, output_tokens=120),
            seconds=1.239,
        ),
        "a#2": make_outcome("a#2", status="endpoint_error", reason="no reply in 60 s"),
    }
    interview = make_interview(["什么是 MVCC？", "Why?", "How?"])
    return build_tables([interview], outcomes, [make_candidate()], KEYS)


def test_columns_stand_in_the_order_of_the_contract(tables: Tables, tmp_path: Path) -> None:
    write_tables(tables, tmp_path)
    for name, header in [("grades.csv", HEADER), ("candidates.csv", CANDIDATE_HEADER)]:
        text = (tmp_path / name).read_bytes()
        assert text.startswith(b"\xef\xbb\xbf")
        assert text.decode("utf-8-sig").splitlines()[0].split(",") == header


def test_a_scored_row_prints_scores_as_they_are(tables: Tables, tmp_path: Path) -> None:
    write_tables(tables, tmp_path)
    row = read_csv(tmp_path / "grades.csv")[0]
    assert [row[key] for key in KEYS] == ["3", "3.42", "2.5", "", "4"]
    assert (row["overall"], row["overall_uncapped"]) == ("3.4", "3.4")
    assert (row["number"], row["flags"], row["cached"]) == ("1", "spread|padding", "True")
    assert (row["attempts"], row["input_tokens"], row["seconds"]) == ("1", "900", "1.24")


@pytest.mark.parametrize(("place", "status"), [(1, "endpoint_error"), (2, "not_run")])
def test_an_item_without_a_grade_has_empty_numbers(
    tables: Tables, tmp_path: Path, place: int, status: str
) -> None:
    write_tables(tables, tmp_path)
    row = read_csv(tmp_path / "grades.csv")[place]
    assert row["status"] == status
    assert {row[name] for name in ("overall", *KEYS, "overall_uncapped", "score_mode")} == {""}
    assert "nan" not in (tmp_path / "grades.csv").read_text("utf-8-sig").lower()
    cells = read_sheet(tmp_path / "grades.xlsx", "grades")[place]
    assert cells["overall"].value is None
    assert cells["relevance"].value is None


def test_a_failure_that_carries_a_grade_shows_no_number() -> None:
    outcome = make_outcome(status="refused", grade=make_grade(*"33333"))
    grades = build_tables([make_interview(["q"])], {"a#1": outcome}, [], KEYS).grades
    assert grades[["overall", *KEYS]].isna().all(axis=None)


def test_blank_is_zero_and_prints_one_decimal(tmp_path: Path) -> None:
    outcome = make_outcome(status="blank", grade=make_grade(*"00000", overall="0", uncapped="0"))
    write_tables(build_tables([make_interview(["q"])], {"a#1": outcome}, [], KEYS), tmp_path)
    row = read_csv(tmp_path / "grades.csv")[0]
    assert (row["overall"], row["relevance"]) == ("0.0", "0")


def test_criteria_hold_one_row_per_item_and_criterion(tables: Tables) -> None:
    assert len(tables.criteria) == 3 * len(KEYS)
    first = tables.criteria.iloc[0]
    assert (first["quote_start"], first["quote_end"], first["quote_match"]) == (0, 1, "exact")
    assert tables.criteria["score"].count() == 4


def test_candidates_print_plain_values(tables: Tables, tmp_path: Path) -> None:
    write_tables(tables, tmp_path)
    row = read_csv(tmp_path / "candidates.csv")[0]
    assert (row["years_experience"], row["coverage"], row["overall"]) == ("10", "0.6667", "3.0")
    assert row["overall_answered_only"] == ""
    assert row["reasons"] == "coverage 0.67 is below 0.70; flag: spread"


@pytest.mark.parametrize("start", [*DANGEROUS, " =", "\u200b=", "\ufeff+"])
def test_text_never_becomes_a_formula(tmp_path: Path, start: str) -> None:
    text = f'{start}1+1|cmd"/c calc"!A1'
    interview = make_interview([text], id=text, candidate=text)
    outcome = make_outcome(f"{text}#1", status="refused", reason=text, model=text)
    candidate = make_candidate(interview_id=text, role=text, years_experience=text, reasons=(text,))
    write_tables(build_tables([interview], {f"{text}#1": outcome}, [candidate], KEYS), tmp_path)

    rows = read_csv(tmp_path / "grades.csv") + read_csv(tmp_path / "candidates.csv")
    cells = [value for row in rows for value in row.values()]
    assert not [cell for cell in cells if cell.lstrip("\u200b\ufeff ")[:1] in set(DANGEROUS)]
    assert cells.count(f"'{text}") == 8
    for sheet in ("grades", "criteria", "candidates"):
        for row in read_sheet(tmp_path / "grades.xlsx", sheet):
            assert {cell.data_type for cell in row.values()} <= {"s", "n", "b", "inlineStr"}
    kept = read_sheet(tmp_path / "grades.xlsx", "grades")[0]["question"]
    assert kept.value == text.replace("\r", "\n")
    assert kept.quotePrefix


def test_numbers_below_zero_stay_numbers() -> None:
    tables = build_tables(
        [make_interview(["q"])],
        {"a#1": make_outcome(status="scored", grade=make_grade("-1", *"3333"))},
        [],
        KEYS,
    )
    assert tables.grades["relevance"][0] == -1
    assert formula_safe("3 - 1") == "3 - 1"


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("two\nlines", "two\nlines"),
        ("two\r\nlines", "two\r\nlines"),
        ('a "quoted", part', 'a "quoted", part'),
        ("🧪 项目", "🧪 项目"),
        ("nul\x00", "nul\ufffd"),
        ("half \ud83d pair", "half \ufffd pair"),
        ("nan", "nan"),
        ("NA", "NA"),
        ("None", "None"),
        ("007", "007"),
    ],
)
def test_odd_ids_and_texts_survive(tmp_path: Path, text: str, kept: str) -> None:
    interview = make_interview([text], id=text)
    candidate = make_candidate(interview_id=text)
    write_tables(build_tables([interview], {}, [candidate], KEYS), tmp_path)
    row = read_csv(tmp_path / "grades.csv")[0]
    assert (row["interview_id"], row["item_id"], row["question"]) == (kept, f"{kept}#1", kept)
    assert read_csv(tmp_path / "candidates.csv")[0]["interview_id"] == kept
    assert pd.read_parquet(tmp_path / "grades.parquet")["question"][0] == kept
    sheet = read_sheet(tmp_path / "grades.xlsx", "grades")[0]["question"].value
    assert sheet == kept.replace("\r\n", "\n")


@settings(max_examples=40, deadline=None)
@given(texts=st.lists(st.text(st.characters(exclude_categories=[])), min_size=1, max_size=4))
def test_no_text_is_lost_on_the_way_to_csv(
    texts: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("csv")
    tables = build_tables([make_interview(texts)], {}, [], KEYS)
    write_tables(tables, folder)
    printed = [row["question"] for row in read_csv(folder / "grades.csv")]
    assert printed == [formula_safe(text) for text in tables.grades["question"]]
    assert [len(text) for text in tables.grades["question"]] == [len(text) for text in texts]


def test_parquet_gives_back_the_same_frames(tables: Tables, tmp_path: Path) -> None:
    write_tables(tables, tmp_path)
    for name in ("grades", "criteria"):
        back = pd.read_parquet(tmp_path / f"{name}.parquet")
        pd.testing.assert_frame_equal(back, getattr(tables, name))


def test_equal_tables_give_equal_bytes(tables: Tables, tmp_path: Path) -> None:
    write_tables(tables, tmp_path / "one")
    write_tables(tables, tmp_path / "two")
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes(), path.name


def test_an_empty_run_gives_files_with_headers(tmp_path: Path) -> None:
    write_tables(build_tables([], {}, [], KEYS), tmp_path)
    assert (tmp_path / "grades.csv").read_text("utf-8-sig").split() == [",".join(HEADER)]
    assert list(pd.read_parquet(tmp_path / "grades.parquet").columns) == HEADER
    assert openpyxl.load_workbook(tmp_path / "grades.xlsx").sheetnames == [
        "grades",
        "criteria",
        "candidates",
    ]


def test_the_header_is_frozen(tables: Tables, tmp_path: Path) -> None:
    write_tables(tables, tmp_path)
    book = openpyxl.load_workbook(tmp_path / "grades.xlsx")
    assert [sheet.freeze_panes for sheet in book] == ["A2", "A2", "A2"]


@pytest.mark.parametrize("letter", ["x", "字", "🧪"])
def test_a_long_cell_is_cut_with_a_mark(letter: str) -> None:
    cut = sheet_text(letter * (CELL_LIMIT + 1))
    assert cut.endswith(CUT_MARK)
    assert len(cut.encode("utf-16-le")) // 2 <= CELL_LIMIT
    assert cut[:9] == letter * 9


def test_sheet_text_drops_what_xml_forbids() -> None:
    assert sheet_text("a\x01\x0b\ufffe\tb\r\n\r") == "a\tb\n\n"


@pytest.mark.parametrize("keys", [("overall",), ("status",), ("depth", "depth")])
def test_a_key_that_is_a_column_already_is_refused(keys: Sequence[str]) -> None:
    with pytest.raises(ConfigError, match=keys[0]):
        build_tables([], {}, [], keys)


def test_a_crash_leaves_the_old_file_whole(tmp_path: Path) -> None:
    path = tmp_path / "grades.csv"
    path.write_text("old", "utf-8")

    def fail(draft: Path) -> None:
        draft.write_text("half of the n", "utf-8")
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        replace_file(path, fail)
    assert [(file.name, file.read_text("utf-8")) for file in tmp_path.iterdir()] == [
        ("grades.csv", "old")
    ]


@pytest.mark.parametrize(
    ("value", "places", "exact", "short"),
    [
        (Decimal("2.25"), 1, "2.3", "2.3"),
        (Decimal("3"), 1, "3.0", "3"),
        (2.675, 2, "2.68", "2.68"),
        (100.0, 2, "100.00", "100"),
        (0.0, 1, "0.0", "0"),
        (1e-7, 2, "0.00", "0"),
    ],
)
def test_numbers_round_half_up(value: Decimal | float, places: int, exact: str, short: str) -> None:
    assert (fixed(value, places), at_most(value, places)) == (exact, short)


def test_bytes_of_a_workbook_stay_open_for_an_archive_that_is_left() -> None:
    whole = Memory()
    archive = ZipFile(whole, "w")
    whole.close()
    archive.writestr("a", "x")
    archive.close()
    assert ZipFile(whole).read("a") == b"x"
