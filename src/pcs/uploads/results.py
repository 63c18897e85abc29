"""An uploaded file with its answers: the customer's columns first, then ours, a row for each of theirs.

The trap: rows that were left out missing from the results; they are there, and say why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pcs.classifications.model import Classification
from pcs.classifications.result_columns import ResultCells, answered, result_titles
from pcs.products.tables import ProductRow
from pcs.uploads.model import Upload


def result_rows(upload: Upload, found: Sequence[Classification]) -> Iterator[Sequence[object]]:
    """The header and the rows; `found` is what `service.answers` gives."""
    table = upload.table(upload.columns)
    width = max(len(row.cells) for row in (table.sheet.header, *table.sheet.rows()))
    titles = _padded(table.sheet.titles, width)
    yield [*titles, *result_titles(upload.schedules, titles)]
    each = len(upload.schedules)
    places = {number: place * each for place, number in enumerate(upload.sent)}
    for row in table.rows():
        place = places.get(row.row.number)
        ours = found[place : place + each] if place is not None else []
        said = [answered(one) for one in ours] or [_left_out(row)] * each
        yield [*_padded(row.row.cells, width), *(cell for one in said for cell in one.cells)]


def _padded(cells: Sequence[object], width: int) -> list[str]:
    return [*map(str, cells), *[""] * (width - len(cells))]


def _left_out(row: ProductRow) -> ResultCells:
    return ResultCells(error="; ".join(row.problems) or "was not sent")
