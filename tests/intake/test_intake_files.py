"""The same interview in every file format gives the same items."""

from __future__ import annotations

import io
import json
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import docx
import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pipeline.errors import UnreadableInputs
from pipeline.intake import read_all, read_interviews
from pipeline.records import Interview

ROWS: list[dict[str, Any]] = [
    {
        "interview_id": "wu",
        "number": 1,
        "question": "请说明你怎样做灰度发布？",
        "objective": "上线经验",
        "answer": "先放百分之五的流量，看错误率。\n再逐步放大。",
        "role": "运维工程师",
        "years_experience": "6年",
    },
    {
        "interview_id": "wu",
        "number": 2,
        "question": "回滚要多久？",
        "objective": "应急",
        "answer": "",
        "role": "运维工程师",
        "years_experience": "6年",
    },
]
TEXT = """岗位：运维工程师 从业年限：6年
问题1：请说明你怎样做灰度发布？
考察目标：上线经验
回答：先放百分之五的流量，看错误率。
再逐步放大。
问题2：回滚要多久？
考察目标：应急
回答：
"""


def write_txt(path: Path) -> None:
    path.write_text(TEXT, encoding="utf-8")


def write_docx(path: Path) -> None:
    document = docx.Document()
    for line in TEXT.splitlines():
        document.add_paragraph(line)
    document.save(str(path))


def write_docx_table(path: Path) -> None:
    document = docx.Document()
    table = document.add_table(rows=3, cols=len(ROWS[0]))
    for at, name in enumerate(ROWS[0]):
        table.cell(0, at).text = name
        for row, values in enumerate(ROWS, start=1):
            table.cell(row, at).text = str(values[name])
    document.save(str(path))


def write_xlsx(path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(["面试记录"])
    sheet.append(list(ROWS[0]))
    for row in ROWS:
        sheet.append(list(row.values()))
    book.save(path)


def write_csv(path: Path) -> None:
    delimiter = "\t" if path.suffix == ".tsv" else ","
    lines = [delimiter.join(ROWS[0])]
    lines += [delimiter.join(f'"{value}"' for value in row.values()) for row in ROWS]
    path.write_text("\n".join(lines), encoding="utf-8-sig")


def write_jsonl(path: Path) -> None:
    path.write_text("\n".join(json.dumps(row) for row in ROWS), encoding="utf-8")


def write_json(path: Path) -> None:
    path.write_text(json.dumps(ROWS, ensure_ascii=False, indent=1), encoding="utf-8")


def write_parquet(path: Path) -> None:
    pq.write_table(pa.Table.from_pylist(ROWS), path)


def write_parsed(path: Path) -> None:
    """What `grader parse --json` prints can be read again."""
    source = path.with_suffix(".txt")
    write_txt(source)
    [interview] = read_interviews(source)
    source.unlink()
    path.write_text(json.dumps({"interviews": [json.loads(interview.model_dump_json())]}))


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("wu.txt", write_txt),
        ("wu.md", write_txt),
        ("wu", write_txt),
        ("wu.docx", write_docx),
        ("table.docx", write_docx_table),
        ("table.xlsx", write_xlsx),
        ("table.csv", write_csv),
        ("table.tsv", write_csv),
        ("table.txt", write_csv),
        ("table.jsonl", write_jsonl),
        ("table.json", write_json),
        ("table.parquet", write_parquet),
        ("wu.json", write_parsed),
    ],
)
def test_every_format_gives_the_same_interview(
    tmp_path: Path, name: str, write: Callable[[Path], None]
) -> None:
    write(tmp_path / name)
    [interview] = read_interviews(tmp_path)
    assert interview.id == "wu"
    assert (interview.role, interview.years_experience) == ("运维工程师", 6)
    assert [
        (item.number, item.question, item.objective, item.answer) for item in interview.items
    ] == [(row["number"], row["question"], row["objective"], row["answer"]) for row in ROWS]
    assert interview.language == "zh"


