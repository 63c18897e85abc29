"""What to list of classifications, and a line of each. The trap: carrying whole results to a page that shows a line
of each."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from pcs.classifications.model import DecidedBy, Status
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
    NOT_WANTED = "not_wanted"
    REVIEWED = "reviewed"
    PROPOSED = "proposed"
    SENT_BACK = "sent_back"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to list; None asks for all. `search` finds the beginnings of words of a product's name, its identifier, and
    codes; `sureness` is the least confidence and the one that is too much; `disagreeing` are those whose first six
    digits are others under another schedule; `after` is where the page before ended."""

    search: str = ""
    status: Status | None = None
    schedule: ScheduleName | None = None
    identifier: str | None = None
    assigned_to: str | None = None
    attention: Attention | None = None
    inconsistent: bool | None = None
    sureness: tuple[float, float] | None = None
    disagreeing: bool = False
    batch_ids: tuple[str, ...] | None = None
    product_id: str | None = None
    metadata: Mapping[str, str] | None = None
    created_after: dt.datetime | None = None
    created_before: dt.datetime | None = None
    sort: Sort = Sort.NEWEST
    after: str | None = None
    limit: int = 25


@dataclass(frozen=True, slots=True)
class Listed:
    """One line of a list: `code` is the machine's, `final_code` what is decided, `decision` a person's,
    `proposed` where a second one is to confirm it.

    `description` has the words of the final code, or of the machine's while nothing is decided.
    """

    id: str
    product_id: str
    product_name: str
    identifier: str | None
    schedule: ScheduleName
    status: Status
    code: Code | None
    final_code: Code | None
    decided_by: DecidedBy | None
    confidence: float | None
    needs_review: bool
    decision: str | None
    created_at: dt.datetime
    completed_at: dt.datetime | None
    description: str
    error: str | None
    metadata: Mapping[str, str]

    @property
    def shown_code(self) -> Code | None:
        """What a list shows first: the decided code, or the machine's while nothing is decided."""
        return self.final_code or self.code

    @property
    def other_code(self) -> Code | None:
        """The machine's code where another was decided."""
        return self.code if self.final_code not in {None, self.code} else None
