"""The one statement of a poll: the key, its window with this request counted, and the version of the row asked for.

The trap: an answer kept for a row that stays while what is said beside it changes. The version is of the row and of its
review; a classification beside which variants got other codes has none, so that it is put together each time."""

from __future__ import annotations

import datetime as dt

from sqlalchemy import text

from pcs.base.database import Prepared, Transaction
from pcs.base.owned import owned_alike_sql
from pcs.organizations.model import ApiKey, RateWindow
from pcs.organizations.store import ADMITTED_FROM, ADMITTING, AT, admitted, admitting

_CODE = "coalesce({}.final_code, {}.tariff_line)"
_OTHER = f"""EXISTS (
    SELECT FROM classifications o WHERE o.variant_key = c.variant_key AND o.superseded_by IS NULL
       AND {owned_alike_sql("o", "c")} AND {_CODE.format("o", "o")} {{}} {_CODE.format("c", "c")})
"""
_POLL = Prepared(
    text(
        f"""{ADMITTING}, polled.version {ADMITTED_FROM} LEFT JOIN LATERAL (
        SELECT concat(c.xmin, c.ctid, r.xmin, r.ctid) AS version
          FROM classifications c LEFT JOIN reviews r ON r.classification_id = c.id
         WHERE c.id = :which AND {owned_alike_sql("c", "found")}
           AND NOT {_OTHER.format("<")} AND NOT {_OTHER.format(">")}) polled ON true
        """  # noqa: S608 (our own constants)
    ).bindparams(*AT)
)


class Poll:
    """A look-up of a key that reads a classification's version too."""

    __slots__ = ("_classification_id", "version")

    def __init__(self, classification_id: str) -> None:
        self._classification_id = classification_id
        self.version: str | None = None
        """Another whenever the answer is another; None where it depends on more than its own row."""

    async def __call__(
        self, transaction: Transaction, digest: bytes, *, now: dt.datetime, default_limit: int
    ) -> tuple[ApiKey, RateWindow | None] | None:
        """See `pcs.organizations.service.FindKey`."""
        row = await _POLL.row(transaction, which=self._classification_id, **admitting(digest, now))
        if row is None:
            return None
        self.version = row["version"]
        return admitted(row, default_limit)
