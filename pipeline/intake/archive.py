"""Zips read in place, with bounds: nothing is unpacked to disk, no path leaves the archive."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from pipeline.errors import InputError
from pipeline.intake.draft import Source
from pipeline.intake.faults import PARSER_FAULTS

MAX_MEMBERS = 20_000
MAX_UNPACKED = 512 * 1024 * 1024
MAX_MEMBER = 64 * 1024 * 1024
MAX_RATIO = 200
"""A member of text that shrinks more than this is taken for a bomb (from 1 MB on)."""
_NO_BOMB = "If the file is honest, unpack it yourself and name the folder."


def members(file: Path) -> Iterator[Source | InputError]:
    """The files in a zip, in sorted order, each as a source of its own."""
    try:
        with zipfile.ZipFile(file) as archive:
            infos = [info for info in archive.infolist() if _wanted(info)]
        check(infos, source=str(file))
    except InputError as error:
        yield error
        return
    except PARSER_FAULTS:
        yield InputError("is not a readable zip.", source=str(file), remedy="Pack it again.")
        return
    if not infos:
        yield InputError("is a zip without files.", source=str(file))
    for info in sorted(infos, key=_member_name):
        yield _member(file, info)


def check(infos: list[zipfile.ZipInfo], *, source: str) -> None:
    """Refuse an archive that would unpack to more than its bounds."""
    if len(infos) > MAX_MEMBERS:
        raise InputError(f"holds more than {MAX_MEMBERS} files.", source=source, remedy=_NO_BOMB)
    total = sum(info.file_size for info in infos)
    if total > MAX_UNPACKED or any(_swollen(info) for info in infos):
        raise InputError(
            "would unpack to far more than its size (a zip bomb?).", source=source, remedy=_NO_BOMB
        )


def check_office(data: bytes, *, source: str) -> None:
    """Refuse a Word or Excel file that is a bomb, is locked, or declares XML entities."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            infos = archive.infolist()
            check(infos, source=source)
            for info in infos:
                if info.filename.endswith((".xml", ".rels")):
                    _refuse_entities(archive.open(info).read(4096), source)
    except PARSER_FAULTS:
        raise InputError(
            "is not a readable Office file (damaged, or locked by a password).",
            source=source,
            remedy="Open and save it again, without a password.",
        ) from None


def refuse_entities(data: bytes, *, source: str) -> None:
    """Refuse XML with a document type: that is where entities hide, and no transcript needs one."""
    _refuse_entities(data, source)


def _refuse_entities(data: bytes, source: str) -> None:
    plain = data.replace(b"\x00", b"")
    if b"<!DOCTYPE" in plain or b"<!ENTITY" in plain:
        raise InputError(
            "holds XML with a document type or entities, which is not read.",
            source=source,
            remedy="Open it in its program and save it again.",
        )


def _wanted(info: zipfile.ZipInfo) -> bool:
    parts = PurePosixPath(info.filename).parts
    hidden = any(p.startswith((".", "~$", "__MACOSX")) and p != ".." for p in parts)
    return not info.is_dir() and not hidden


def _swollen(info: zipfile.ZipInfo) -> bool:
    return info.file_size > MAX_MEMBER or (
        info.file_size > 1024 * 1024 and info.file_size > MAX_RATIO * max(info.compress_size, 1)
    )


def _member_name(info: zipfile.ZipInfo) -> str:
    """The name as it was meant: zips of Chinese desktops write GBK without saying so."""
    if info.flag_bits & 0x800:
        return info.filename
    try:
        return info.filename.encode("cp437").decode("utf-8")
    except UnicodeError:
        pass
    try:
        return info.filename.encode("cp437").decode("gb18030")
    except UnicodeError:
        return info.filename


def _member(file: Path, info: zipfile.ZipInfo) -> Source | InputError:
    name = _member_name(info).replace("\\", "/")
    path = PurePosixPath(name)
    shown = f"{file}!{name}"
    if path.is_absolute() or ".." in path.parts or ":" in path.parts[0]:
        return InputError(
            "has a path that leads out of its zip.", source=shown, remedy="Pack the zip again."
        )
    if info.flag_bits & 0x1:
        return InputError("is locked by a password.", source=shown, remedy="Unpack it yourself.")
    if path.suffix.lower() == ".zip":
        return InputError("is a zip inside a zip.", source=shown, remedy="Unpack it yourself.")

    def stream() -> BinaryIO:
        try:
            with zipfile.ZipFile(file) as archive, archive.open(info) as member:
                return io.BytesIO(member.read(MAX_MEMBER + 1))
        except PARSER_FAULTS:
            raise InputError("cannot be unpacked.", source=shown, remedy="Pack it again.") from None

    folders = (*file.resolve().parent.parts[1:], file.stem, *path.parent.parts)
    return Source(name=shown, parts=(*folders, path.stem), suffix=path.suffix.lower(), open=stream)
