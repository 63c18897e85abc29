"""What a file is, by its first bytes. The trap: its name, which anybody may choose; a picture called `goods.csv` is a
picture."""

from __future__ import annotations

import codecs
import zipfile
from typing import BinaryIO

from pcs.spreadsheets.model import Limits, SpreadsheetError

XLSX, TEXT = "xlsx", "text"

_EXPORT = "save the table as .xlsx or CSV and choose that file"
_FOREIGN = (
    (b"%PDF", f"is a PDF document: {_EXPORT}"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", f"is an old Excel file (.xls) or protected by a password: {_EXPORT}"),
    (b"\x89PNG", f"is a picture: {_EXPORT}"),
    (b"\xff\xd8\xff", f"is a picture: {_EXPORT}"),
    (b"GIF8", f"is a picture: {_EXPORT}"),
    (b"II*\x00", f"is a picture: {_EXPORT}"),
    (b"MM\x00*", f"is a picture: {_EXPORT}"),
    (b"RIFF", f"is a picture or a recording: {_EXPORT}"),
    (b"\x1f\x8b", "is a compressed file: unpack it and choose the table in it"),
    (b"7z\xbc\xaf", "is a compressed file: unpack it and choose the table in it"),
    (b"Rar!", "is a compressed file: unpack it and choose the table in it"),
    (b"{\\rtf", f"is a text document: {_EXPORT}"),
)
_MARKUP = (b"<!doctype", b"<html", b"<?xml", b"<table", b"<svg")
_HEAD = 4096
_MANY_CONTROLS = 0.02
_CONTROLS = bytes(set(range(1, 32)) - set(b"\t\n\r\x0c\x1a"))


def kind_of(file: BinaryIO, limits: Limits) -> str:
    """XLSX or TEXT. Raises SpreadsheetError, in words, for an empty file, one that is too large, and any other kind."""
    size = file.seek(0, 2)
    file.seek(0)
    if size > limits.bytes:
        msg = f"has {size / 1e6:,.0f} MB and may have {limits.bytes // 1024 // 1024} MiB: cut it into several files"
        raise SpreadsheetError(msg)
    head = file.read(_HEAD)
    if size <= _HEAD and not head.removeprefix(codecs.BOM_UTF8).strip():
        msg = "is empty"
        raise SpreadsheetError(msg)
    if head.startswith(b"PK\x03\x04"):
        _check_archive(file, limits)
        return XLSX
    _check_text(head)
    return TEXT


def _check_text(head: bytes) -> None:
    for beginning, words in _FOREIGN:
        if head.startswith(beginning):
            raise SpreadsheetError(words)
    if head.lstrip(b"\xef\xbb\xbf \t\r\n").lower().startswith(_MARKUP):
        msg = f"is a web page or XML: {_EXPORT}"
        raise SpreadsheetError(msg)
    controls = len(head) - len(head.translate(None, _CONTROLS))
    if (
        b"\x00" not in head and controls > len(head) * _MANY_CONTROLS
    ):  # with zeros it may be UTF-16, which is seen later
        msg = f"is not text: {_EXPORT}"
        raise SpreadsheetError(msg)


def _check_archive(file: BinaryIO, limits: Limits) -> None:
    """See that an archive is a workbook and stays small when unpacked; Python reads no more than what it declares."""
    try:
        with zipfile.ZipFile(file) as archive:
            parts = archive.infolist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        msg = f"is damaged: it begins like an .xlsx file and is incomplete. {_EXPORT.capitalize()}"
        raise SpreadsheetError(msg) from error
    names = {part.filename for part in parts}
    if "xl/workbook.xml" not in names:
        msg = f"is an archive or a document of another kind, not an .xlsx workbook: {_EXPORT}"
        raise SpreadsheetError(msg)
    unpacked = sum(part.file_size for part in parts)
    if unpacked > limits.unpacked:
        most = limits.unpacked // 1024 // 1024
        msg = f"unpacks to {unpacked / 1e6:,.0f} MB and may unpack to {most} MiB: cut it into several files"
        raise SpreadsheetError(msg)
