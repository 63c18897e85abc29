"""The one list of classifications, for the API and the dashboard. The trap: a page that counts a hundred thousand
rows to say "page 1 of 2000"; lists go forward by cursor and never count."""

from __future__ import annotations

from collections.abc import Sequence

from pcs.base import paging
from pcs.base.database import Transaction
from pcs.base.paging import Page, Slice
from pcs.base.tenancy import Tenant
from pcs.classifications import service as classifications
from pcs.classifications.model import Classification, Status
from pcs.lists import store
from pcs.lists.model import Listed, Sort, Wanted
from pcs.tariff.code import Code, InvalidCodeError


async def page(transaction: Transaction, tenant: Tenant, wanted: Wanted) -> Page[Listed]:
    """Some of a tenant's classifications, a line of each."""
    lines = await store.lines(transaction, tenant, wanted, words=search_words(wanted.search))
    return paging.page(lines, Slice(wanted.limit), _doubtful_place if wanted.sort is Sort.DOUBTFUL else _place)


async def whole_page(transaction: Transaction, tenant: Tenant, wanted: Wanted) -> Page[Classification]:
    """The same, with all of each."""
    found = await page(transaction, tenant, wanted)
    whole = await classifications.get_all(transaction, tenant, [line.id for line in found.items])
    return Page(tuple(whole[line.id] for line in found.items), found.next_after)


async def count(transaction: Transaction, tenant: Tenant, wanted: Wanted, *, most: int) -> int:
    """How many of a tenant's classifications there are of what is wanted, counted no further than `most`."""
    return await store.count(transaction, tenant, wanted, most=most)


async def of_products(transaction: Transaction, tenant: Tenant, product_ids: Sequence[str]) -> list[Listed]:
    """The newest classification of each of a tenant's products under each schedule."""
    return await store.of_products(transaction, tenant, product_ids)


def _place(line: Listed) -> str:
    return line.id


def _doubtful_place(line: Listed) -> str:
    return f"{line.confidence!r}~{line.id}"


def search_words(text: str) -> list[str]:
    """The words that a search is for; a code with dots is one word.

    >>> search_words("6109.10"), search_words("Men's T-shirt SKU-1!")
    (['610910'], ['men', 's', 't', 'shirt', 'sku', '1'])
    """
    try:
        return [Code.parse(text)]
    except InvalidCodeError:
        spaced = "".join(character if character.isalnum() else " " for character in text.lower())
        return spaced.split()


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
