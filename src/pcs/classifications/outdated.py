"""Completed classifications that a later revision makes outdated: their code was removed or reworded.

The trap: a person's correction; the code that counts is theirs, and a rejected answer rests on none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pcs.base.database import Transaction
from pcs.base.paging import Page, Slice
from pcs.base.tenancy import Tenant
from pcs.classifications import outdated_store as store
from pcs.classifications.outdated_store import Outdated
from pcs.tariff.changes import ASKING, Change, ChangeKind, Changes


@dataclass(frozen=True, slots=True)
class OutdatedClassification:
    """A classification, and what became of its code."""

    classification: Outdated
    change: Change


@dataclass(frozen=True, slots=True)
class OutdatedPage:
    """Some of them, newest first, and how many there are in all; counts no further than ten thousand."""

    found: Page[OutdatedClassification]
    total: int


async def outdated_classifications(
    transaction: Transaction,
    tenant: Tenant | None,
    changes: Changes,
    wanted: Slice,
    kinds: Sequence[ChangeKind] = ASKING,
) -> OutdatedPage:
    """A tenant's completed classifications, or all with None, that rest on a code which went or has other words, or to
    which happened what `kinds` say.

    Those that were answered under the later revision itself are up to date, and so is a product that was classified
    again since.
    """
    outdated = changes.lines(*kinds)
    question = store.OutdatedCodes(changes.after.schedule, tuple(outdated), answered_since(changes))
    page = await store.list_page(transaction, tenant, question, wanted)
    found = Page(tuple(OutdatedClassification(one, outdated[one.code]) for one in page.items), page.next_after)
    return OutdatedPage(found, await store.count(transaction, tenant, question))


def answered_since(changes: Changes) -> str | None:
    """The name of the later revision; None where both have the same one, so that it tells nothing."""
    return None if changes.before.name == changes.after.name else changes.after.name