def pdf_of(*pages: list[str]) -> bytes:
    """A minimal PDF with one text line below the other."""
    out, places = io.BytesIO(), []

    def put(number: int, body: bytes) -> None:
        places.append(out.tell())
        out.write(b"%d 0 obj\n%s\nendobj\n" % (number, body))

    out.write(b"%PDF-1.4\n")
    kids = b" ".join(b"%d 0 R" % (4 + 2 * n) for n in range(len(pages)))
    put(1, b"<</Type/Catalog/Pages 2 0 R>>")
    put(2, b"<</Type/Pages/Kids[%s]/Count %d>>" % (kids, len(pages)))
    put(3, b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>")
    for n, lines in enumerate(pages):
        shown = " ".join(f"({line}) Tj T*" for line in lines)
        stream = f"BT /F1 10 Tf 14 TL 50 700 Td {shown} ET".encode()
        put(
            4 + 2 * n,
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents %d 0 R"
            b"/Resources<</Font<</F1 3 0 R>>>>>>" % (5 + 2 * n),
        )
        put(5 + 2 * n, b"<</Length %d>>stream\n%s\nendstream" % (len(stream), stream))
    start = out.tell()
    out.write(b"xref\n0 %d\n0000000000 65535 f \n" % (len(places) + 1))
    out.writelines(b"%010d 00000 n \n" % place for place in places)
    out.write(b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (len(places) + 1, start))
    return out.getvalue()


def test_pdf_is_read_across_pages_without_page_numbers(read: Callable[..., Interview]) -> None:
    first = ["Q1: What is a mutex?", "A: A lock with an owner.", "Page 1 of 2"]
    second = ["It is released by it.", "Q2: What is a semaphore?", "A:", "Page 2 of 2"]
    interview = read(pdf_of(first, second), "scan.pdf")
    assert [item.answer for item in interview.items] == [
        "A lock with an owner.\nIt is released by it.",
        "",
    ]
    assert [item.page for item in interview.items] == [1, 2]


def test_pdf_without_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "scan.pdf").write_bytes(pdf_of([]))
    [error] = read_all([tmp_path]).errors
    assert "no text layer" in error.problem


def test_word_inserted_text_counts_and_numbered_questions_keep_their_numbers(
    tmp_path: Path,
) -> None:
    document = docx.Document()
    document.add_paragraph("What is a mutex?", style="List Number")
    answer = document.add_paragraph("A lock")
    inserted = docx.oxml.parse_xml(
        '<w:ins xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">'
        "<w:r><w:t> with an owner.</w:t></w:r></w:ins>"
    )
    answer._p.append(inserted)
    document.add_paragraph("What is a semaphore?", style="List Number")
    document.add_paragraph("A counter.")
    document.save(str(tmp_path / "list.docx"))
    [interview] = read_interviews(tmp_path)
    assert [(item.number, item.answer) for item in interview.items] == [
        (1, "A lock with an owner."),
        (2, "A counter."),
    ]


def test_workbook_sheets_are_one_person_each(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.active.title = "说明"
    book.active.append(["这是说明"])
    for name in ("李", "韩"):
        sheet = book.create_sheet(name)
        sheet.append(["问题", "回答"])
        sheet.append(["什么是锁？", f"{name}的回答"])
    book.save(tmp_path / "both.xlsx")
    interviews = read_interviews(tmp_path)
    assert [(i.id, i.items[0].answer) for i in interviews] == [
        ("李", "李的回答"),
        ("韩", "韩的回答"),
    ]
    assert all("sheet skipped" in i.warnings[-1] for i in interviews)


def test_zip_is_read_in_place_and_chinese_names_survive(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        archive.writestr("乙/面试.txt", TEXT)
        archive.writestr("甲/面试.txt", TEXT)
        archive.writestr("__MACOSX/._面试.txt", "x")
    interviews = read_interviews(tmp_path / "all.zip")
    assert sorted(i.id for i in interviews) == ["乙/面试", "甲/面试"]
    assert all("all.zip!" in i.source for i in interviews)


@pytest.mark.parametrize("content", [TEXT, json.dumps(ROWS), json.dumps(ROWS[0])])
def test_standard_input_is_read_whatever_it_is(
    monkeypatch: pytest.MonkeyPatch, content: str
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content.encode())))
    [interview] = read_interviews("-")
    assert interview.items[0].question == "请说明你怎样做灰度发布？"


def test_folder_skips_system_files_and_lists_foreign_ones(tmp_path: Path) -> None:
    write_txt(tmp_path / "wu.txt")
    (tmp_path / ".DS_Store").write_bytes(b"x")
    (tmp_path / "~$wu.docx").write_bytes(b"x")
    (tmp_path / "photo.png").write_bytes(b"\x89PNG....")
    with pytest.raises(UnreadableInputs, match=r"photo\.png"):
        read_interviews(tmp_path)
    assert [i.id for i in read_all([tmp_path]).interviews] == ["wu"]


@pytest.mark.parametrize("suffix", [".docx", ".xlsx", ".pdf", ".parquet", ".ipynb", ".xml"])
def test_damaged_files_are_refused_by_name(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"broken{suffix}"
    path.write_bytes(b"PK\x03\x04 this is not what it says")
    [error] = read_all([path]).errors
    assert error.source == str(path)


def test_missing_and_empty_paths_are_errors(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    reading = read_all([tmp_path / "nowhere.txt", tmp_path / "empty"])
    assert [error.problem for error in reading.errors] == [
        "does not exist.",
        "is a folder without files.",
    ]
