"""What lists and charts show of classifications. The trap: carrying whole results to a page that shows a
line of each."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from enum import StrEnum

from pcs.classifications.model import Status
from pcs.tariff.code import Code
from pcs.tariff.revision import ScheduleName


class Sort(StrEnum):
    """In which order to list."""

    NEWEST = "newest"
    OLDEST = "oldest"
    DOUBTFUL = "doubtful"


class Attention(StrEnum):
    """Whether somebody has looked, or should."""

    WANTED = "wanted"
    REVIEWED = "reviewed"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to list. `search` finds the beginnings of words of a product's name, its identifier, and codes."""

    search: str = ""
    status: Status | None = None
    schedule: ScheduleName | None = None
    attention: Attention | None = None
    batch_ids: tuple[str, ...] | None = None
    product_id: str | None = None
    sort: Sort = Sort.NEWEST
    after: str | None = None
    limit: int = 25


@dataclass(frozen=True, slots=True)
class Listed:
    """One line of a list. `decision` is a person's, where there is one."""

    id: str
    product_id: str
    product_name: str
    identifier: str | None
    schedule: ScheduleName
    status: Status
    code: Code | None
    confidence: float | None
    needs_review: bool
    decision: str | None
    created_at: dt.datetime
    completed_at: dt.datetime | None
    description: str
    error: str | None


@dataclass(frozen=True, slots=True)
class Page:
    """Some lines, and where the next ones begin (None at the end)."""

    lines: tuple[Listed, ...]
    following: str | None


@dataclass(frozen=True, slots=True)
class Day:
    """One day (UTC) of a tenant: what was accepted on it and how that ended so far. Times are in milliseconds."""

    date: dt.date
    schedule: ScheduleName
    accepted: int
    completed: int
    failed: int


@dataclass(frozen=True, slots=True)
class Pulse:
    """How a tenant is doing over some time. `median_ms` and `slow_ms` (95 of 100 are faster) are the times of analyses,
    None where there was none."""

    waiting: int
    completed: int
    failed: int
    median_ms: float | None
    slow_ms: float | None
