"""A file's rows on their way into the database. The trap: a large file held in memory; the rows are written to a file
of our own as they are read, a part a line, and taken from it in blocks."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, BinaryIO, Self

from pcs.base.errors import InvalidRequestError, Violation
from pcs.products.columns import known_titles
from pcs.spreadsheets.keeping import kept_head, kept_rows
from pcs.spreadsheets.model import SpreadsheetError
from pcs.spreadsheets.reading import read_sheet
from pcs.uploads.model import LIMITS, PART, UploadPart

_BLOCK = 20  # parts
_IN_MEMORY = 1024 * 1024
ONE_AT_A_TIME = asyncio.Semaphore(1)
"""A large workbook takes many seconds of a core."""


@dataclass(frozen=True, slots=True)
class ReadFile:
    """A file that was read: its head, how many rows it has, and these, to be taken once; closed as a context."""

    head: str
    rows: int
    parts: IO[str]

    def next_parts(self) -> list[UploadPart]:
        """The next few parts; none at the end."""
        return [UploadPart(**json.loads(line)) for line in itertools.islice(self.parts, _BLOCK)]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give the rows up."""
        self.parts.close()


def read_file(file: BinaryIO, *, json_lines: bool = False) -> ReadFile:
    """The rows of a file, to be closed. Takes seconds for a large workbook. Raises InvalidRequestError."""
    with contextlib.ExitStack() as opened:
        parts = opened.enter_context(tempfile.SpooledTemporaryFile(_IN_MEMORY, "w+", encoding="utf-8"))
        read = ReadFile(*_copied(file, parts, json_lines=json_lines), parts)
        parts.seek(0)
        opened.pop_all()  # whoever takes the parts closes them
        return read


def _copied(file: BinaryIO, parts: IO[str], *, json_lines: bool) -> tuple[str, int]:
    """Write a file's rows into `parts`; its head, and how many there are. Raises InvalidRequestError."""
    number = 0
    try:
        sheet = read_sheet(file, LIMITS, known_titles, json_lines=json_lines)
        rows = sheet.rows()
        while part := list(itertools.islice(rows, PART)):
            parts.write(json.dumps({"place": number // PART, "rows": kept_rows(part)}) + "\n")
            number += len(part)
    except SpreadsheetError as error:
        raise InvalidRequestError(Violation("file", str(error))) from None
    if not number:
        raise InvalidRequestError(Violation("file", "has a header and no rows below it"))
    return kept_head(sheet), number


def is_json_lines(file_name: str) -> bool:
    """Whether a file is to be read as an object a line: nothing but its name tells it from text.

    >>> is_json_lines("Goods.JSONL"), is_json_lines("goods.csv")
    (True, False)
    """
    return file_name.lower().endswith((".jsonl", ".ndjson"))


def parts_before(content: str, sent: tuple[int, ...], batch_ids: tuple[str, ...]) -> Iterator[UploadPart]:
    """The parts of a text in which a version before kept all rows; each batch had a hundred of those that were sent."""
    _, _, *rows = content.split("\n")
    numbers, own = set(sent), list[str]()
    found: list[int] = []
    place = 0
    for row in rows:
        own.append(row)
        if (number := json.loads(row)[0]) in numbers:
            found.append(number)
        if len(found) == PART or (not sent and len(own) == PART):
            yield _part_before(place, own, found, batch_ids)
            own, found, place = [], [], place + 1
    if own:
        yield _part_before(place, own, found, batch_ids)


def _part_before(place: int, rows: list[str], found: list[int], batch_ids: tuple[str, ...]) -> UploadPart:
    batch_id = batch_ids[place] if found else None
    return UploadPart(place, "\n".join(rows), batch_id, tuple(found))
