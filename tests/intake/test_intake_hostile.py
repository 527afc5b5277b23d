"""Hostile input ends in a clear error, within bounds of memory and time."""

from __future__ import annotations

import io
import json
import time
import tracemalloc
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import docx
import openpyxl
import pytest

from pipeline.errors import InputError
from pipeline.intake import iter_interviews, read_all, streams
from pipeline.intake.draft import Options, Source
from pipeline.intake.formats import drafts
from pipeline.records import Interview

MB = 1024 * 1024
ENTITY = b'<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>'


@pytest.fixture
def bounded() -> Iterator[None]:
    """At most 250 MB of Python memory and 20 seconds."""
    tracemalloc.start()
    start = time.monotonic()
    yield
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 250 * MB
    assert time.monotonic() - start < 20


def refused(path: Path) -> InputError:
    reading = read_all([path])
    assert reading.interviews == ()
    [error] = reading.errors
    return error


class Endless(io.RawIOBase):
    """A stream of one line without an end."""

    def __init__(self, head: bytes, size: int) -> None:
        self.head, self.left = head, size

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]
        take = min(len(buffer), self.left)
        chunk = (self.head + b"x" * take)[:take]
        self.head = self.head[take:]
        buffer[:take] = chunk
        self.left -= take
        return take


@pytest.mark.usefixtures("bounded")
@pytest.mark.parametrize("suffix", [".jsonl", ".csv", ".txt", ".json", ".vtt"])
def test_a_line_of_a_gigabyte(suffix: str) -> None:
    head = b"question,answer\n" if suffix == ".csv" else b""
    source = Source(
        name=f"long{suffix}",
        parts=("long",),
        suffix=suffix,
        open=lambda: io.BufferedReader(Endless(head, 1024 * MB)),
    )
    with pytest.raises(InputError) as caught:
        list(drafts(source, Options()))
    assert "larger than" in caught.value.problem or "a line of more" in caught.value.problem


@pytest.mark.usefixtures("bounded")
def test_zip_bomb(tmp_path: Path) -> None:
    path = tmp_path / "bomb.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.txt", b"0" * (50 * MB))
    assert "zip bomb" in refused(path).problem


