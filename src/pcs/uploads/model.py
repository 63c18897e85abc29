"""A file that somebody uploaded. The trap: reading it anew each time as if it had not been read; it is kept as the rows
that were read once, so that what was looked at is what is sent."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field

from pcs.base.errors import RefusalError
from pcs.products.columns import columns_of
from pcs.products.tables import ProductTable
from pcs.spreadsheets.keeping import kept_sheet
from pcs.spreadsheets.model import Limits
from pcs.tariff.revision import ScheduleName

LIMITS = Limits(bytes=5 * 1024 * 1024, rows=5_000, unpacked=64 * 1024 * 1024)


class SubmittedAlreadyError(RefusalError):
    """An upload is submitted once."""


@dataclass(frozen=True, slots=True)
class Upload:
    """A file, and the batches that it became. `content` is its rows as `keeping` writes them.

    `columns` and `sent` are what it was submitted with: which column gave which field, counted from 0, and the numbers
    of the rows that were sent, in the order of the products.
    """

    id: str
    file_name: str
    content: str
    schedules: tuple[ScheduleName, ...]
    batch_ids: tuple[str, ...]
    created_at: dt.datetime
    submitted_at: dt.datetime | None = None
    columns: Mapping[str, int] = field(default_factory=dict)
    sent: tuple[int, ...] = ()

    def table(self, columns: Mapping[str, int] | None = None) -> ProductTable:
        """Its rows, read with these columns, or with those that are recognised."""
        sheet = kept_sheet(self.content)
        return ProductTable(sheet, columns_of(sheet.titles) if columns is None else columns)
