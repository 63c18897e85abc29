"""The one statement of polls: their keys, the keys' windows with these requests counted, and the versions of the rows
asked for.

The trap: an answer kept for a row that stays while what is said beside it changes. The version is of the row and of its
review; a classification beside which variants got other codes has none, so that it is put together each time."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

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
_POLLS = Prepared(
    text(
        f"""{ADMITTING}, asked.place, polled.version {ADMITTED_FROM}
        JOIN asked ON asked.digest = found.digest
        LEFT JOIN LATERAL (
        SELECT concat(c.xmin, c.ctid, r.xmin, r.ctid) AS version
          FROM (SELECT *, xmin, ctid FROM classifications WHERE id = asked.which OFFSET 0) c -- by its id, whatever
          LEFT JOIN reviews r ON r.classification_id = c.id                     -- the table's statistics say or lack
         WHERE {owned_alike_sql("c", "found")}
           AND NOT {_OTHER.format("<")} AND NOT {_OTHER.format(">")}) polled ON true
        ORDER BY asked.place
        """  # noqa: S608 (our own constants)
    ).bindparams(*AT)
)


@dataclass(frozen=True, slots=True)
class Polled:
    """What was found for a poll."""

    key: ApiKey
    window: RateWindow | None
    """None where the key may not be used."""
    version: str | None
    """Another whenever the answer is another; None where it depends on more than its own row, or there is none."""


async def look_up(
    transaction: Transaction, asked: Sequence[tuple[bytes, str]], *, now: dt.datetime, default_limit: int
) -> list[Polled | None]:
    """For each digest of a key and classification what is found; None where nobody has the key."""
    found: list[Polled | None] = [None] * len(asked)
    sent = Counter[str]()
    for row in await _POLLS.rows(transaction, **admitting(asked, now)):
        key, window = admitted(row, default_limit, before=sent[row["id"]])
        sent[row["id"]] += 1
        found[row["place"]] = Polled(key, window, row["version"])
    return found
