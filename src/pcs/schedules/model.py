"""A stored revision, and what may go wrong with it."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from pcs.tariff.revision import Revision, ScheduleName


@dataclass(frozen=True, slots=True)
class StoredRevision:
    """A revision in the data folder. `lines` counts declarable lines outside chapters 98 and 99, `full_length` those of
    them that have all the digits of their schedule (10 in the US, 8 in the EU)."""

    revision: Revision
    headings: int
    lines: int
    full_length: int
    stored_at: dt.datetime

    @property
    def key(self) -> str:
        """The folder it lies in: the edition and the beginning of the digest."""
        return f"{self.revision.edition}-{self.revision.digest[:12]}"


class UnknownRevisionError(LookupError):
    """No such revision is stored; the message names those that are."""

    def __init__(self, name: ScheduleName, edition: str, stored: list[str]) -> None:
        known = ", ".join(stored) or "none"
        super().__init__(f"{name} has no revision {edition} in the data folder. It has: {known}.")


class NothingToRollBackError(LookupError):
    """No revision was current before this one."""