@pytest.mark.usefixtures("bounded")
@pytest.mark.parametrize("suffix", [".docx", ".xlsx"])
def test_office_bomb(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"bomb{suffix}"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", b"<a>" + b" " * (50 * MB) + b"</a>")
    assert "zip bomb" in refused(path).problem


def test_zip_paths_that_climb_out(tmp_path: Path) -> None:
    path = tmp_path / "out.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("../../evil.txt", "问题1：什么？\n回答：这个")
        archive.writestr("/abs.txt", "问题1：什么？\n回答：这个")
        archive.writestr("inner.zip", b"PK")
    problems = {error.problem for error in read_all([path]).errors}
    assert problems == {"has a path that leads out of its zip.", "is a zip inside a zip."}
    assert not (tmp_path.parent / "evil.txt").exists()


def with_part(data: bytes, name: str, change: Callable[[bytes], bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w") as new:
        for info in old.infolist():
            body = old.read(info)
            new.writestr(info.filename, change(body) if info.filename == name else body)
    return out.getvalue()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_word_with_external_entities(tmp_path: Path, encoding: str) -> None:
    out = io.BytesIO()
    docx.Document().save(out)

    def change(body: bytes) -> bytes:
        text = body.decode().partition("?>")[2]
        head = f'<?xml version="1.0" encoding="{encoding}"?>'
        return (head + ENTITY.decode() + text).encode(encoding)

    path = tmp_path / "entity.docx"
    path.write_bytes(with_part(out.getvalue(), "word/document.xml", change))
    assert "entities" in refused(path).problem


def test_xml_with_entities(tmp_path: Path) -> None:
    path = tmp_path / "laughs.xml"
    path.write_bytes(b'<?xml version="1.0"?>' + ENTITY + b"<question>&a;</question>")
    assert "entities" in refused(path).problem


@pytest.mark.usefixtures("bounded")
def test_sheet_with_a_million_empty_rows(tmp_path: Path) -> None:
    path = tmp_path / "empty.xlsx"
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet()
    sheet.append(["question", "answer"])
    sheet.append(["What is x?", "A letter."])
    for _ in range(100):
        sheet.append([])
    book.save(path)

    def change(body: bytes) -> bytes:
        rows = b"".join(b'<row r="%d"></row>' % n for n in range(3, 1_000_000, 9))
        far = b'<row r="1048576"><c r="A1048576" t="inlineStr"><is><t> </t></is></c></row>'
        return body.replace(b"</sheetData>", rows + far + b"</sheetData>")

    path.write_bytes(with_part(path.read_bytes(), "xl/worksheets/sheet1.xml", change))
    [interview] = read_all([path]).interviews
    assert [item.answer for item in interview.items] == ["A letter."]


@pytest.mark.parametrize("suffix", [".json", ".jsonl", ".ipynb", ".txt"])
@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 50_000, "[" + "9" * 10_000 + "]"])
def test_deep_json_and_monstrous_numbers(tmp_path: Path, suffix: str, text: str) -> None:
    path = tmp_path / f"deep{suffix}"
    path.write_text(text)
    refused(path)


def test_deep_list_in_a_cell(tmp_path: Path) -> None:
    path = tmp_path / "deep.csv"
    path.write_text('question,answer\nWhat is x?,"' + "['" * 20_000 + "]" * 20_000 + '"\n')
    assert len(read_all([path]).interviews) == 1


def test_control_characters_are_removed_with_a_warning(read: Callable[..., Interview]) -> None:
    interview = read("问题1：什么\x00是锁？\n回答：互\x07斥\x1b[0m。\n")
    [item] = interview.items
    assert (item.question, item.answer) == ("什么是锁？", "互斥[0m。")
    assert interview.warnings == ("3 control characters were removed",)


def test_lone_surrogates_from_json_can_be_written_again(read: Callable[..., Interview]) -> None:
    line = json.dumps({"question": "What is x?", "answer": "a\ud800b"})
    assert read(line, "a.jsonl").items[0].answer == "ab"


@pytest.mark.parametrize(
    "data",
    [b"\x00\x01\x02\x03" * 500, b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 9, b"%PDF-1.4 nothing"],
)
def test_binaries_are_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "x.txt"
    path.write_bytes(data)
    assert refused(path).remedy


def test_broken_quotes_do_not_swallow_the_rest_of_a_csv(tmp_path: Path) -> None:
    path = tmp_path / "quotes.csv"
    path.write_text('question,answer\nWhat is x?,"A letter.\nWhat is y?,Another.\n')
    assert "quotes" in refused(path).problem


def test_messages_hold_no_candidate_text(tmp_path: Path) -> None:
    secret = "我在某银行的密码是一二三四五六"
    for name, text in {
        "a.txt": secret,
        "b.jsonl": '{"question": "' + secret,
        "c.csv": f'question,answer\n"{secret}" {secret},x\n',
        "d.json": f'[["{secret}"]]',
        "e.md": f"# {secret}\n\n{secret}",
    }.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    errors = read_all([tmp_path]).errors
    assert len(errors) == 5
    assert not any("密码" in str(error) for error in errors)


def test_streaming_memory_is_flat(tmp_path: Path) -> None:
    path = tmp_path / "big.jsonl"
    with path.open("w") as file:
        for n in range(6_000):
            row = {"interview_id": n // 5, "question": f"What is {n}?", "answer": "It is so. " * 40}
            file.write(json.dumps(row) + "\n")
    for _ in zip(range(3), iter_interviews(path), strict=False):
        pass
    tracemalloc.start()
    count = sum(len(interview.items) for interview in iter_interviews(path))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 6_000
    assert peak < 8 * MB + 4 * streams.CHUNK
