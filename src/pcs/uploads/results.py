"""An uploaded file with its answers: the customer's columns first, then ours, a row for each of theirs.

The traps: rows that were left out missing from the results; they are there, and say why. And a hundred thousand rows in
memory; a few parts are read at a time, and the file is written to the disk."""

from __future__ import annotations

import asyncio
import io
import re
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import IO, BinaryIO, cast

from pcs.base.database import Transaction
from pcs.base.tenancy import Tenant
from pcs.classifications.model import Classification
from pcs.classifications.result_columns import ResultCells, answered, result_titles
from pcs.products.tables import ProductRow
from pcs.spreadsheets.writing import WorkbookWriter, write_csv
from pcs.uploads import service, store
from pcs.uploads.model import Upload, UploadPart

Opened = Callable[[], AbstractAsyncContextManager[Transaction]]
"""What gives a connection to read with; it is held for a few parts, not for the whole file."""

Rows = list[Sequence[object]]
_IN_MEMORY = 1024 * 1024
_CHUNK = 256 * 1024


@dataclass(frozen=True, slots=True)
class ResultFile:
    """The results as a file to send: its chunks can be taken once."""

    content: IO[bytes]
    media_type: str
    name: str

    async def chunks(self) -> AsyncIterator[bytes]:
        """The file, piece by piece."""
        with self.content:
            while chunk := await asyncio.to_thread(self.content.read, _CHUNK):
                yield chunk


async def csv_file(opened: Opened, tenant: Tenant, upload: Upload) -> ResultFile:
    """The results as CSV, in the dialect in which the file came."""
    style, file = upload.table().sheet.style, _temporary()
    text = io.TextIOWrapper(cast("BinaryIO", file), "utf-8-sig" if style.marked else "utf-8", newline="")
    async for rows in result_rows(opened, tenant, upload):
        await asyncio.to_thread(write_csv, text, rows, style.delimiter or ",")
    text.detach()
    file.seek(0)
    return ResultFile(file, "text/csv; charset=utf-8", result_name(upload, "csv"))


async def xlsx_file(opened: Opened, tenant: Tenant, upload: Upload) -> ResultFile:
    """The same as a workbook."""
    writer, file = WorkbookWriter(), _temporary()
    async for rows in result_rows(opened, tenant, upload):
        await asyncio.to_thread(writer.add, rows)
    await asyncio.to_thread(writer.save, cast("BinaryIO", file))
    file.seek(0)
    return ResultFile(
        file, "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", result_name(upload, "xlsx")
    )


def _temporary() -> IO[bytes]:
    """A file of ours, on the disk where it is large; whoever sends it closes it."""
    return tempfile.SpooledTemporaryFile(_IN_MEMORY)


def result_name(upload: Upload, ending: str) -> str:
    """The name of the file that came, as far as every system takes it, and what this one is.

    >>> from unittest.mock import Mock
    >>> result_name(Mock(file_name="Preisliste \u20ac.xlsx"), "csv")
    'Preisliste--results.csv'
    """
    stem = re.sub(r"[^A-Za-z0-9._ -]", "", upload.file_name.rpartition(".")[0] or upload.file_name)
    return f"{stem.replace(' ', '-') or 'file'}-results.{ending}"


async def result_rows(opened: Opened, tenant: Tenant, upload: Upload) -> AsyncIterator[Rows]:
    """The header, then the rows, some at a time."""
    titles = _titles(upload)
    yield [[*titles, *result_titles(upload.schedules, titles)]]
    after = -1
    while True:
        async with opened() as transaction:
            parts = await store.parts(transaction, upload.id, after=after)
            found = [await service.answers(transaction, tenant, part) for part in parts]
        if not parts:
            return
        yield await asyncio.to_thread(_rows, upload, list(zip(parts, found, strict=True)))
        after = parts[-1].place


def _titles(upload: Upload) -> list[str]:
    titles = upload.table().sheet.titles
    return [*titles, *[""] * (upload.width - len(titles))]


def _rows(upload: Upload, parts: Sequence[tuple[UploadPart, Sequence[Classification]]]) -> Rows:
    width = len(_titles(upload))
    return [row for part, found in parts for row in _part_rows(upload, part, found, width)]


def _part_rows(
    upload: Upload, part: UploadPart, found: Sequence[Classification], width: int
) -> Iterator[Sequence[object]]:
    each = len(upload.schedules)
    places = {number: place * each for place, number in enumerate(part.sent)}
    for row in upload.products(part, upload.columns):
        place = places.get(row.row.number)
        ours = found[place : place + each] if place is not None else []
        said = [answered(one) for one in ours] or [_left_out(upload, row)] * each
        yield [*_padded(row.row.cells, width), *(cell for one in said for cell in one.cells)]


def _padded(cells: Sequence[object], width: int) -> list[object]:
    return [*cells, *[""] * (width - len(cells))]


def _left_out(upload: Upload, row: ProductRow) -> ResultCells:
    waiting = "is not sent yet" if upload.stopped is None else f"was not sent: {upload.stopped}"
    return ResultCells(error="; ".join(row.problems) or waiting)
