"""A file that somebody uploaded. The traps: reading it anew each time as if it had not been read, and holding all of it
at once; it is kept as the rows that were read once, a hundred of them a part, and each part becomes a batch."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from pcs.base.errors import RefusalError
from pcs.base.tasks import DELIVERY, Task
from pcs.batches.model import MAX_PRODUCTS
from pcs.products.columns import columns_of
from pcs.products.tables import ProductRow, ProductTable
from pcs.spreadsheets.keeping import kept_sheet
from pcs.spreadsheets.model import Limits
from pcs.tariff.revision import ScheduleName

LIMITS = Limits(bytes=50 * 1024 * 1024, rows=100_000, unpacked=256 * 1024 * 1024)
PART = MAX_PRODUCTS
"""Rows of a part."""
SEND = Task("uploads.send", DELIVERY)  # statements, and no analysis: it takes the place of none


class SubmittedAlreadyError(RefusalError):
    """An upload is submitted once."""


@dataclass(frozen=True, slots=True)
class Upload:
    """A file. `head` is its style and header as `keeping` writes them, `columns` which column gave which field, counted
    from 0; `good` of its `rows` are sent, `problems` are the first of the others, and `width` is that of the widest.

    `stopped` says why the rest was not sent; `batch_ids` are of a version that kept no parts.
    """

    id: str
    file_name: str
    head: str
    schedules: tuple[ScheduleName, ...]
    created_at: dt.datetime
    submitted_at: dt.datetime | None = None
    columns: Mapping[str, int] = field(default_factory=dict)
    rows: int = 0
    good: int = 0
    width: int = 0
    problems: tuple[Mapping[str, object], ...] = ()
    stopped: str | None = None
    batch_ids: tuple[str, ...] = ()

    @property
    def total(self) -> int:
        """How many classifications come of it."""
        return self.good * len(self.schedules)

    def table(self, columns: Mapping[str, int] | None = None) -> ProductTable:
        """Its header, read with these columns, or with those that are recognised."""
        sheet = kept_sheet(self.head)
        return ProductTable(sheet, columns_of(sheet.titles) if columns is None else columns)

    def products(self, part: UploadPart, columns: Mapping[str, int]) -> Iterator[ProductRow]:
        """The rows of a part, read with these columns."""
        return ProductTable(kept_sheet(self.head, part.rows), columns).rows()


@dataclass(frozen=True, slots=True)
class UploadPart:
    """Some rows of an upload, and the batch that its good ones became; `sent` are the numbers of these, in the order
    of the products."""

    place: int
    rows: str
    batch_id: str | None = None
    sent: tuple[int, ...] = ()
