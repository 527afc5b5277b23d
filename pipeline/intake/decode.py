"""Bytes to text: byte-order marks, UTF-8, UTF-16, GB18030, Big5, Windows-1252."""

from __future__ import annotations

import codecs
import re

from charset_normalizer import from_bytes

from pipeline.errors import InputError

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_MAGIC = (
    (b"PK\x03\x04", "a zip or Office file"),
    (b"\xd0\xcf\x11\xe0", "an old Office file (.doc, .xls)"),
    (b"%PDF-", "a PDF"),
    (b"\x89PNG", "an image"),
    (b"\xff\xd8\xff", "an image"),
    (b"GIF8", "an image"),
    (b"\x1f\x8b", "a gzip file"),
    (b"7z\xbc\xaf", "a 7z archive"),
    (b"Rar!", "a rar archive"),
    (b"{\\rtf", "an RTF file"),
    (b"PAR1", "a Parquet file"),
    (b"SQLite format 3", "a database"),
    (b"ID3", "a sound recording"),
    (b"OggS", "a sound recording"),
)
# \x0c is a page break, \x1a the end-of-file mark of old DOS editors.
_CONTROL = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f\ud800-\udfff]")
_COMMON = frozenset(
    "的一是不了在人有我他这中大来上国个到说们为子和你地出会也时要就可以对生能而那得于着下自之年过"
)
_COMMON_TRADITIONAL = frozenset("這來國個說們為會時對過後學點問題答麼沒還開關實驗應該與於嗎")
_SAVE_AS_UTF8 = "Save it as UTF-8 and try again."


def decode(data: bytes, *, source: str) -> tuple[str, tuple[str, ...]]:
    """Text with "\\n" line ends, and warnings; InputError for what is empty or no text."""
    kind = foreign_kind(data)
    if kind:
        raise InputError(
            f"is {kind}, although its name does not say so.",
            source=source,
            remedy="Give it its proper suffix, or export it as text.",
        )
    encoding, doubts = _encoding(data, source)
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as fault:
        raise InputError(
            f"is not valid {encoding} at byte {fault.start}.", source=source, remedy=_SAVE_AS_UTF8
        ) from None
    return _clean(text, doubts, source)


def foreign_kind(data: bytes) -> str | None:
    """What a file really is when its first bytes are those of a well-known binary format."""
    head = data[:16]
    return next((kind for magic, kind in _MAGIC if head.startswith(magic)), None)


def text_encoding(head: bytes, *, source: str) -> str:
    """The encoding of a text of which only the beginning is at hand."""
    return _encoding(head, source)[0]


def _clean(text: str, doubts: tuple[str, ...], source: str) -> tuple[str, tuple[str, ...]]:
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    text, removed = _CONTROL.subn("", text)
    if removed > 10 + len(text) // 50:
        raise InputError(
            "is not text: it is full of control characters.", source=source, remedy=_SAVE_AS_UTF8
        )
    if removed:
        doubts = (*doubts, f"{removed} control characters were removed")
    return text, doubts


def _encoding(data: bytes, source: str) -> tuple[str, tuple[str, ...]]:
    marked = next((name for mark, name in _MARKS if data.startswith(mark)), None)
    if marked:
        return marked, ()
    if _is_utf8(data):
        return ("utf-8", ()) if b"\x00" not in data[:4096] else (_wide(data) or "utf-8", ())
    wide = _wide(data)
    if wide:
        return wide, ()
    return _legacy(data, source)


def _is_utf8(data: bytes) -> bool:
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        decoder.decode(data)  # not final: a character cut at the end of a sample is no fault
    except UnicodeDecodeError:
        return False
    return True


def _wide(data: bytes) -> str | None:
    """UTF-16 without a mark: every other byte of its ASCII characters is zero."""
    sample = data[: 4096 - 4096 % 2]
    pairs = len(sample) // 2
    for encoding, zeros in (("utf-16-le", sample[1::2]), ("utf-16-be", sample[::2])):
        other = sample[::2] if encoding.endswith("le") else sample[1::2]
        if pairs and zeros.count(0) > max(1, pairs // 50) and other.count(0) * 4 <= zeros.count(0):
            return encoding
    return None


def _legacy(data: bytes, source: str) -> tuple[str, tuple[str, ...]]:
    """Chinese encodings by how common the characters are that they give; else Western."""
    high = sum(byte >= 0x80 for byte in data[:65536])
    if high * 10 < len(data[:65536]) and _lone_high_bytes(data[:65536]):
        return "cp1252", ("read as Windows-1252, since it is neither UTF-8 nor Chinese",)
    shares = {name: _common_share(data, name) for name in ("gb18030", "big5hkscs")}
    best = max(shares, key=lambda name: shares[name])
    other = min(shares, key=lambda name: shares[name])
    if shares[best] >= 0.05 and shares[best] >= 1.5 * shares[other]:
        return best, ()
    guess = from_bytes(data[:65536]).best()
    if guess is None:
        raise InputError("is not text in any known encoding.", source=source, remedy=_SAVE_AS_UTF8)
    return guess.encoding, (f"the encoding is a guess ({guess.encoding}); look at the text",)


def _lone_high_bytes(data: bytes) -> bool:
    runs = re.findall(rb"[\x80-\xff]+", data)
    return sum(len(run) == 1 for run in runs) * 2 > len(runs)


def _common_share(data: bytes, encoding: str) -> float:
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        text = decoder.decode(data[:200_000])
    except UnicodeDecodeError:
        return 0.0
    wide = [char for char in text if char >= "\u0100"]
    common = sum(char in _COMMON or char in _COMMON_TRADITIONAL for char in wide)
    return common / len(wide) if wide else 0.0
