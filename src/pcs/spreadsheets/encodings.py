"""Which encoding a text file is in: UTF-8, UTF-16 (Excel's "Unicode text"), or what a Western Windows writes.

The trap: a detector that guesses by likelihood; it takes short Spanish for Central European. What is valid UTF-8 is
UTF-8, so that only Windows-1252 is left to be anything else's name."""

from __future__ import annotations

import codecs
from typing import BinaryIO

from pcs.spreadsheets.model import SpreadsheetError

UTF_8, WINDOWS = "utf-8-sig", "cp1252"
_MARKS = (
    (codecs.BOM_UTF8, UTF_8),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CHUNK = 1 << 16
_MANY = 0.3  # of the bytes at even or at odd places are zero in Western text in UTF-16


def encoding_of(file: BinaryIO) -> str:
    """The codec that reads all of a file. Raises SpreadsheetError where there is none."""
    file.seek(0)
    head = file.read(4096)
    marked = next((codec for mark, codec in _MARKS if head.startswith(mark)), None)
    likely = [marked] if marked else [_unmarked(head)] if b"\x00" in head else [UTF_8, WINDOWS]
    found = next((codec for codec in likely if _reads(file, codec)), None)
    if found is None:
        msg = "is not text in UTF-8, UTF-16 or Windows-1252: save it as CSV in UTF-8, or as .xlsx"
        raise SpreadsheetError(msg)
    return found


def is_plain(file: BinaryIO, codec: str) -> bool:
    """Whether a file is UTF-8 without a mark, which Excel takes for another encoding."""
    file.seek(0)
    return codec == UTF_8 and not file.read(3).startswith(codecs.BOM_UTF8)


def _unmarked(head: bytes) -> str:
    even, odd = head[::2], head[1::2]
    if odd.count(0) > len(odd) * _MANY > even.count(0):
        return "utf-16-le"
    return "utf-16-be" if even.count(0) > len(even) * _MANY > odd.count(0) else UTF_8


def _reads(file: BinaryIO, codec: str) -> bool:
    """Whether a codec reads all of a file, a piece at a time, and finds no NUL, which no text holds."""
    file.seek(0)
    decoder = codecs.getincrementaldecoder(codec)()
    try:
        while chunk := file.read(_CHUNK):
            if "\x00" in decoder.decode(chunk):
                return False
        decoder.decode(b"", final=True)
    except UnicodeError:
        return False
    return True
