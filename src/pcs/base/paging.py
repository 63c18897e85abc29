"""Pages of a list, newest first. The trap: a page counted by offset, which skips and repeats while rows are added; a
page begins after the last identifier of the one before."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from sqlalchemy import Column, Select

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Slice:
    """Which part of a list: at most `limit` items, after the one named `after`."""

    limit: int = 20
    after: str | None = None

    def of(self, query: Select[Any], key: Column[Any]) -> Select[Any]:
        """The query for this part of a list and one item more, which tells whether there is a next one."""
        if self.after is not None:
            query = query.where(key < self.after)
        return query.order_by(key.desc()).limit(self.limit + 1)


@dataclass(frozen=True, slots=True)
class Page(Generic[Item]):
    """The items, and the identifier after which the next page begins; None on the last."""

    items: tuple[Item, ...]
    next_after: str | None


def page(rows: Sequence[Item], wanted: Slice, key: Callable[[Item], str]) -> Page[Item]:
    """The page that rows make, which were asked for with `Slice.of`.

    >>> page(["c", "b", "a"], Slice(limit=2), str)
    Page(items=('c', 'b'), next_after='b')
    """
    kept = tuple(rows[: wanted.limit])
    return Page(kept, key(kept[-1]) if len(rows) > wanted.limit else None)
