"""A batch: what was submitted in one bulk request. The trap: counting it done by looking; two that finish at once would
both see the other unfinished, or both see none, so the batch counts down under its own lock."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from enum import StrEnum

from pcs.base.tenancy import Tenant

MAX_PRODUCTS = 100
"""Products in one bulk request. Source: interface.md, Limits."""


class BatchStatus(StrEnum):
    """Whether anything is left to be done."""

    PROCESSING = "processing"
    COMPLETED = "completed"


@dataclass(frozen=True, slots=True)
class Batch:
    """A bulk request as accepted. `total` classifications, of which `unfinished` are in no final state yet. An
    audit is one in which each product was classified under the schedules that it has a declared code of."""

    id: str
    tenant: Tenant
    total: int
    unfinished: int
    created_at: dt.datetime
    webhook_url: str | None = None
    completed_at: dt.datetime | None = None
    is_audit: bool = False

    @property
    def status(self) -> BatchStatus:
        """Processing until the last classification is final."""
        return BatchStatus.PROCESSING if self.unfinished else BatchStatus.COMPLETED


@dataclass(frozen=True, slots=True)
class BatchSummary:
    """How many classifications of a batch are where; `pending` counts all that are not final."""

    total: int
    completed: int
    failed: int

    @property
    def pending(self) -> int:
        """Those still to come."""
        return self.total - self.completed - self.failed
