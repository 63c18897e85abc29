"""What the dashboard's lists, charts and progress pages read. The trap: a page that counts a hundred thousand rows to
say "page 1 of 2000"; lists go forward by cursor and never count."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

from pcs.base.database import Transaction
from pcs.base.tenancy import Tenant
from pcs.classifications import listing_store as store
from pcs.classifications.listing import Day, Listed, Page, Pulse, Sort, Wanted
from pcs.classifications.model import Status
from pcs.tariff.code import Code, InvalidCodeError

_MOST_WORDS = 8


async def page(transaction: Transaction, tenant: Tenant, wanted: Wanted) -> Page:
    """Some of a tenant's classifications."""
    lines = await store.lines(transaction, tenant, wanted, words=search_words(wanted.search))
    if len(lines) <= wanted.limit:
        return Page(tuple(lines), None)
    last = lines[wanted.limit - 1]
    following = f"{last.confidence!r}~{last.id}" if wanted.sort is Sort.DOUBTFUL else last.id
    return Page(tuple(lines[: wanted.limit]), following)


def search_words(text: str) -> list[str]:
    """The words that a search is for; a code with dots is one word.

    >>> search_words("6109.10"), search_words("Men's T-shirt SKU-1!")
    (['610910'], ['men', 's', 't', 'shirt', 'sku', '1'])
    """
    try:
        return [Code.parse(text)]
    except InvalidCodeError:
        spaced = "".join(character if character.isalnum() else " " for character in text.lower())
        return spaced.split()[:_MOST_WORDS]


async def days(transaction: Transaction, tenant: Tenant, *, first: dt.date, last: dt.date) -> list[Day]:
    """What was accepted on each day (UTC), a line a schedule, oldest first; days without anything are left out."""
    since, until = (dt.datetime.combine(day, dt.time(), dt.UTC) for day in (first, last))
    return await store.days(transaction, tenant, since=since, until=until)


async def pulse(transaction: Transaction, tenant: Tenant, *, since: dt.datetime) -> Pulse:
    """How a tenant is doing since a moment."""
    return await store.pulse(transaction, tenant, since=since)


async def of_batches(
    transaction: Transaction, tenant: Tenant, batch_ids: Sequence[str], *, limit: int | None
) -> list[Listed]:
    """The classifications of some batches, in the order in which they were accepted."""
    return await store.of_batches(transaction, tenant, batch_ids, limit=limit)


async def progress(transaction: Transaction, tenant: Tenant, batch_ids: Sequence[str]) -> dict[Status, int]:
    """How many classifications of some batches are in each state."""
    return await store.progress(transaction, tenant, batch_ids)


async def waiting_for_review(transaction: Transaction, tenant: Tenant) -> int:
    """How many answers need review and have not had it; counts no further than a hundred."""
    return await store.waiting_for_review(transaction, tenant)
